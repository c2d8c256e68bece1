schema headcount -- Mirror of an event account: events, responses, payments and slots.

table accepted_rejects -- Rejects that the owner can live with: until the item changes they are listed, but no cause for exit code 8.
  account_id integer not null -- The account (accounts.id).
  event_id text collate "C" -- The event whose list holds the item; NULL for the event list.
  sha256 text not null -- SHA-256 of the item as it was accepted, in hexadecimal (rejects.sha256).
  accepted_at timestamp with time zone not null default now() -- When it was accepted.
  constraint accepted_rejects_account_id_event_id_sha256_key UNIQUE NULLS NOT DISTINCT (account_id, event_id, sha256)

table accounts -- The owners of API keys whose data is mirrored here.
  id integer not null generated always as identity -- Key of the account inside this database.
  name text not null -- Name chosen by the user (default: default).
  email text -- E-mail address that the service gave on /ping.
  base_url text -- Base address of the service that the mirror was built from.
  _created_at timestamp with time zone not null default now() -- When the account was first seen here.
  _history_from timestamp with time zone -- Former versions that ended before this moment were pruned; NULL when history is whole.
  key_sha256 text -- SHA-256 of the API key that the mirror was last built with, in hexadecimal digits: where the service names no e-mail, another key may be that of another account.
  _removing_since timestamp with time zone -- When "headcount accounts remove" began: the account is no mirror any more, and is to be removed to the end. NULL of all others.
  first_listed_run_id bigint -- The first run that stored the event list whole; NULL before. Of a mirror from before migration 18: its first run that did not fail.
  time_zone text not null default 'UTC'::text -- The zone of days and months in the views (accounts set NAME --time-zone); the setting headcount.time_zone overrides it. Readers may read it.
  field_rules text not null default ''::text -- Fields of responses that are left out or stored as pseudonyms (HEADCOUNT_LEAVE_OUT, HEADCOUNT_PSEUDONYMISE), as the last run was told. Another text lets every list be read once.
  constraint accounts_name_key UNIQUE (name)
  constraint accounts_pkey PRIMARY KEY (id)

table api_keys -- Keys with which this mirror answers as a service.
  id bigint not null generated always as identity -- Number of the key.
  account_id integer not null -- The account (accounts.id).
  sha256 text not null -- SHA-256 of the key; the key itself is not stored.
  label text -- What the key is for.
  created_at timestamp with time zone not null default now() -- When it was made.
  expires_at timestamp with time zone -- When it ends; NULL means never.
  last_used_on date -- Day of its last use.
  revoked_at timestamp with time zone -- When it was taken back.
  constraint api_keys_pkey PRIMARY KEY (id)
  constraint api_keys_sha256_key UNIQUE (sha256)

table api_observations -- Facts seen on the wire that the specification leaves open. Never a name, an e-mail address or a message.
  account_id integer not null -- The account (accounts.id).
  path text not null -- What was observed: a field (response.rsvp), an item (slot), a list (responses) or a request (ping).
  kind text not null -- Kind of observation, like value, unknown_field or status.
  value text not null -- What was observed of it.
  count bigint not null -- Finished runs that saw it in a list that was new or had changed, or in an HTTP response; 0 while the first of them goes on.
  first_seen_at timestamp with time zone not null default now() -- First time.
  last_seen_at timestamp with time zone not null default now() -- Last time.
  constraint api_observations_pkey PRIMARY KEY (account_id, path, kind, value)

table deliveries -- One row for each digest and each of its recipients: up to which run it was accepted, and what failed since.
  id bigint not null generated always as identity -- Number of the row.
  account_id integer not null -- The account that is told of (accounts.id).
  kind text not null -- digest: what changed; notice: how the mirror stands.
  name text collate "C" not null -- Name of the digest ("headcount digest --name"); of a notice "mirror".
  event_id text collate "C" -- The one event of which it tells (events.id); NULL: of all events.
  recipient_sha256 text not null -- SHA-256 of the whole address, in hexadecimal digits: an address of a chat is a secret, and is not kept.
  recipient text not null -- The address as it may be shown: of a mail whole, of the web without its path; stdout of a digest that is printed.
  message_key uuid not null default gen_random_uuid() -- What the Message-IDs are made from, together with the runs that a message tells of and with what it says.
  delivered_run_id bigint -- The last run (sync_runs.id) of which an accepted message told; NULL before the first one.
  pending_run_id bigint -- The last run of a message that may have been accepted, although nobody heard so: the same runs are told again. Else NULL.
  accepted_at timestamp with time zone -- When the server of the recipient accepted the last message; NULL before the first one.
  failures integer not null default 0 -- How often in a row it could not be delivered.
  error_message text -- Why not, the last time; NULL while all is well.
  failed_at timestamp with time zone -- When that was; NULL while all is well.
  next_attempt_at timestamp with time zone -- When it is tried again; NULL while all is well.
  claim uuid -- Random name of the process that is sending it; NULL while nobody is.
  claimed_until timestamp with time zone -- From then on another process may send it, for the one that claimed it has died; NULL while nobody sends it.
  state text -- Of a notice: the state of the mirror that was told last: good, failed, partial, held_too_long or stale. NULL of a digest.
  cause text -- Of a notice of a failed run: the code of the error, as "unreachable"; else NULL.
  told jsonb not null default '{}'::jsonb -- Of a notice: when each state, with its cause, was told last: the same one at most once an hour.
  pending_mirror json -- How the mirror stood, in numbers, when the message of pending_run_id was made; NULL without one.
  constraint deliveries_kind_check CHECK ((kind = ANY (ARRAY['digest'::text, 'notice'::text])))
  constraint deliveries_pkey PRIMARY KEY (id)
  constraint deliveries_state_check CHECK ((state = ANY (ARRAY['good'::text, 'failed'::text, 'partial'::text, 'held_too_long'::text, 'stale'::text])))
  CREATE UNIQUE INDEX deliveries_recipient ON headcount.deliveries USING btree (account_id, kind, name, event_id, recipient_sha256) NULLS NOT DISTINCT

table event_history -- Former versions of events.
  account_id integer not null -- The account (accounts.id).
  event_id text collate "C" not null -- The event (events.id).
  valid_from timestamp with time zone not null -- Since when this version was in the mirror.
  valid_to timestamp with time zone not null -- Until when (exclusive): the start of the next version, or the deletion.
  operation text not null -- How it ended: update (a next version followed) or delete (the service no longer returned it).
  document jsonb not null -- The whole former item in the shape of the API, with amounts and slots.
  ended_by_run_id bigint not null -- The run that ended this version (sync_runs.id).
  begun_by_run_id bigint -- The run that stored this version; NULL when it was archived before migration 18, unless exactly one run of its time is known.
  forgotten_at timestamp with time zone -- Of an event that was removed: when the personal data in former versions of its responses were forgotten; NULL where they were not.
  constraint event_history_operation_check CHECK ((operation = ANY (ARRAY['update'::text, 'delete'::text])))
  CREATE INDEX event_history_ended ON headcount.event_history USING btree (valid_to)
  CREATE INDEX event_history_key ON headcount.event_history USING btree (account_id, event_id, valid_from)

table events -- Live events: exactly what the service lists now.
  account_id integer not null -- The account (accounts.id).
  id text collate "C" not null -- Event identifier of the service.
  title text -- Event title.
  event_at timestamp with time zone -- When the event takes place.
  description text -- Free text.
  event_type text -- Kind of event as the service spells it.
  location text -- Free text.
  _extra jsonb -- Fields that the specification does not name, and the originals of fields set aside under their own name. NULL when there is nothing.
  _first_seen_at timestamp with time zone not null default now() -- When a run first stored this row; a row that comes back begins anew.
  _changed_at timestamp with time zone not null default now() -- When a run last changed this row: the start of the present version.
  _run_id bigint not null -- The run that stored the present version (sync_runs.id).
  constraint events_pkey PRIMARY KEY (account_id, id)
  CREATE INDEX events_series ON headcount.events USING btree (account_id, headcount_internal.series_of(event_type, title), event_at DESC, id)

table links -- Addresses under which this mirror shows a table, a view or the report without a key. Filled by "headcount links create".
  id bigint not null generated always as identity -- Number of the link, as "headcount links" shows it.
  account_id integer not null -- The account whose rows it shows (accounts.id).
  sha256 text not null -- SHA-256 of the secret part of the address, in hexadecimal digits; the address itself is not kept.
  view text not null -- The table or view; report: the page that "headcount report" makes.
  format text not null -- csv, html, ics or json.
  event_id text collate "C" -- The one event whose rows it shows (events.id); NULL: of all events.
  with_personal boolean not null -- Whether it shows names, addresses and messages.
  label text -- What it is for, in the words of who made it.
  created_at timestamp with time zone not null default now() -- When it was made.
  expires_at timestamp with time zone -- When it stops working; NULL: never.
  last_used_on date -- Day of its last use, in UTC; NULL: never.
  revoked_at timestamp with time zone -- When it was revoked; NULL: it was not.
  constraint links_format_check CHECK ((format = ANY (ARRAY['csv'::text, 'html'::text, 'ics'::text, 'json'::text])))
  constraint links_pkey PRIMARY KEY (id)
  constraint links_sha256_key UNIQUE (sha256)

table moved -- One row once "headcount move" has copied this mirror to another database: nothing writes here any more. Empty before.
  is_only boolean not null default true -- Lets the table have one row.
  moved_at timestamp with time zone not null default now() -- When the copy was whole.
  moved_to text not null -- The database that has the copy, without user and password.
  constraint moved_is_only_check CHECK (is_only)
  constraint moved_pkey PRIMARY KEY (is_only)

table payments with (fillfactor=90) -- Live payments: one row for each response that carries an amount or a fee.
  account_id integer not null -- The account (accounts.id).
  event_id text collate "C" not null -- The event (events.id).
  response_id bigint not null -- The response (responses.id).
  amount numeric -- Amount, exact as sent. The service names no currency.
  processing_fee numeric -- Processing fee, exact as sent.
  constraint payments_pkey PRIMARY KEY (account_id, event_id, response_id)

table person_id_secret -- From it and the e-mail key person_id is made. Only the owner may read it.
  is_only boolean not null default true -- Lets the table have one row.
  secret bytea not null -- 32 random bytes, made by the migration.
  constraint person_id_secret_is_only_check CHECK (is_only)
  constraint person_id_secret_pkey PRIMARY KEY (is_only)
  constraint person_id_secret_secret_check CHECK ((octet_length(secret) = 32))

table readers -- Roles that may read: each migration grants them anew what they may see. Filled by "headcount readers".
  role_name text collate "C" not null -- Name of the role.
  with_personal boolean not null -- Whether the role sees names, addresses and messages, too.
  added_at timestamp with time zone not null default now() -- When it was added.
  constraint readers_pkey PRIMARY KEY (role_name)

table rejects -- Items that the service answers now and that cannot be stored in the live tables, with the reason.
  account_id integer not null -- The account (accounts.id).
  event_id text collate "C" -- The event whose list holds the item; NULL for the event list.
  item_index integer not null -- Place in the list, from 0.
  reason text not null -- What is wrong.
  path text not null -- Where, like $[0].id.
  payload text -- The item as it was sent, cut at 64 KiB; NULL when the personal data of the event were forgotten.
  bytes bigint not null -- Length of the whole source text in bytes.
  sha256 text not null -- SHA-256 of the whole source text, in hexadecimal.
  run_id bigint not null -- The run that last read the list (sync_runs.id).
  seen_at timestamp with time zone not null default now() -- When that was.
  constraint rejects_account_id_event_id_item_index_key UNIQUE NULLS NOT DISTINCT (account_id, event_id, item_index)

table response_history -- Former versions of responses, with their payments and slots.
  account_id integer not null -- The account (accounts.id).
  event_id text collate "C" not null -- The event (events.id).
  response_id bigint not null -- The response (responses.id).
  valid_from timestamp with time zone not null -- Since when this version was in the mirror.
  valid_to timestamp with time zone not null -- Until when (exclusive): the start of the next version, or the deletion.
  operation text not null -- How it ended: update (a next version followed) or delete (the service no longer returned it).
  document jsonb not null -- The whole former item in the shape of the API, with amounts and slots.
  ended_by_run_id bigint not null -- The run that ended this version (sync_runs.id).
  begun_by_run_id bigint -- The run that stored this version; NULL when it was archived before migration 18, unless exactly one run of its time is known.
  restated_fields text[] -- Fields of the version that follows this one that were stored again in another form, as where fields are left out: they tell no change. NULL where there are none.
  constraint response_history_operation_check CHECK ((operation = ANY (ARRAY['update'::text, 'delete'::text])))
  CREATE INDEX response_history_ended ON headcount.response_history USING btree (valid_to)
  CREATE INDEX response_history_key ON headcount.response_history USING btree (account_id, event_id, response_id, valid_from)
  CREATE INDEX response_history_runs ON headcount.response_history USING brin (ended_by_run_id, begun_by_run_id) WITH (pages_per_range='16')

table responses with (fillfactor=90) -- Live responses: exactly what the service answers now, one row a person's reply.
  account_id integer not null -- The account (accounts.id).
  event_id text collate "C" not null -- The event (events.id).
  id bigint not null -- Response identifier of the service, unique within its event.
  kind text not null -- Shape of the item: reply, payment, signup, mixed (marks of more than one) or bare (none).
  name text -- Name of the respondent.
  email text -- E-mail address of the respondent.
  message text -- Free text left by the respondent.
  quantity bigint -- Number of people or units.
  rsvp text -- The reply as the service spells it.
  created_at timestamp with time zone -- When the response was made, by the service.
  updated_at timestamp with time zone -- When the response was last changed, by the service.
  _extra jsonb -- Fields that the specification does not name, and the originals of fields set aside under their own name. NULL when there is nothing.
  _first_seen_at timestamp with time zone not null default now() -- When a run first stored this row; a row that comes back begins anew.
  _changed_at timestamp with time zone not null default now() -- When a run last changed this row: the start of the present version.
  _run_id bigint not null -- The run that stored the present version (sync_runs.id).
  constraint responses_pkey PRIMARY KEY (account_id, event_id, id)

table rsvp_meanings -- What a value of responses.rsvp means, matched exactly. Any other value, and a reply without one, is unknown. Filled by "headcount rsvp-meanings".
  value text collate "C" not null -- The reply as the service spells it (responses.rsvp).
  meaning text not null -- coming, maybe or not_coming.
  constraint rsvp_meanings_meaning_check CHECK ((meaning = ANY (ARRAY['coming'::text, 'maybe'::text, 'not_coming'::text])))
  constraint rsvp_meanings_pkey PRIMARY KEY (value)

table schema_migrations -- Migrations applied to this schema.
  number integer not null -- Number of the migration.
  name text not null -- Its name.
  applied_at timestamp with time zone not null default now() -- When it was applied.
  constraint schema_migrations_pkey PRIMARY KEY (number)

table slot_targets -- How many people a slot wants. The most specific row counts: event and slot, slot, event, neither; without any, 2. Filled by "headcount slot-targets".
  account_id integer not null -- The account (accounts.id).
  event_id text collate "C" -- The event (events.id); NULL: every event.
  slot_name text -- Name of the slot, exactly (slots.name); NULL: every slot.
  wanted integer not null -- People wanted.
  constraint slot_targets_wanted_check CHECK ((wanted > 0))
  CREATE UNIQUE INDEX slot_targets_key ON headcount.slot_targets USING btree (account_id, event_id, headcount_internal.sha256_of(slot_name)) NULLS NOT DISTINCT

table slots with (fillfactor=90) -- Live slots: what the respondents signed up for, one row a slot of a response.
  account_id integer not null -- The account (accounts.id).
  event_id text collate "C" not null -- The event (events.id).
  response_id bigint not null -- The response (responses.id).
  position integer not null -- Place in the response's list of slots, from 1.
  name text -- Slot label.
  start_date timestamp with time zone -- Start as an instant.
  end_date timestamp with time zone -- End as an instant.
  start_local timestamp without time zone -- Start on the wall clock as sent; the offset is start_local minus start_date in UTC.
  end_local timestamp without time zone -- End on the wall clock as sent.
  _extra jsonb -- Fields that the specification does not name, and the originals of fields set aside under their own name. NULL when there is nothing.
  constraint slots_pkey PRIMARY KEY (account_id, event_id, response_id, "position")

table suppressed_responses -- Responses of erased people. They stay without personal data whatever their address becomes.
  account_id integer not null -- The account (accounts.id).
  event_id text collate "C" not null -- The event (events.id).
  response_id bigint not null -- The response (responses.id).
  suppression_id bigint not null -- Whose it is (suppressions.id).
  constraint suppressed_responses_pkey PRIMARY KEY (account_id, event_id, response_id, suppression_id)
  constraint suppressed_responses_suppression_id_fkey FOREIGN KEY (suppression_id) REFERENCES headcount.suppressions(id) ON DELETE CASCADE
  CREATE INDEX suppressed_responses_suppression ON headcount.suppressed_responses USING btree (suppression_id)

table suppressions -- People who were erased: their responses are stored without personal data. Filled by "headcount person erase".
  id bigint not null generated always as identity -- Number of the entry.
  account_id integer not null -- The account (accounts.id).
  email_hash bytea -- HMAC-SHA-256 of the e-mail key, with the key of HEADCOUNT_PERSON_KEY_FILE, which is never here; NULL when that key is lost.
  key_check text not null -- By which the key is recognised: the first half of an HMAC of a fixed text.
  added_at timestamp with time zone not null default now() -- When the person was erased first.
  erased_at timestamp with time zone -- When everything that was held was erased; NULL while that is under way, or was broken off: the next run goes on.
  constraint suppressions_email_hash_check CHECK ((octet_length(email_hash) = 32))
  constraint suppressions_pkey PRIMARY KEY (id)
  CREATE UNIQUE INDEX suppressions_key ON headcount.suppressions USING btree (account_id, email_hash)

table sync_runs with (fillfactor=50) -- Executions of sync and backfill. A running one holds its account.
  id bigint not null generated always as identity -- Number of the run.
  account_id integer not null -- The account (accounts.id).
  mode text not null -- sync or backfill; erase: a person was erased or restored; rename, remove, move or backup: the account was held for that.
  named_events_only boolean not null default false -- Only named events were read (--event): such a run says nothing of the others.
  status text not null -- running, succeeded, partial, held, failed, interrupted, or abandoned (taken over by a later run).
  holder jsonb -- Which process runs it: host, boot, process namespace, process and its start time.
  started_at timestamp with time zone not null default now() -- When it started.
  heartbeat_at timestamp with time zone not null default now() -- Last sign of life while it runs.
  finished_at timestamp with time zone -- When it ended.
  report jsonb -- Report of the run, as printed by --json.
  backfill_id bigint -- Of a backfill of the whole account: its own id, or that of the interrupted backfill which it continues.
  good boolean not null default false -- Every list that was due was applied or found unchanged, and no deletion is held: the age of the mirror counts from the start of the last such run.
  constraint sync_runs_mode_check CHECK ((mode = ANY (ARRAY['sync'::text, 'backfill'::text, 'rename'::text, 'remove'::text, 'erase'::text, 'move'::text, 'backup'::text])))
  constraint sync_runs_pkey PRIMARY KEY (id)
  constraint sync_runs_status_check CHECK ((status = ANY (ARRAY['running'::text, 'succeeded'::text, 'partial'::text, 'held'::text, 'failed'::text, 'interrupted'::text, 'abandoned'::text])))
  CREATE INDEX sync_runs_by_account ON headcount.sync_runs USING btree (account_id, id DESC)
  CREATE INDEX sync_runs_good ON headcount.sync_runs USING btree (account_id, id DESC) WHERE good
  CREATE UNIQUE INDEX sync_runs_one_running ON headcount.sync_runs USING btree (account_id) WHERE (status = 'running'::text)

table sync_state with (fillfactor=40) -- What is known of each list: one row an event, and one for the event list (event_id is empty).
  account_id integer not null -- The account (accounts.id).
  event_id text collate "C" not null -- The event (events.id), or empty for the event list.
  digest bytea -- SHA-256 over the version of our normaliser and the body of the list; NULL unless the rows are what that body says.
  normaliser_version integer -- Version of our normaliser that the digest was made with.
  etag text -- Validator that the service sent with the list.
  checked_at timestamp with time zone -- When the service last answered for the list: in full, or with "not modified".
  next_check_at timestamp with time zone -- When it is due again; NULL means at the next run.
  poll_interval_s integer -- Seconds that the list of an older event waits while nothing changes.
  backfill_id bigint -- The backfill that last read the list.
  held_deletions jsonb -- Deletions kept back: groups of ids with the reason and the moment of their first sight.
  held_deletion_count integer not null default 0 -- How many deletions are kept back.
  held_deletions_since timestamp with time zone -- Since when the oldest of them.
  set_aside integer not null default 0 -- Fields of the list that could not be stored in their column.
  error_code text -- Why the last reading failed; NULL when it did not.
  error_message text -- The same in words.
  failed_at timestamp with time zone -- When it failed.
  last_full_read_at timestamp with time zone -- When the body of the list was last read whole; an answer "not modified" does not move it.
  list_version uuid not null default gen_random_uuid() -- What "headcount serve" shows of the list: another one whenever rows that it shows are written, in the same transaction. Rows changed by hand keep it until backfill mends them.
  unconfirmed_absences jsonb -- Ids of live rows that the last reading of the list lacked, which came in several pages; NULL when there are none. They are deleted when the next reading lacks them too.
  first_listed_run_id bigint -- The first run that found the event listed, since it last came. Of a list from before migration 18: the account's first run that did not fail.
  first_applied_run_id bigint -- The first run that stored the list whole; NULL before. Of a list from before migration 18: the account's first run that did not fail.
  forgotten_at timestamp with time zone -- When the personal data of the responses were forgotten: they are stored without since then. NULL where they were not. An event that is moved into the future loses this mark at its next reading.
  rewrite_due boolean not null default false -- Whether the rows are made anew at the next reading although the list is unchanged: a person was restored.
  constraint sync_state_pkey PRIMARY KEY (account_id, event_id)

view changes -- What each run changed, one row an item. Read it in the order account_id, run_id, changed_at, events before responses, event_id, response_id, and go on after the last closed run: within a run the order is reproducible, not chronological. Nothing from before the horizon of prune.
  account_id integer -- The account (accounts.id).
  account text -- Name of the account.
  run_id bigint -- The run that stored the change (sync_runs.id); NULL of inserts that were archived before migration 18, unless exactly one run of its time is known.
  run_finished_at timestamp with time zone -- When the run ended; NULL while it goes on: skip such rows.
  changed_at timestamp with time zone -- When a run stored the change.
  entity text -- event or response; payments and slots are fields of their response.
  event_id text collate "C" -- The event (events.id).
  response_id bigint -- The response (responses.id); NULL for an event.
  change text -- insert (it came, or came back), update or delete (the service no longer returned it).
  initial boolean -- Whether this insert is only the first reading of what was there before the mirror, and no news; false of all else.
  event_title text -- Title of the event now, else the last one known.
  event_at timestamp with time zone -- When the event takes place, else the last time known.
  person_id text -- Pseudonym of the person whose e-mail address the record has; NULL without one.
  fields text[] -- The changed fields, sorted; NULL unless update.
  record jsonb -- The item after the change; of a delete the last one known.
  former jsonb -- Former values of the changed fields, JSON null where one was absent; NULL unless update.
 SELECT account_id,
    account,
    run_id,
    ( SELECT run.finished_at
           FROM headcount.sync_runs run
          WHERE run.id = c.run_id) AS run_finished_at,
    changed_at,
    entity,
    event_id,
    response_id,
    change,
    initial,
    event_title,
    event_at,
        CASE
            WHEN entity = 'response'::text THEN headcount_internal.person_id(( SELECT person_id_secret.secret
               FROM headcount.person_id_secret), account_id, headcount.email_key(headcount_internal.stored_text(record -> 'email'::text)))
            ELSE NULL::text
        END AS person_id,
    fields,
    record,
    former
   FROM ( SELECT c_1.account_id,
            a.name AS account,
            c_1.run_id,
            c_1.changed_at,
            'event'::text AS entity,
            c_1.event_id,
            c_1.response_id,
            c_1.change,
            COALESCE(
                CASE
                    WHEN c_1.change <> 'insert'::text THEN false
                    WHEN c_1.run_id IS NULL THEN c_1.changed_at <= first_run.finished_at
                    ELSE
                    CASE
                        WHEN c_1.run_id <= a.first_listed_run_id THEN true
                        ELSE (EXISTS ( SELECT
                           FROM headcount.sync_state s
                          WHERE s.account_id = c_1.account_id AND s.event_id = c_1.event_id AND s.first_applied_run_id = c_1.run_id AND s.first_listed_run_id <= a.first_listed_run_id))
                    END
                END, false) AS initial,
            (COALESCE(( SELECT ARRAY[e.title] AS "array"
                   FROM headcount.events e
                  WHERE e.account_id = c_1.account_id AND e.id = c_1.event_id), ( SELECT ARRAY[headcount_internal.stored_text(last.document -> 'title'::text)] AS "array"
                   FROM headcount.event_history last
                  WHERE last.account_id = c_1.account_id AND last.event_id = c_1.event_id
                  ORDER BY last.valid_to DESC, last.ended_by_run_id DESC
                 LIMIT 1)))[1] AS event_title,
            (COALESCE(( SELECT ARRAY[e.event_at] AS "array"
                   FROM headcount.events e
                  WHERE e.account_id = c_1.account_id AND e.id = c_1.event_id), ( SELECT ARRAY[headcount_internal.stored_instant(last.document -> 'event_at'::text)] AS "array"
                   FROM headcount.event_history last
                  WHERE last.account_id = c_1.account_id AND last.event_id = c_1.event_id
                  ORDER BY last.valid_to DESC, last.ended_by_run_id DESC
                 LIMIT 1)))[1] AS event_at,
            changed.fields,
            COALESCE(c_1.document, c_1.former) AS record,
            changed.former
           FROM ( SELECT h.account_id,
                    h.event_id,
                    NULL::bigint AS response_id,
                    h.valid_to AS changed_at,
                    'update'::text AS change,
                    h.document AS former,
                    next.document,
                    h.ended_by_run_id AS run_id
                   FROM headcount.event_history h
                     CROSS JOIN LATERAL ( SELECT COALESCE(( SELECT later.document
                                   FROM headcount.event_history later
                                  WHERE later.account_id = h.account_id AND later.event_id = h.event_id AND later.valid_from = h.valid_to AND ((ROW(later.valid_from, later.ended_by_run_id) > ROW(h.valid_from, h.ended_by_run_id)))
                                  ORDER BY later.ended_by_run_id
                                 LIMIT 1), ( SELECT now_live.document
                                   FROM ( SELECT v.account_id,
    v.id AS event_id,
    NULL::bigint AS response_id,
    jsonb_strip_nulls(jsonb_build_object('id', v.id, 'title', v.title, 'event_at', headcount_internal.iso_utc(v.event_at), 'description', v.description, 'event_type', v.event_type, 'location', v.location)) || COALESCE(v._extra, '{}'::jsonb) AS document,
    v._changed_at,
    v._first_seen_at,
    v._run_id
   FROM headcount.events v) now_live
                                  WHERE now_live.account_id = h.account_id AND now_live.event_id = h.event_id AND now_live._changed_at = h.valid_to)) AS document
                         OFFSET 0) next
                  WHERE h.operation = 'update'::text
                UNION ALL
                 SELECT h.account_id,
                    h.event_id,
                    NULL::bigint AS int8,
                    h.valid_to,
                    'delete'::text,
                    h.document,
                    NULL::jsonb,
                    h.ended_by_run_id
                   FROM headcount.event_history h
                  WHERE h.operation = 'delete'::text
                UNION ALL
                 SELECT h.account_id,
                    h.event_id,
                    NULL::bigint AS int8,
                    h.valid_from,
                    'insert'::text,
                    NULL::jsonb,
                    h.document,
                    h.begun_by_run_id
                   FROM headcount.event_history h
                  WHERE NOT (EXISTS ( SELECT
                           FROM headcount.event_history before
                          WHERE before.account_id = h.account_id AND before.event_id = h.event_id AND before.operation = 'update'::text AND before.valid_to = h.valid_from AND ((ROW(before.valid_from, before.ended_by_run_id) < ROW(h.valid_from, h.ended_by_run_id)))
                         OFFSET 0))
                UNION ALL
                 SELECT l.account_id,
                    l.event_id,
                    l.response_id,
                    l._changed_at,
                    'insert'::text,
                    NULL::jsonb,
                    l.document,
                    l._run_id
                   FROM ( SELECT v.account_id,
                            v.id AS event_id,
                            NULL::bigint AS response_id,
                            jsonb_strip_nulls(jsonb_build_object('id', v.id, 'title', v.title, 'event_at', headcount_internal.iso_utc(v.event_at), 'description', v.description, 'event_type', v.event_type, 'location', v.location)) || COALESCE(v._extra, '{}'::jsonb) AS document,
                            v._changed_at,
                            v._first_seen_at,
                            v._run_id
                           FROM headcount.events v) l
                  WHERE l._changed_at = l._first_seen_at AND NOT (EXISTS ( SELECT
                           FROM headcount.event_history before
                          WHERE before.account_id = l.account_id AND before.event_id = l.event_id AND before.operation = 'update'::text AND before.valid_to = l._changed_at
                         OFFSET 0))) c_1
             JOIN headcount.accounts a ON a.id = c_1.account_id AND c_1.changed_at > COALESCE(a._history_from, '-infinity'::timestamp with time zone)
             LEFT JOIN headcount.sync_runs first_run ON first_run.id = a.first_listed_run_id
             LEFT JOIN LATERAL ( SELECT array_agg(key.field ORDER BY (key.field COLLATE "C")) AS fields,
                    jsonb_object_agg(key.field, COALESCE(c_1.former -> key.field, 'null'::jsonb)) AS former
                   FROM jsonb_object_keys(
                        CASE
                            WHEN c_1.change = 'update'::text THEN c_1.former || c_1.document
                            ELSE NULL::jsonb
                        END) key(field)
                  WHERE (c_1.former -> key.field) IS DISTINCT FROM (c_1.document -> key.field)) changed ON true
          WHERE (c_1.change <> 'update'::text OR changed.fields IS NOT NULL) AND (( SELECT COALESCE(current_setting('headcount.account'::text, true), ''::text) = ''::text) OR c_1.account_id = (( SELECT a_1.id
                   FROM headcount.accounts a_1
                  WHERE a_1.name = current_setting('headcount.account'::text, true))))
        UNION ALL
         SELECT c_1.account_id,
            a.name AS account,
            c_1.run_id,
            c_1.changed_at,
            'response'::text AS entity,
            c_1.event_id,
            c_1.response_id,
            c_1.change,
            COALESCE(
                CASE
                    WHEN c_1.change <> 'insert'::text THEN false
                    WHEN c_1.run_id IS NULL THEN c_1.changed_at <= first_run.finished_at
                    ELSE
                    CASE
                        WHEN c_1.run_id <= a.first_listed_run_id THEN NOT (EXISTS ( SELECT
                           FROM headcount.sync_state s
                          WHERE s.account_id = c_1.account_id AND s.event_id = c_1.event_id AND s.first_applied_run_id < c_1.run_id))
                        ELSE (EXISTS ( SELECT
                           FROM headcount.sync_state s
                          WHERE s.account_id = c_1.account_id AND s.event_id = c_1.event_id AND s.first_applied_run_id = c_1.run_id AND s.first_listed_run_id <= a.first_listed_run_id))
                    END
                END, false) AS initial,
            (COALESCE(( SELECT ARRAY[e.title] AS "array"
                   FROM headcount.events e
                  WHERE e.account_id = c_1.account_id AND e.id = c_1.event_id), ( SELECT ARRAY[headcount_internal.stored_text(last.document -> 'title'::text)] AS "array"
                   FROM headcount.event_history last
                  WHERE last.account_id = c_1.account_id AND last.event_id = c_1.event_id
                  ORDER BY last.valid_to DESC, last.ended_by_run_id DESC
                 LIMIT 1)))[1] AS event_title,
            (COALESCE(( SELECT ARRAY[e.event_at] AS "array"
                   FROM headcount.events e
                  WHERE e.account_id = c_1.account_id AND e.id = c_1.event_id), ( SELECT ARRAY[headcount_internal.stored_instant(last.document -> 'event_at'::text)] AS "array"
                   FROM headcount.event_history last
                  WHERE last.account_id = c_1.account_id AND last.event_id = c_1.event_id
                  ORDER BY last.valid_to DESC, last.ended_by_run_id DESC
                 LIMIT 1)))[1] AS event_at,
            changed.fields,
            COALESCE(c_1.document, c_1.former, ( SELECT late.document
                   FROM headcount.response_documents late
                  WHERE late.account_id = c_1.account_id AND late.event_id = c_1.event_id AND late.response_id = c_1.response_id)) AS record,
            changed.former
           FROM ( SELECT h.account_id,
                    h.event_id,
                    h.response_id,
                    h.valid_to AS changed_at,
                    'update'::text AS change,
                        CASE
                            WHEN h.restated_fields IS NULL THEN h.document
                            ELSE ( SELECT (h.document - restated.fields) || (( SELECT COALESCE(jsonb_object_agg(field.key, field.value), '{}'::jsonb) AS "coalesce"
                                       FROM jsonb_each(next.document) field(key, value)
                                      WHERE field.key = ANY (restated.fields)))
                               FROM ( SELECT
 CASE
  WHEN headcount_internal.slots_without_personal(h.document -> 'slots'::text) IS DISTINCT FROM headcount_internal.slots_without_personal(next.document -> 'slots'::text) THEN array_remove(h.restated_fields, 'slots'::text)
  ELSE h.restated_fields
 END AS fields) restated)
                        END AS former,
                    next.document,
                    h.ended_by_run_id AS run_id
                   FROM headcount.response_history h
                     CROSS JOIN LATERAL ( SELECT COALESCE(( SELECT later.document
                                   FROM headcount.response_history later
                                  WHERE later.account_id = h.account_id AND later.event_id = h.event_id AND later.response_id = h.response_id AND later.valid_from = h.valid_to AND ((ROW(later.valid_from, later.ended_by_run_id) > ROW(h.valid_from, h.ended_by_run_id)))
                                  ORDER BY later.ended_by_run_id
                                 LIMIT 1), ( SELECT now_live.document
                                   FROM ( SELECT v.account_id,
    v.event_id,
    v.id AS response_id,
    d.document,
    v._changed_at,
    v._first_seen_at,
    v._run_id
   FROM headcount.responses v
     JOIN headcount.response_documents d ON d.account_id = v.account_id AND d.event_id = v.event_id AND d.response_id = v.id) now_live
                                  WHERE now_live.account_id = h.account_id AND now_live.event_id = h.event_id AND now_live.response_id = h.response_id AND now_live._changed_at = h.valid_to)) AS document
                         OFFSET 0) next
                  WHERE h.operation = 'update'::text
                UNION ALL
                 SELECT h.account_id,
                    h.event_id,
                    h.response_id,
                    h.valid_to,
                    'delete'::text,
                    h.document,
                    NULL::jsonb,
                    h.ended_by_run_id
                   FROM headcount.response_history h
                  WHERE h.operation = 'delete'::text
                UNION ALL
                 SELECT h.account_id,
                    h.event_id,
                    h.response_id,
                    h.valid_from,
                    'insert'::text,
                    NULL::jsonb,
                    h.document,
                    h.begun_by_run_id
                   FROM headcount.response_history h
                  WHERE NOT (EXISTS ( SELECT
                           FROM headcount.response_history before
                          WHERE before.account_id = h.account_id AND before.event_id = h.event_id AND before.response_id = h.response_id AND before.operation = 'update'::text AND before.valid_to = h.valid_from AND ((ROW(before.valid_from, before.ended_by_run_id) < ROW(h.valid_from, h.ended_by_run_id)))
                         OFFSET 0))
                UNION ALL
                 SELECT l.account_id,
                    l.event_id,
                    l.response_id,
                    l._changed_at,
                    'insert'::text,
                    NULL::jsonb,
                    l.document,
                    l._run_id
                   FROM ( SELECT v.account_id,
                            v.event_id,
                            v.id AS response_id,
                            NULL::jsonb AS document,
                            v._changed_at,
                            v._first_seen_at,
                            v._run_id
                           FROM headcount.responses v) l
                  WHERE l._changed_at = l._first_seen_at AND NOT (EXISTS ( SELECT
                           FROM headcount.response_history before
                          WHERE before.account_id = l.account_id AND before.event_id = l.event_id AND before.response_id = l.response_id AND before.operation = 'update'::text AND before.valid_to = l._changed_at
                         OFFSET 0))) c_1
             JOIN headcount.accounts a ON a.id = c_1.account_id AND c_1.changed_at > COALESCE(a._history_from, '-infinity'::timestamp with time zone)
             LEFT JOIN headcount.sync_runs first_run ON first_run.id = a.first_listed_run_id
             LEFT JOIN LATERAL ( SELECT array_agg(key.field ORDER BY (key.field COLLATE "C")) AS fields,
                    jsonb_object_agg(key.field, COALESCE(c_1.former -> key.field, 'null'::jsonb)) AS former
                   FROM jsonb_object_keys(
                        CASE
                            WHEN c_1.change = 'update'::text THEN c_1.former || c_1.document
                            ELSE NULL::jsonb
                        END) key(field)
                  WHERE (c_1.former -> key.field) IS DISTINCT FROM (c_1.document -> key.field)) changed ON true
          WHERE (c_1.change <> 'update'::text OR changed.fields IS NOT NULL) AND (( SELECT COALESCE(current_setting('headcount.account'::text, true), ''::text) = ''::text) OR c_1.account_id = (( SELECT a_1.id
                   FROM headcount.accounts a_1
                  WHERE a_1.name = current_setting('headcount.account'::text, true))))) c;

view changes_without_personal -- The view changes without personal data: only fields that the specification names. For readers who must not see names, addresses and messages.
  account_id integer -- The account (accounts.id).
  account text -- Name of the account.
  run_id bigint -- The run that stored the change (sync_runs.id); NULL of inserts that were archived before migration 18, unless exactly one run of its time is known.
  run_finished_at timestamp with time zone -- When the run ended; NULL while it goes on: skip such rows.
  changed_at timestamp with time zone -- When a run stored the change.
  entity text -- event or response; payments and slots are fields of their response.
  event_id text collate "C" -- The event (events.id).
  response_id bigint -- The response (responses.id); NULL for an event.
  change text -- insert (it came, or came back), update or delete (the service no longer returned it).
  initial boolean -- Whether this insert is only the first reading of what was there before the mirror, and no news; false of all else.
  event_title text -- Title of the event now, else the last one known.
  event_at timestamp with time zone -- When the event takes place, else the last time known.
  person_id text -- Pseudonym of the person whose e-mail address the record has; NULL without one.
  fields text[] -- The changed fields that may be shown, sorted; empty when only others changed. NULL unless update.
  record jsonb -- The item after the change; of a delete the last one known.
  former jsonb -- Former values of these fields, JSON null where one was absent; NULL unless update.
 SELECT account_id,
    account,
    run_id,
    run_finished_at,
    changed_at,
    entity,
    event_id,
    response_id,
    change,
    initial,
    event_title,
    event_at,
    person_id,
        CASE
            WHEN fields IS NOT NULL THEN ARRAY( SELECT f.f
               FROM unnest(c.fields) f(f)
              WHERE f.f = ANY (ARRAY['id'::text, 'title'::text, 'event_at'::text, 'description'::text, 'event_type'::text, 'location'::text, 'quantity'::text, 'rsvp'::text, 'created_at'::text, 'updated_at'::text, 'amount'::text, 'processing_fee'::text, 'slots'::text])
              ORDER BY (f.f COLLATE "C"))
            ELSE NULL::text[]
        END AS fields,
    headcount_internal.item_without_personal(record) AS record,
    headcount_internal.item_without_personal(former) AS former
   FROM headcount.changes c;

view event_changes -- What changed of the events: one row for each field that an update changed, one for each event that was announced or is no longer listed. The service does not say that an event was cancelled. Nothing from before the horizon of prune.
  account_id integer -- The account (accounts.id).
  account text -- Name of the account.
  event_id text collate "C" -- The event (events.id).
  event_title text -- Title of the event now, else the last one known.
  event_at timestamp with time zone -- When the event takes place, else the last time known.
  changed_at timestamp with time zone -- When a run stored the change.
  run_id bigint -- The run that stored the change (sync_runs.id); NULL of inserts that were archived before migration 18, unless exactly one run of its time is known.
  change text -- insert (it came, or came back), update or delete (the service no longer returned it).
  what text -- announced, returned (it was removed before), moved (event_at), renamed (title), relocated (location), edited (any other field), or removed: no longer listed.
  field text -- The field that changed, as the service spells it. NULL for insert and delete.
  old_value text -- What it was: text as it is, all else as JSON; NULL when the field was absent. Of a delete, the whole event as JSON.
  new_value text -- What it became. Of an insert, the whole event as JSON.
  initial boolean -- Whether this insert is only the first reading of what was there before the mirror, and no news; false of all else.
 SELECT c.account_id,
    a.name AS account,
    c.event_id,
    (COALESCE(( SELECT ARRAY[e.title] AS "array"
           FROM headcount.events e
          WHERE e.account_id = c.account_id AND e.id = c.event_id), ( SELECT ARRAY[headcount_internal.stored_text(last.document -> 'title'::text)] AS "array"
           FROM headcount.event_history last
          WHERE last.account_id = c.account_id AND last.event_id = c.event_id
          ORDER BY last.valid_to DESC, last.ended_by_run_id DESC
         LIMIT 1)))[1] AS event_title,
    (COALESCE(( SELECT ARRAY[e.event_at] AS "array"
           FROM headcount.events e
          WHERE e.account_id = c.account_id AND e.id = c.event_id), ( SELECT ARRAY[headcount_internal.stored_instant(last.document -> 'event_at'::text)] AS "array"
           FROM headcount.event_history last
          WHERE last.account_id = c.account_id AND last.event_id = c.event_id
          ORDER BY last.valid_to DESC, last.ended_by_run_id DESC
         LIMIT 1)))[1] AS event_at,
    c.changed_at,
    c.run_id,
    c.change,
        CASE c.change
            WHEN 'delete'::text THEN 'removed'::text
            WHEN 'insert'::text THEN
            CASE
                WHEN (EXISTS ( SELECT
                   FROM headcount.event_history before
                  WHERE before.account_id = c.account_id AND before.event_id = c.event_id AND before.operation = 'delete'::text AND before.valid_to <= c.changed_at AND (c.run_id IS NULL OR before.ended_by_run_id < c.run_id))) THEN 'returned'::text
                ELSE 'announced'::text
            END
            ELSE
            CASE changed.field
                WHEN 'event_at'::text THEN 'moved'::text
                WHEN 'title'::text THEN 'renamed'::text
                WHEN 'location'::text THEN 'relocated'::text
                ELSE 'edited'::text
            END
        END AS what,
    changed.field,
        CASE c.change
            WHEN 'update'::text THEN c.former ->> changed.field
            ELSE c.former::text
        END AS old_value,
        CASE c.change
            WHEN 'update'::text THEN c.document ->> changed.field
            ELSE c.document::text
        END AS new_value,
    COALESCE(
        CASE
            WHEN c.change <> 'insert'::text THEN false
            WHEN c.run_id IS NULL THEN c.changed_at <= first_run.finished_at
            ELSE
            CASE
                WHEN c.run_id <= a.first_listed_run_id THEN true
                ELSE (EXISTS ( SELECT
                   FROM headcount.sync_state s
                  WHERE s.account_id = c.account_id AND s.event_id = c.event_id AND s.first_applied_run_id = c.run_id AND s.first_listed_run_id <= a.first_listed_run_id))
            END
        END, false) AS initial
   FROM ( SELECT h.account_id,
            h.event_id,
            NULL::bigint AS response_id,
            h.valid_to AS changed_at,
            'update'::text AS change,
            h.document AS former,
            next.document,
            h.ended_by_run_id AS run_id
           FROM headcount.event_history h
             CROSS JOIN LATERAL ( SELECT COALESCE(( SELECT later.document
                           FROM headcount.event_history later
                          WHERE later.account_id = h.account_id AND later.event_id = h.event_id AND later.valid_from = h.valid_to AND ((ROW(later.valid_from, later.ended_by_run_id) > ROW(h.valid_from, h.ended_by_run_id)))
                          ORDER BY later.ended_by_run_id
                         LIMIT 1), ( SELECT now_live.document
                           FROM ( SELECT v.account_id,
                                    v.id AS event_id,
                                    NULL::bigint AS response_id,
                                    jsonb_strip_nulls(jsonb_build_object('id', v.id, 'title', v.title, 'event_at', headcount_internal.iso_utc(v.event_at), 'description', v.description, 'event_type', v.event_type, 'location', v.location)) || COALESCE(v._extra, '{}'::jsonb) AS document,
                                    v._changed_at,
                                    v._first_seen_at,
                                    v._run_id
                                   FROM headcount.events v) now_live
                          WHERE now_live.account_id = h.account_id AND now_live.event_id = h.event_id AND now_live._changed_at = h.valid_to)) AS document
                 OFFSET 0) next
          WHERE h.operation = 'update'::text
        UNION ALL
         SELECT h.account_id,
            h.event_id,
            NULL::bigint AS int8,
            h.valid_to,
            'delete'::text,
            h.document,
            NULL::jsonb,
            h.ended_by_run_id
           FROM headcount.event_history h
          WHERE h.operation = 'delete'::text
        UNION ALL
         SELECT h.account_id,
            h.event_id,
            NULL::bigint AS int8,
            h.valid_from,
            'insert'::text,
            NULL::jsonb,
            h.document,
            h.begun_by_run_id
           FROM headcount.event_history h
          WHERE NOT (EXISTS ( SELECT
                   FROM headcount.event_history before
                  WHERE before.account_id = h.account_id AND before.event_id = h.event_id AND before.operation = 'update'::text AND before.valid_to = h.valid_from AND ((ROW(before.valid_from, before.ended_by_run_id) < ROW(h.valid_from, h.ended_by_run_id)))
                 OFFSET 0))
        UNION ALL
         SELECT l.account_id,
            l.event_id,
            l.response_id,
            l._changed_at,
            'insert'::text,
            NULL::jsonb,
            l.document,
            l._run_id
           FROM ( SELECT v.account_id,
                    v.id AS event_id,
                    NULL::bigint AS response_id,
                    jsonb_strip_nulls(jsonb_build_object('id', v.id, 'title', v.title, 'event_at', headcount_internal.iso_utc(v.event_at), 'description', v.description, 'event_type', v.event_type, 'location', v.location)) || COALESCE(v._extra, '{}'::jsonb) AS document,
                    v._changed_at,
                    v._first_seen_at,
                    v._run_id
                   FROM headcount.events v) l
          WHERE l._changed_at = l._first_seen_at AND NOT (EXISTS ( SELECT
                   FROM headcount.event_history before
                  WHERE before.account_id = l.account_id AND before.event_id = l.event_id AND before.operation = 'update'::text AND before.valid_to = l._changed_at
                 OFFSET 0))) c
     JOIN headcount.accounts a ON a.id = c.account_id AND c.changed_at > COALESCE(a._history_from, '-infinity'::timestamp with time zone)
     LEFT JOIN headcount.sync_runs first_run ON first_run.id = a.first_listed_run_id
     LEFT JOIN LATERAL ( SELECT key.field
           FROM jsonb_object_keys(
                CASE
                    WHEN c.change = 'update'::text THEN c.former || c.document
                    ELSE NULL::jsonb
                END) key(field)
          WHERE (c.former -> key.field) IS DISTINCT FROM (c.document -> key.field)) changed ON true
  WHERE (c.change <> 'update'::text OR changed.field IS NOT NULL) AND (( SELECT COALESCE(current_setting('headcount.account'::text, true), ''::text) = ''::text) OR c.account_id = (( SELECT a_1.id
           FROM headcount.accounts a_1
          WHERE a_1.name = current_setting('headcount.account'::text, true))));

view event_changes_without_personal -- The view event_changes without personal data: only fields that the specification names. For readers who must not see names, addresses and messages.
  account_id integer -- The account (accounts.id).
  account text -- Name of the account.
  event_id text collate "C" -- The event (events.id).
  event_title text -- Title of the event now, else the last one known.
  event_at timestamp with time zone -- When the event takes place, else the last time known.
  changed_at timestamp with time zone -- When a run stored the change.
  run_id bigint -- The run that stored the change (sync_runs.id); NULL of inserts that were archived before migration 18, unless exactly one run of its time is known.
  change text -- insert (it came, or came back), update or delete (the service no longer returned it).
  what text -- announced, returned, moved, renamed, relocated, edited or removed.
  field text -- The field that changed. NULL for insert and delete.
  old_value text -- What it was. Of a delete, the event as JSON.
  new_value text -- What it became. Of an insert, the event as JSON.
  initial boolean -- Whether this insert is only the first reading of what was there before the mirror, and no news; false of all else.
 SELECT c.account_id,
    a.name AS account,
    c.event_id,
    (COALESCE(( SELECT ARRAY[e.title] AS "array"
           FROM headcount.events e
          WHERE e.account_id = c.account_id AND e.id = c.event_id), ( SELECT ARRAY[headcount_internal.stored_text(last.document -> 'title'::text)] AS "array"
           FROM headcount.event_history last
          WHERE last.account_id = c.account_id AND last.event_id = c.event_id
          ORDER BY last.valid_to DESC, last.ended_by_run_id DESC
         LIMIT 1)))[1] AS event_title,
    (COALESCE(( SELECT ARRAY[e.event_at] AS "array"
           FROM headcount.events e
          WHERE e.account_id = c.account_id AND e.id = c.event_id), ( SELECT ARRAY[headcount_internal.stored_instant(last.document -> 'event_at'::text)] AS "array"
           FROM headcount.event_history last
          WHERE last.account_id = c.account_id AND last.event_id = c.event_id
          ORDER BY last.valid_to DESC, last.ended_by_run_id DESC
         LIMIT 1)))[1] AS event_at,
    c.changed_at,
    c.run_id,
    c.change,
        CASE c.change
            WHEN 'delete'::text THEN 'removed'::text
            WHEN 'insert'::text THEN
            CASE
                WHEN (EXISTS ( SELECT
                   FROM headcount.event_history before
                  WHERE before.account_id = c.account_id AND before.event_id = c.event_id AND before.operation = 'delete'::text AND before.valid_to <= c.changed_at AND (c.run_id IS NULL OR before.ended_by_run_id < c.run_id))) THEN 'returned'::text
                ELSE 'announced'::text
            END
            ELSE
            CASE changed.field
                WHEN 'event_at'::text THEN 'moved'::text
                WHEN 'title'::text THEN 'renamed'::text
                WHEN 'location'::text THEN 'relocated'::text
                ELSE 'edited'::text
            END
        END AS what,
    changed.field,
        CASE c.change
            WHEN 'update'::text THEN c.former ->> changed.field
            ELSE c.former::text
        END AS old_value,
        CASE c.change
            WHEN 'update'::text THEN c.document ->> changed.field
            ELSE c.document::text
        END AS new_value,
    COALESCE(
        CASE
            WHEN c.change <> 'insert'::text THEN false
            WHEN c.run_id IS NULL THEN c.changed_at <= first_run.finished_at
            ELSE
            CASE
                WHEN c.run_id <= a.first_listed_run_id THEN true
                ELSE (EXISTS ( SELECT
                   FROM headcount.sync_state s
                  WHERE s.account_id = c.account_id AND s.event_id = c.event_id AND s.first_applied_run_id = c.run_id AND s.first_listed_run_id <= a.first_listed_run_id))
            END
        END, false) AS initial
   FROM ( SELECT t.account_id,
            t.event_id,
            t.changed_at,
            t.change,
            headcount_internal.item_without_personal(t.former) AS former,
            headcount_internal.item_without_personal(t.document) AS document,
            t.run_id
           FROM ( SELECT h.account_id,
                    h.event_id,
                    NULL::bigint AS response_id,
                    h.valid_to AS changed_at,
                    'update'::text AS change,
                    h.document AS former,
                    next.document,
                    h.ended_by_run_id AS run_id
                   FROM headcount.event_history h
                     CROSS JOIN LATERAL ( SELECT COALESCE(( SELECT later.document
                                   FROM headcount.event_history later
                                  WHERE later.account_id = h.account_id AND later.event_id = h.event_id AND later.valid_from = h.valid_to AND ((ROW(later.valid_from, later.ended_by_run_id) > ROW(h.valid_from, h.ended_by_run_id)))
                                  ORDER BY later.ended_by_run_id
                                 LIMIT 1), ( SELECT now_live.document
                                   FROM ( SELECT v.account_id,
    v.id AS event_id,
    NULL::bigint AS response_id,
    jsonb_strip_nulls(jsonb_build_object('id', v.id, 'title', v.title, 'event_at', headcount_internal.iso_utc(v.event_at), 'description', v.description, 'event_type', v.event_type, 'location', v.location)) || COALESCE(v._extra, '{}'::jsonb) AS document,
    v._changed_at,
    v._first_seen_at,
    v._run_id
   FROM headcount.events v) now_live
                                  WHERE now_live.account_id = h.account_id AND now_live.event_id = h.event_id AND now_live._changed_at = h.valid_to)) AS document
                         OFFSET 0) next
                  WHERE h.operation = 'update'::text
                UNION ALL
                 SELECT h.account_id,
                    h.event_id,
                    NULL::bigint AS int8,
                    h.valid_to,
                    'delete'::text,
                    h.document,
                    NULL::jsonb,
                    h.ended_by_run_id
                   FROM headcount.event_history h
                  WHERE h.operation = 'delete'::text
                UNION ALL
                 SELECT h.account_id,
                    h.event_id,
                    NULL::bigint AS int8,
                    h.valid_from,
                    'insert'::text,
                    NULL::jsonb,
                    h.document,
                    h.begun_by_run_id
                   FROM headcount.event_history h
                  WHERE NOT (EXISTS ( SELECT
                           FROM headcount.event_history before
                          WHERE before.account_id = h.account_id AND before.event_id = h.event_id AND before.operation = 'update'::text AND before.valid_to = h.valid_from AND ((ROW(before.valid_from, before.ended_by_run_id) < ROW(h.valid_from, h.ended_by_run_id)))
                         OFFSET 0))
                UNION ALL
                 SELECT l.account_id,
                    l.event_id,
                    l.response_id,
                    l._changed_at,
                    'insert'::text,
                    NULL::jsonb,
                    l.document,
                    l._run_id
                   FROM ( SELECT v.account_id,
                            v.id AS event_id,
                            NULL::bigint AS response_id,
                            jsonb_strip_nulls(jsonb_build_object('id', v.id, 'title', v.title, 'event_at', headcount_internal.iso_utc(v.event_at), 'description', v.description, 'event_type', v.event_type, 'location', v.location)) || COALESCE(v._extra, '{}'::jsonb) AS document,
                            v._changed_at,
                            v._first_seen_at,
                            v._run_id
                           FROM headcount.events v) l
                  WHERE l._changed_at = l._first_seen_at AND NOT (EXISTS ( SELECT
                           FROM headcount.event_history before
                          WHERE before.account_id = l.account_id AND before.event_id = l.event_id AND before.operation = 'update'::text AND before.valid_to = l._changed_at
                         OFFSET 0))) t) c
     JOIN headcount.accounts a ON a.id = c.account_id AND c.changed_at > COALESCE(a._history_from, '-infinity'::timestamp with time zone)
     LEFT JOIN headcount.sync_runs first_run ON first_run.id = a.first_listed_run_id
     LEFT JOIN LATERAL ( SELECT key.field
           FROM jsonb_object_keys(
                CASE
                    WHEN c.change = 'update'::text THEN c.former || c.document
                    ELSE NULL::jsonb
                END) key(field)
          WHERE (c.former -> key.field) IS DISTINCT FROM (c.document -> key.field)) changed ON true
  WHERE (c.change <> 'update'::text OR changed.field IS NOT NULL) AND (( SELECT COALESCE(current_setting('headcount.account'::text, true), ''::text) = ''::text) OR c.account_id = (( SELECT a_1.id
           FROM headcount.accounts a_1
          WHERE a_1.name = current_setting('headcount.account'::text, true))));

view event_respondents -- Each person who answered an event: the guest list, and who said yes and has not paid. A person is one e-mail key; a family with one address is one person. Answers are no attendance.
  account_id integer -- The account (accounts.id).
  account text -- Name of the account.
  event_id text collate "C" -- The event (events.id).
  event_title text -- Event title.
  event_at timestamp with time zone -- When the event takes place.
  response_id bigint -- The response (responses.id), only of a person without an e-mail key.
  person_id text -- Pseudonym of the person within the account, made from the e-mail key and a secret; NULL without an e-mail key.
  email_key text -- The e-mail address by which a person is found (function email_key).
  name text -- Name in the person's latest response that has one.
  email text -- E-mail address in the person's latest response that has one.
  responses bigint -- Responses of the person to the event.
  meaning text -- What the latest reply means: coming, maybe, not_coming or unknown; NULL without a reply.
  coming numeric -- People of replies that mean coming.
  maybe numeric -- People of replies that mean maybe.
  unknown numeric -- People of replies whose value has no meaning in rsvp_meanings.
  payments bigint -- Responses with a payment.
  amount numeric -- Sum of the amounts, exact; NULL when there is none. A payment that the service lowers or drops changes the original response. The service names no currency.
  processing_fee numeric -- Sum of the processing fees, exact; NULL when there is none.
  amount_after_fee numeric -- Amount minus fee. The service does not say whether the amount contains the fee.
  sign_ups bigint -- Responses with at least one slot.
  slots bigint -- Slots that the person takes.
  expected numeric -- People to expect of this person: the most of yes-replies, payments and sign-ups.
  messages text -- Messages that are not empty, oldest first, a line break between.
  first_response_at timestamp with time zone -- When the first of the responses was made.
  last_response_at timestamp with time zone -- When the last of the responses was made.
 SELECT e.account_id,
    a.name AS account,
    e.id AS event_id,
    e.title AS event_title,
    e.event_at,
    p.response_id,
    headcount_internal.person_id(( SELECT person_id_secret.secret
           FROM headcount.person_id_secret), e.account_id, p.email_key) AS person_id,
    p.email_key,
    p.name,
    p.email,
    p.responses,
    p.meaning,
    p.coming,
    p.maybe,
    p.unknown,
    p.payments,
    p.amount,
    p.processing_fee,
        CASE
            WHEN p.amount IS NOT NULL OR p.processing_fee IS NOT NULL THEN COALESCE(p.amount, 0::numeric) - COALESCE(p.processing_fee, 0::numeric)
            ELSE NULL::numeric
        END AS amount_after_fee,
    p.sign_ups,
    p.slots,
    p.expected,
    p.messages,
    p.first_response_at,
    p.last_response_at
   FROM headcount.events e
     JOIN headcount.accounts a ON a.id = e.account_id AND (( SELECT COALESCE(current_setting('headcount.account'::text, true), ''::text) = ''::text) OR e.account_id = (( SELECT a_1.id
           FROM headcount.accounts a_1
          WHERE a_1.name = current_setting('headcount.account'::text, true))))
     CROSS JOIN LATERAL ( SELECT COALESCE(NULLIF(current_setting('headcount.time_zone'::text, true), ''::text), a.time_zone) AS name) zone
     CROSS JOIN LATERAL ( SELECT min(r.id) FILTER (WHERE r.email_key IS NULL) AS response_id,
            min(r.email_key) AS email_key,
            (array_agg(r.name ORDER BY r.created_at DESC NULLS LAST, r.id DESC) FILTER (WHERE r.name IS NOT NULL))[1] AS name,
            (array_agg(r.email ORDER BY r.created_at DESC NULLS LAST, r.id DESC) FILTER (WHERE r.email IS NOT NULL))[1] AS email,
            count(*) AS responses,
            (array_agg(r.meaning ORDER BY r.created_at DESC NULLS LAST, r.id DESC) FILTER (WHERE r.is_reply))[1] AS meaning,
            COALESCE(sum(r.people) FILTER (WHERE r.is_reply AND r.meaning = 'coming'::text), 0::numeric) AS coming,
            COALESCE(sum(r.people) FILTER (WHERE r.is_reply AND r.meaning = 'maybe'::text), 0::numeric) AS maybe,
            COALESCE(sum(r.people) FILTER (WHERE r.is_reply AND r.meaning = 'unknown'::text), 0::numeric) AS unknown,
            count(*) FILTER (WHERE r.is_payment) AS payments,
            sum(r.amount) AS amount,
            sum(r.processing_fee) AS processing_fee,
            count(*) FILTER (WHERE r.is_sign_up) AS sign_ups,
            COALESCE(sum(r.slots), 0::numeric)::bigint AS slots,
            GREATEST(sum(r.people) FILTER (WHERE r.is_reply AND r.meaning = 'coming'::text), sum(r.people) FILTER (WHERE r.is_payment AND COALESCE(r.amount, 0::numeric) >= 0::numeric AND r.meaning <> 'not_coming'::text), max(1) FILTER (WHERE r.is_sign_up AND r.meaning <> 'not_coming'::text)::numeric, 0::numeric) AS expected,
            string_agg(r.message, '
'::text ORDER BY r.created_at NULLS FIRST, r.id) FILTER (WHERE r.message <> ''::text) AS messages,
            min(r.created_at) AS first_response_at,
            max(r.created_at) AS last_response_at
           FROM ( SELECT r_1.id,
                    r_1.name,
                    r_1.email,
                    r_1.message,
                    r_1.created_at,
                    r_1._first_seen_at,
                    headcount.email_key(r_1.email) AS email_key,
                    r_1.rsvp IS NOT NULL OR (r_1.kind = ANY (ARRAY['reply'::text, 'bare'::text])) AS is_reply,
                    COALESCE(m.meaning, 'unknown'::text) AS meaning,
                    p_1.response_id IS NOT NULL AS is_payment,
                    p_1.amount,
                    p_1.processing_fee,
                    s.slots IS NOT NULL AS is_sign_up,
                    s.slots,
                    headcount.people_of(r_1.kind, r_1.rsvp, m.meaning, r_1.quantity, s.slots IS NOT NULL) AS people
                   FROM headcount.responses r_1
                     LEFT JOIN headcount.rsvp_meanings m ON m.value = r_1.rsvp
                     LEFT JOIN headcount.payments p_1 ON p_1.account_id = e.account_id AND p_1.event_id = e.id AND p_1.response_id = r_1.id
                     LEFT JOIN ( SELECT s_1.response_id,
                            count(*) AS slots
                           FROM headcount.slots s_1
                          WHERE s_1.account_id = e.account_id AND s_1.event_id = e.id
                          GROUP BY s_1.response_id) s ON s.response_id = r_1.id
                  WHERE r_1.account_id = e.account_id AND r_1.event_id = e.id
                 OFFSET 0) r
          GROUP BY (COALESCE(r.email_key, ' '::text || r.id))) p;

view event_respondents_without_personal -- The view event_respondents without personal data. For readers who must not see names, addresses and messages.
  account_id integer -- The account (accounts.id).
  account text -- Name of the account.
  event_id text collate "C" -- The event (events.id).
  event_title text -- Event title.
  event_at timestamp with time zone -- When the event takes place.
  response_id bigint -- The response (responses.id), only of a person without an e-mail key.
  person_id text -- Pseudonym of the person within the account, made from the e-mail key and a secret; NULL without an e-mail key.
  responses bigint -- Responses of the person to the event.
  meaning text -- What the latest reply means: coming, maybe, not_coming or unknown; NULL without a reply.
  coming numeric -- People of replies that mean coming.
  maybe numeric -- People of replies that mean maybe.
  unknown numeric -- People of replies whose value has no meaning in rsvp_meanings.
  payments bigint -- Responses with a payment.
  amount numeric -- Sum of the amounts, exact; NULL when there is none. A payment that the service lowers or drops changes the original response. The service names no currency.
  processing_fee numeric -- Sum of the processing fees, exact; NULL when there is none.
  amount_after_fee numeric -- Amount minus fee. The service does not say whether the amount contains the fee.
  sign_ups bigint -- Responses with at least one slot.
  slots bigint -- Slots that the person takes.
  expected numeric -- People to expect of this person: the most of yes-replies, payments and sign-ups.
  first_response_at timestamp with time zone -- When the first of the responses was made.
  last_response_at timestamp with time zone -- When the last of the responses was made.
 SELECT account_id,
    account,
    event_id,
    event_title,
    event_at,
    response_id,
    person_id,
    responses,
    meaning,
    coming,
    maybe,
    unknown,
    payments,
    amount,
    processing_fee,
    amount_after_fee,
    sign_ups,
    slots,
    expected,
    first_response_at,
    last_response_at
   FROM headcount.event_respondents;

view event_summary -- Each live event in figures: who answered, what was paid, how many people to expect. Answers are no attendance; the service says nothing of who came, nor how many fit in.
  account_id integer -- The account (accounts.id).
  account text -- Name of the account.
  event_id text collate "C" -- The event (events.id).
  event_title text -- Event title.
  event_type text -- Kind of event as the service spells it.
  event_at timestamp with time zone -- When the event takes place.
  event_day date -- Day of the event in the zone of the account.
  days_until integer -- Days from today to the event; negative for past events, NULL without a time.
  responses bigint -- Live responses.
  respondents bigint -- Persons who answered: rows in event_respondents.
  without_email bigint -- Responses without an e-mail key; each counts as a person of its own.
  replies bigint -- Responses with a reply.
  coming numeric -- People of replies that mean coming.
  maybe numeric -- People of replies that mean maybe.
  unknown numeric -- People of replies whose value has no meaning in rsvp_meanings.
  not_coming bigint -- Responses that mean not coming (replies, not people).
  payments bigint -- Responses with a payment.
  amount numeric -- Sum of the amounts, exact; NULL when there is none. A payment that the service lowers or drops changes the original response. The service names no currency.
  processing_fee numeric -- Sum of the processing fees, exact; NULL when there is none.
  amount_after_fee numeric -- Amount minus fee. The service does not say whether the amount contains the fee.
  sign_ups bigint -- Responses with at least one slot.
  slots bigint -- Different slots that somebody takes. A slot that nobody ever took is in no response.
  people numeric -- People of all responses. For sign-ups the service may count units.
  expected numeric -- The number to plan with: for each person the most of yes-replies, payments and sign-ups, so that nobody counts twice. Maybe adds nothing.
  first_response_at timestamp with time zone -- When the first of the responses was made.
  last_response_at timestamp with time zone -- When the last of the responses was made.
  new_7d bigint -- Live responses made in the last 7 × 24 hours.
  edited_7d bigint -- Live responses that changed in that time.
  withdrawn_7d bigint -- Responses withdrawn in that time and not live now.
  checked_at timestamp with time zone -- When the list of responses was last read.
  complete boolean -- Whether the figures are whole: the list was read, the last reading did not fail, no deletion is held, no reject is open.
 SELECT e.account_id,
    a.name AS account,
    e.id AS event_id,
    e.title AS event_title,
    e.event_type,
    e.event_at,
    (e.event_at AT TIME ZONE zone.name)::date AS event_day,
    (e.event_at AT TIME ZONE zone.name)::date - (now() AT TIME ZONE zone.name)::date AS days_until,
    r.responses,
    r.keys + r.without_email AS respondents,
    r.without_email,
    r.replies,
    r.coming,
    r.maybe,
    r.unknown,
    r.not_coming,
    r.payments,
    r.amount,
    r.processing_fee,
        CASE
            WHEN r.amount IS NOT NULL OR r.processing_fee IS NOT NULL THEN COALESCE(r.amount, 0::numeric) - COALESCE(r.processing_fee, 0::numeric)
            ELSE NULL::numeric
        END AS amount_after_fee,
    r.sign_ups,
    r.slots,
    r.people,
    r.expected,
    r.first_response_at,
    r.last_response_at,
    r.new_7d,
    changed.edited_7d,
    changed.withdrawn_7d,
    state.checked_at,
    COALESCE(state.checked_at IS NOT NULL AND state.error_code IS NULL AND state.held_deletion_count = 0 AND NOT (EXISTS ( SELECT
           FROM headcount.rejects j
          WHERE j.account_id = e.account_id AND j.event_id = e.id AND NOT (EXISTS ( SELECT
                   FROM headcount.accepted_rejects k
                  WHERE k.account_id = j.account_id AND k.event_id = j.event_id AND k.sha256 = j.sha256)))), false) AS complete
   FROM headcount.events e
     JOIN headcount.accounts a ON a.id = e.account_id AND (( SELECT COALESCE(current_setting('headcount.account'::text, true), ''::text) = ''::text) OR e.account_id = (( SELECT a_1.id
           FROM headcount.accounts a_1
          WHERE a_1.name = current_setting('headcount.account'::text, true))))
     CROSS JOIN LATERAL ( SELECT COALESCE(NULLIF(COALESCE(NULLIF(current_setting('headcount.time_zone'::text, true), ''::text), a.time_zone), 'UTC'::text), 'Z'::text) AS name) zone
     LEFT JOIN headcount.sync_state state ON state.account_id = e.account_id AND state.event_id = e.id
     CROSS JOIN LATERAL ( WITH response AS MATERIALIZED (
                 SELECT r_1.id,
                    r_1.created_at,
                    headcount.email_key(r_1.email) AS email_key,
                    r_1.rsvp IS NOT NULL OR (r_1.kind = ANY (ARRAY['reply'::text, 'bare'::text])) AS is_reply,
                    COALESCE(m.meaning, 'unknown'::text) AS meaning,
                    p.response_id IS NOT NULL AS is_payment,
                    p.amount,
                    p.processing_fee,
                    s.response_id IS NOT NULL AS is_sign_up,
                    headcount.people_of(r_1.kind, r_1.rsvp, m.meaning, r_1.quantity, s.response_id IS NOT NULL) AS people
                   FROM headcount.responses r_1
                     LEFT JOIN headcount.rsvp_meanings m ON m.value = r_1.rsvp
                     LEFT JOIN headcount.payments p ON p.account_id = e.account_id AND p.event_id = e.id AND p.response_id = r_1.id
                     LEFT JOIN ( SELECT DISTINCT s_1.response_id
                           FROM headcount.slots s_1
                          WHERE s_1.account_id = e.account_id AND s_1.event_id = e.id) s ON s.response_id = r_1.id
                  WHERE r_1.account_id = e.account_id AND r_1.event_id = e.id
                 OFFSET 0
                )
         SELECT by_event.responses,
            by_event.without_email,
            by_event.keys,
            by_event.replies,
            by_event.coming,
            by_event.maybe,
            by_event.unknown,
            by_event.not_coming,
            by_event.payments,
            by_event.amount,
            by_event.processing_fee,
            by_event.sign_ups,
            by_event.people,
            by_event.expected_of_responses,
            by_event.first_response_at,
            by_event.last_response_at,
            by_event.new_7d,
                CASE
                    WHEN (by_event.keys + by_event.without_email) = by_event.responses THEN by_event.expected_of_responses
                    ELSE ( SELECT COALESCE(sum(persons.expected), 0::numeric) AS "coalesce"
                       FROM ( SELECT GREATEST(sum(r_1.people) FILTER (WHERE r_1.is_reply AND r_1.meaning = 'coming'::text), sum(r_1.people) FILTER (WHERE r_1.is_payment AND COALESCE(r_1.amount, 0::numeric) >= 0::numeric AND r_1.meaning <> 'not_coming'::text), max(1) FILTER (WHERE r_1.is_sign_up AND r_1.meaning <> 'not_coming'::text)::numeric, 0::numeric) AS expected
                               FROM response r_1
                              GROUP BY (COALESCE(r_1.email_key, ' '::text || r_1.id))) persons)
                END AS expected,
            ( SELECT count(*) AS count
                   FROM ( SELECT
                           FROM headcount.slots s
                          WHERE s.account_id = e.account_id AND s.event_id = e.id
                          GROUP BY s.name, s.start_date, s.end_date) taken) AS slots
           FROM ( SELECT count(*) AS responses,
                    count(*) - count(r_1.email_key) AS without_email,
                    count(DISTINCT r_1.email_key COLLATE "C") AS keys,
                    count(*) FILTER (WHERE r_1.is_reply) AS replies,
                    COALESCE(sum(r_1.people) FILTER (WHERE r_1.is_reply AND r_1.meaning = 'coming'::text), 0::numeric) AS coming,
                    COALESCE(sum(r_1.people) FILTER (WHERE r_1.is_reply AND r_1.meaning = 'maybe'::text), 0::numeric) AS maybe,
                    COALESCE(sum(r_1.people) FILTER (WHERE r_1.is_reply AND r_1.meaning = 'unknown'::text), 0::numeric) AS unknown,
                    count(*) FILTER (WHERE r_1.is_reply AND r_1.meaning = 'not_coming'::text) AS not_coming,
                    count(*) FILTER (WHERE r_1.is_payment) AS payments,
                    sum(r_1.amount) AS amount,
                    sum(r_1.processing_fee) AS processing_fee,
                    count(*) FILTER (WHERE r_1.is_sign_up) AS sign_ups,
                    COALESCE(sum(r_1.people), 0::numeric) AS people,
                    COALESCE(sum(GREATEST(
                        CASE
                            WHEN r_1.is_reply AND r_1.meaning = 'coming'::text THEN r_1.people
                            ELSE NULL::bigint
                        END,
                        CASE
                            WHEN r_1.is_payment AND COALESCE(r_1.amount, 0::numeric) >= 0::numeric AND r_1.meaning <> 'not_coming'::text THEN r_1.people
                            ELSE NULL::bigint
                        END,
                        CASE
                            WHEN r_1.is_sign_up AND r_1.meaning <> 'not_coming'::text THEN 1
                            ELSE NULL::integer
                        END::bigint, 0::bigint)), 0::numeric) AS expected_of_responses,
                    min(r_1.created_at) AS first_response_at,
                    max(r_1.created_at) AS last_response_at,
                    count(*) FILTER (WHERE r_1.created_at > (now() - '168:00:00'::interval) AND r_1.created_at <= now()) AS new_7d
                   FROM response r_1) by_event) r
     CROSS JOIN LATERAL ( SELECT count(DISTINCT h.response_id) FILTER (WHERE h.operation = 'update'::text AND r_1.id IS NOT NULL) AS edited_7d,
            count(DISTINCT h.response_id) FILTER (WHERE h.operation = 'delete'::text AND r_1.id IS NULL) AS withdrawn_7d
           FROM headcount.response_history h
             LEFT JOIN headcount.responses r_1 ON r_1.account_id = h.account_id AND r_1.event_id = h.event_id AND r_1.id = h.response_id
          WHERE h.account_id = e.account_id AND h.event_id = e.id AND h.valid_to > (now() - '168:00:00'::interval) AND h.valid_to <= now()) changed;

view events_without_personal -- The table events without personal data. For readers who must not see names, addresses and messages. Titles, descriptions and locations may contain a name.
  account_id integer -- The account (accounts.id).
  account text -- Name of the account.
  id text collate "C" -- Event identifier of the service.
  title text -- Event title.
  event_at timestamp with time zone -- When the event takes place.
  description text -- Free text.
  event_type text -- Kind of event as the service spells it.
  location text -- Free text.
  _first_seen_at timestamp with time zone -- When a run first stored this row; a row that comes back begins anew.
  _changed_at timestamp with time zone -- When a run last changed this row.
  _run_id bigint -- The run that stored the present version (sync_runs.id).
 SELECT e.account_id,
    a.name AS account,
    e.id,
    e.title,
    e.event_at,
    e.description,
    e.event_type,
    e.location,
    e._first_seen_at,
    e._changed_at,
    e._run_id
   FROM headcount.events e
     JOIN headcount.accounts a ON a.id = e.account_id
  WHERE ( SELECT COALESCE(current_setting('headcount.account'::text, true), ''::text) = ''::text) OR e.account_id = (( SELECT a_1.id
           FROM headcount.accounts a_1
          WHERE a_1.name = current_setting('headcount.account'::text, true)));

view list_status -- How each list stands: when it was checked, what is held, rejected or failing. One row an event, and one for the event list (event_id is empty).
  account_id integer -- The account (accounts.id).
  account text -- Name of the account.
  event_id text collate "C" -- The event (events.id).
  event_title text -- Event title.
  checked_at timestamp with time zone -- When the service last answered for the list: in full, or with "not modified".
  next_check_at timestamp with time zone -- When it is due again; NULL means at the next run.
  held integer -- Deletions kept back.
  held_since timestamp with time zone -- Since when the oldest of them.
  rejected bigint -- Items that cannot be stored and were not accepted.
  set_aside integer -- Fields that could not be stored in their column.
  failing boolean -- Whether the last reading failed.
  failed_at timestamp with time zone -- When it failed.
  error_code text -- Why it failed.
  error_message text -- The same in words.
  accepted bigint -- Items that cannot be stored, accepted by the owner (rejects accept).
  forgotten_at timestamp with time zone -- When names, addresses and messages of the responses were forgotten: they are stored without since then. NULL where they were not.
 SELECT s.account_id,
    a.name AS account,
    s.event_id,
    e.title AS event_title,
    s.checked_at,
    s.next_check_at,
    s.held_deletion_count AS held,
    s.held_deletions_since AS held_since,
    rejects.rejected,
    s.set_aside,
    s.error_code IS NOT NULL AS failing,
    s.failed_at,
    s.error_code,
    s.error_message,
    rejects.accepted,
    s.forgotten_at
   FROM headcount.sync_state s
     JOIN headcount.accounts a ON a.id = s.account_id
     LEFT JOIN headcount.events e ON e.account_id = s.account_id AND e.id = s.event_id
     CROSS JOIN LATERAL ( SELECT count(*) FILTER (WHERE k.sha256 IS NULL) AS rejected,
            count(k.sha256) AS accepted
           FROM headcount.rejects j
             LEFT JOIN headcount.accepted_rejects k ON k.account_id = j.account_id AND NOT k.event_id IS DISTINCT FROM j.event_id AND k.sha256 = j.sha256
          WHERE j.account_id = s.account_id AND NOT j.event_id IS DISTINCT FROM NULLIF(s.event_id, ''::text)) rejects
  WHERE ( SELECT COALESCE(current_setting('headcount.account'::text, true), ''::text) = ''::text) OR s.account_id = (( SELECT a_1.id
           FROM headcount.accounts a_1
          WHERE a_1.name = current_setting('headcount.account'::text, true)));

view list_status_without_personal -- The view list_status without error messages, which may quote what the service sent.
  account_id integer -- The account (accounts.id).
  account text -- Name of the account.
  event_id text collate "C" -- The event (events.id).
  event_title text -- Event title.
  checked_at timestamp with time zone -- When the service last answered for the list: in full, or with "not modified".
  next_check_at timestamp with time zone -- When it is due again; NULL means at the next run.
  held integer -- Deletions kept back.
  held_since timestamp with time zone -- Since when the oldest of them.
  rejected bigint -- Items that cannot be stored and were not accepted.
  set_aside integer -- Fields that could not be stored in their column.
  failing boolean -- Whether the last reading failed.
  failed_at timestamp with time zone -- When it failed.
  error_code text -- Why it failed.
  accepted bigint -- Items that cannot be stored, accepted by the owner (rejects accept).
  forgotten_at timestamp with time zone -- When names, addresses and messages of the responses were forgotten: they are stored without since then. NULL where they were not.
 SELECT account_id,
    account,
    event_id,
    event_title,
    checked_at,
    next_check_at,
    held,
    held_since,
    rejected,
    set_aside,
    failing,
    failed_at,
    error_code,
    accepted,
    forgotten_at
   FROM headcount.list_status;

view payment_summary -- What was paid, for each event with a payment. The service names no currency, no state and no time of a payment; refunds are negative amounts as they are sent.
  account_id integer -- The account (accounts.id).
  account text -- Name of the account.
  event_id text collate "C" -- The event (events.id).
  event_title text -- Event title.
  event_at timestamp with time zone -- When the event takes place.
  event_day date -- Day of the event in the zone of the account.
  payments bigint -- Responses with a payment.
  payers bigint -- Persons with a payment.
  without_amount bigint -- Payments whose amount is absent or was set aside.
  negative bigint -- Payments whose amount is below 0.
  amount numeric -- Sum of the amounts, exact; NULL when there is none. A payment that the service lowers or drops changes the original response. The service names no currency.
  processing_fee numeric -- Sum of the processing fees, exact; NULL when there is none.
  amount_after_fee numeric -- Amount minus fee. The service does not say whether the amount contains the fee.
  smallest_amount numeric -- The smallest amount.
  largest_amount numeric -- The largest amount.
  first_payment_at timestamp with time zone -- When the first of the responses was made.
  last_payment_at timestamp with time zone -- When the last of the responses was made.
 SELECT e.account_id,
    a.name AS account,
    e.id AS event_id,
    e.title AS event_title,
    e.event_at,
    (e.event_at AT TIME ZONE zone.name)::date AS event_day,
    p.payments,
    p.payers,
    p.without_amount,
    p.negative,
    p.amount,
    p.processing_fee,
        CASE
            WHEN p.amount IS NOT NULL OR p.processing_fee IS NOT NULL THEN COALESCE(p.amount, 0::numeric) - COALESCE(p.processing_fee, 0::numeric)
            ELSE NULL::numeric
        END AS amount_after_fee,
    p.smallest_amount,
    p.largest_amount,
    p.first_payment_at,
    p.last_payment_at
   FROM headcount.events e
     JOIN headcount.accounts a ON a.id = e.account_id AND (( SELECT COALESCE(current_setting('headcount.account'::text, true), ''::text) = ''::text) OR e.account_id = (( SELECT a_1.id
           FROM headcount.accounts a_1
          WHERE a_1.name = current_setting('headcount.account'::text, true))))
     CROSS JOIN LATERAL ( SELECT COALESCE(NULLIF(COALESCE(NULLIF(current_setting('headcount.time_zone'::text, true), ''::text), a.time_zone), 'UTC'::text), 'Z'::text) AS name) zone
     CROSS JOIN LATERAL ( SELECT count(*) AS payments,
            count(DISTINCT COALESCE(headcount.email_key(r.email), ' '::text || r.id)) AS payers,
            count(*) FILTER (WHERE p_1.amount IS NULL) AS without_amount,
            count(*) FILTER (WHERE p_1.amount < 0::numeric) AS negative,
            sum(p_1.amount) AS amount,
            sum(p_1.processing_fee) AS processing_fee,
            min(p_1.amount) AS smallest_amount,
            max(p_1.amount) AS largest_amount,
            min(r.created_at) AS first_payment_at,
            max(r.created_at) AS last_payment_at
           FROM headcount.payments p_1
             JOIN headcount.responses r ON r.account_id = e.account_id AND r.event_id = e.id AND r.id = p_1.response_id
          WHERE p_1.account_id = e.account_id AND p_1.event_id = e.id
         HAVING count(*) > 0) p;

view payments_by_month -- What was paid in each month. A payment belongs to the month in which its response was made, for the service does not say when it was paid. Months without a payment have no row.
  account_id integer -- The account (accounts.id).
  account text -- Name of the account.
  month date -- First day of the month, in the zone of the account; NULL for responses without a time.
  events bigint -- Different events.
  payments bigint -- Responses with a payment.
  without_amount bigint -- Payments whose amount is absent or was set aside.
  negative bigint -- Payments whose amount is below 0.
  amount numeric -- Sum of the amounts, exact; NULL when there is none. A payment that the service lowers or drops changes the original response. The service names no currency.
  processing_fee numeric -- Sum of the processing fees, exact; NULL when there is none.
  amount_after_fee numeric -- Amount minus fee. The service does not say whether the amount contains the fee.
 SELECT account_id,
    account,
    month,
    events,
    payments,
    without_amount,
    negative,
    amount,
    processing_fee,
        CASE
            WHEN amount IS NOT NULL OR processing_fee IS NOT NULL THEN COALESCE(amount, 0::numeric) - COALESCE(processing_fee, 0::numeric)
            ELSE NULL::numeric
        END AS amount_after_fee
   FROM ( SELECT p_1.account_id,
            a.name AS account,
            date_trunc('month'::text, (r.created_at AT TIME ZONE zone.name))::date AS month,
            count(DISTINCT p_1.event_id) AS events,
            count(*) AS payments,
            count(*) FILTER (WHERE p_1.amount IS NULL) AS without_amount,
            count(*) FILTER (WHERE p_1.amount < 0::numeric) AS negative,
            sum(p_1.amount) AS amount,
            sum(p_1.processing_fee) AS processing_fee
           FROM headcount.payments p_1
             JOIN headcount.responses r ON r.account_id = p_1.account_id AND r.event_id = p_1.event_id AND r.id = p_1.response_id
             JOIN headcount.accounts a ON a.id = p_1.account_id AND (( SELECT COALESCE(current_setting('headcount.account'::text, true), ''::text) = ''::text) OR p_1.account_id = (( SELECT a_1.id
                   FROM headcount.accounts a_1
                  WHERE a_1.name = current_setting('headcount.account'::text, true))))
             CROSS JOIN LATERAL ( SELECT COALESCE(NULLIF(COALESCE(NULLIF(current_setting('headcount.time_zone'::text, true), ''::text), a.time_zone), 'UTC'::text), 'Z'::text) AS name) zone
          GROUP BY p_1.account_id, a.name, (date_trunc('month'::text, (r.created_at AT TIME ZONE zone.name))::date)) p;

view respondents -- Each person over all events of the account, by e-mail key. Responses without one are not here: event_summary.without_email counts them.
  account_id integer -- The account (accounts.id).
  account text -- Name of the account.
  person_id text -- Pseudonym of the person within the account, made from the e-mail key and a secret; NULL without an e-mail key.
  email_key text -- The e-mail address by which a person is found (function email_key).
  name text -- Name in the person's latest response that has one.
  email text -- E-mail address in the person's latest response.
  names bigint -- Different names used.
  responses bigint -- Live responses of the person.
  events bigint -- Different events that the person answered.
  events_coming bigint -- Events for which the person is expected. Answers, not attendance.
  people numeric -- People of all responses of the person.
  sign_ups bigint -- Responses with at least one slot.
  payments bigint -- Responses with a payment.
  amount numeric -- Sum of the amounts, exact; NULL when there is none. A payment that the service lowers or drops changes the original response. The service names no currency.
  processing_fee numeric -- Sum of the processing fees, exact; NULL when there is none.
  amount_after_fee numeric -- Amount minus fee. The service does not say whether the amount contains the fee.
  first_response_at timestamp with time zone -- When the first of the responses was made.
  last_response_at timestamp with time zone -- When the last of the responses was made.
 SELECT p.account_id,
    a.name AS account,
    headcount_internal.person_id(( SELECT person_id_secret.secret
           FROM headcount.person_id_secret), p.account_id, p.email_key) AS person_id,
    p.email_key,
    p.name,
    p.email,
    p.names,
    p.responses,
    p.events,
    p.events_coming,
    p.people,
    p.sign_ups,
    p.payments,
    p.amount,
    p.processing_fee,
        CASE
            WHEN p.amount IS NOT NULL OR p.processing_fee IS NOT NULL THEN COALESCE(p.amount, 0::numeric) - COALESCE(p.processing_fee, 0::numeric)
            ELSE NULL::numeric
        END AS amount_after_fee,
    p.first_response_at,
    p.last_response_at
   FROM ( SELECT r.account_id,
            r.email_key,
            (array_agg(r.name ORDER BY r.created_at DESC NULLS LAST, r.id DESC, r.event_id DESC) FILTER (WHERE r.name IS NOT NULL))[1] AS name,
            (array_agg(r.email ORDER BY r.created_at DESC NULLS LAST, r.id DESC, r.event_id DESC) FILTER (WHERE r.email IS NOT NULL))[1] AS email,
            count(DISTINCT r.name) AS names,
            count(*) AS responses,
            count(*) FILTER (WHERE r.is_first_of_event) AS events,
            count(*) FILTER (WHERE r.is_first_of_event AND r.expected > 0::numeric) AS events_coming,
            COALESCE(sum(r.people), 0::numeric) AS people,
            count(*) FILTER (WHERE r.is_sign_up) AS sign_ups,
            count(*) FILTER (WHERE r.is_payment) AS payments,
            sum(r.amount) AS amount,
            sum(r.processing_fee) AS processing_fee,
            min(r.created_at) AS first_response_at,
            max(r.created_at) AS last_response_at
           FROM ( SELECT r_1.account_id,
                    r_1.event_id,
                    r_1.id,
                    r_1.kind,
                    r_1.name,
                    r_1.email,
                    r_1.rsvp,
                    r_1.quantity,
                    r_1.created_at,
                    r_1.email_key,
                    r_1.is_reply,
                    r_1.meaning,
                    r_1.is_payment,
                    r_1.amount,
                    r_1.processing_fee,
                    r_1.is_sign_up,
                    r_1.people,
                    GREATEST(sum(r_1.people) FILTER (WHERE r_1.is_reply AND r_1.meaning = 'coming'::text) OVER event, sum(r_1.people) FILTER (WHERE r_1.is_payment AND COALESCE(r_1.amount, 0::numeric) >= 0::numeric AND r_1.meaning <> 'not_coming'::text) OVER event, max(1) FILTER (WHERE r_1.is_sign_up AND r_1.meaning <> 'not_coming'::text) OVER event::numeric, 0::numeric) AS expected,
                    row_number() OVER event = 1 AS is_first_of_event
                   FROM ( SELECT r_2.account_id,
                            r_2.event_id,
                            r_2.id,
                            r_2.kind,
                            r_2.name,
                            r_2.email,
                            r_2.rsvp,
                            r_2.quantity,
                            r_2.created_at,
                            r_2.email_key,
                            r_2.is_reply,
                            r_2.meaning,
                            r_2.is_payment,
                            r_2.amount,
                            r_2.processing_fee,
                            r_2.is_sign_up,
                            headcount.people_of(r_2.kind, r_2.rsvp, r_2.meaning, r_2.quantity, r_2.is_sign_up) AS people
                           FROM ( SELECT r_3.account_id,
                                    r_3.event_id,
                                    r_3.id,
                                    r_3.kind,
                                    r_3.name,
                                    r_3.email,
                                    r_3.rsvp,
                                    r_3.quantity,
                                    r_3.created_at,
                                    headcount.email_key(r_3.email) AS email_key,
                                    r_3.rsvp IS NOT NULL OR (r_3.kind = ANY (ARRAY['reply'::text, 'bare'::text])) AS is_reply,
                                    COALESCE(m.meaning, 'unknown'::text) AS meaning,
                                    p_1.response_id IS NOT NULL AS is_payment,
                                    p_1.amount,
                                    p_1.processing_fee,
                                    (r_3.kind = ANY (ARRAY['signup'::text, 'mixed'::text])) AND (EXISTS ( SELECT
   FROM headcount.slots s
  WHERE s.account_id = r_3.account_id AND s.event_id = r_3.event_id AND s.response_id = r_3.id)) AS is_sign_up
                                   FROM headcount.responses r_3
                                     LEFT JOIN headcount.rsvp_meanings m ON m.value = r_3.rsvp
                                     LEFT JOIN headcount.payments p_1 ON p_1.account_id = r_3.account_id AND p_1.event_id = r_3.event_id AND p_1.response_id = r_3.id
                                  WHERE headcount.email_key(r_3.email) IS NOT NULL AND (( SELECT COALESCE(current_setting('headcount.account'::text, true), ''::text) = ''::text) OR r_3.account_id = (( SELECT a_1.id
   FROM headcount.accounts a_1
  WHERE a_1.name = current_setting('headcount.account'::text, true))))) r_2) r_1
                  WINDOW event AS (PARTITION BY r_1.account_id, r_1.email_key, r_1.event_id)) r
          GROUP BY r.account_id, r.email_key) p
     JOIN headcount.accounts a ON a.id = p.account_id;

view respondents_without_personal -- The view respondents without personal data. For readers who must not see names, addresses and messages.
  account_id integer -- The account (accounts.id).
  account text -- Name of the account.
  person_id text -- Pseudonym of the person within the account, made from the e-mail key and a secret; NULL without an e-mail key.
  responses bigint -- Live responses of the person.
  events bigint -- Different events that the person answered.
  events_coming bigint -- Events for which the person is expected. Answers, not attendance.
  people numeric -- People of all responses of the person.
  sign_ups bigint -- Responses with at least one slot.
  payments bigint -- Responses with a payment.
  amount numeric -- Sum of the amounts, exact; NULL when there is none. A payment that the service lowers or drops changes the original response. The service names no currency.
  processing_fee numeric -- Sum of the processing fees, exact; NULL when there is none.
  amount_after_fee numeric -- Amount minus fee. The service does not say whether the amount contains the fee.
  first_response_at timestamp with time zone -- When the first of the responses was made.
  last_response_at timestamp with time zone -- When the last of the responses was made.
 SELECT account_id,
    account,
    person_id,
    responses,
    events,
    events_coming,
    people,
    sign_ups,
    payments,
    amount,
    processing_fee,
    amount_after_fee,
    first_response_at,
    last_response_at
   FROM headcount.respondents;

view response_changes -- What changed when: one row for each field that an update changed, one for each response that came or went. Nothing from before the horizon of prune.
  account_id integer -- The account (accounts.id).
  account text -- Name of the account.
  event_id text collate "C" -- The event (events.id).
  response_id bigint -- The response (responses.id).
  changed_at timestamp with time zone -- When a run stored the change.
  change text -- insert (it came, or came back), update or delete (the service no longer returned it).
  field text -- The field that changed, as the service spells it; slots as a whole. NULL for insert and delete.
  old_value text -- What it was: text as it is, all else as JSON; NULL when the field was absent. Of a delete, the whole response as JSON.
  new_value text -- What it became. Of an insert, the whole response as JSON.
  event_title text -- Title of the event now, else the last one known.
  name text -- The name in the response now, else the last one known.
  initial boolean -- Whether this insert is only the first reading of what was there before the mirror, and no news; false of all else.
  run_id bigint -- The run that stored the change (sync_runs.id); NULL of inserts that were archived before migration 18, unless exactly one run of its time is known.
 SELECT c.account_id,
    a.name AS account,
    c.event_id,
    c.response_id,
    c.changed_at,
    c.change,
    changed.field,
        CASE c.change
            WHEN 'update'::text THEN c.former ->> changed.field
            ELSE c.former::text
        END AS old_value,
        CASE c.change
            WHEN 'update'::text THEN c.document ->> changed.field
            WHEN 'insert'::text THEN COALESCE(c.document, ( SELECT late.document
               FROM headcount.response_documents late
              WHERE late.account_id = c.account_id AND late.event_id = c.event_id AND late.response_id = c.response_id))::text
            ELSE NULL::text
        END AS new_value,
    (COALESCE(( SELECT ARRAY[e.title] AS "array"
           FROM headcount.events e
          WHERE e.account_id = c.account_id AND e.id = c.event_id), ( SELECT ARRAY[headcount_internal.stored_text(last.document -> 'title'::text)] AS "array"
           FROM headcount.event_history last
          WHERE last.account_id = c.account_id AND last.event_id = c.event_id
          ORDER BY last.valid_to DESC, last.ended_by_run_id DESC
         LIMIT 1)))[1] AS event_title,
        CASE
            WHEN r.id IS NOT NULL THEN r.name
            ELSE ( SELECT last.document ->> 'name'::text
               FROM headcount.response_history last
              WHERE last.account_id = c.account_id AND last.event_id = c.event_id AND last.response_id = c.response_id
              ORDER BY last.valid_to DESC, last.ended_by_run_id DESC
             LIMIT 1)
        END AS name,
    COALESCE(
        CASE
            WHEN c.change <> 'insert'::text THEN false
            WHEN c.run_id IS NULL THEN c.changed_at <= first_run.finished_at
            ELSE
            CASE
                WHEN c.run_id <= a.first_listed_run_id THEN NOT (EXISTS ( SELECT
                   FROM headcount.sync_state s
                  WHERE s.account_id = c.account_id AND s.event_id = c.event_id AND s.first_applied_run_id < c.run_id))
                ELSE (EXISTS ( SELECT
                   FROM headcount.sync_state s
                  WHERE s.account_id = c.account_id AND s.event_id = c.event_id AND s.first_applied_run_id = c.run_id AND s.first_listed_run_id <= a.first_listed_run_id))
            END
        END, false) AS initial,
    c.run_id
   FROM ( SELECT h.account_id,
            h.event_id,
            h.response_id,
            h.valid_to AS changed_at,
            'update'::text AS change,
                CASE
                    WHEN h.restated_fields IS NULL THEN h.document
                    ELSE ( SELECT (h.document - restated.fields) || (( SELECT COALESCE(jsonb_object_agg(field.key, field.value), '{}'::jsonb) AS "coalesce"
                               FROM jsonb_each(next.document) field(key, value)
                              WHERE field.key = ANY (restated.fields)))
                       FROM ( SELECT
                                    CASE
WHEN headcount_internal.slots_without_personal(h.document -> 'slots'::text) IS DISTINCT FROM headcount_internal.slots_without_personal(next.document -> 'slots'::text) THEN array_remove(h.restated_fields, 'slots'::text)
ELSE h.restated_fields
                                    END AS fields) restated)
                END AS former,
            next.document,
            h.ended_by_run_id AS run_id
           FROM headcount.response_history h
             CROSS JOIN LATERAL ( SELECT COALESCE(( SELECT later.document
                           FROM headcount.response_history later
                          WHERE later.account_id = h.account_id AND later.event_id = h.event_id AND later.response_id = h.response_id AND later.valid_from = h.valid_to AND ((ROW(later.valid_from, later.ended_by_run_id) > ROW(h.valid_from, h.ended_by_run_id)))
                          ORDER BY later.ended_by_run_id
                         LIMIT 1), ( SELECT now_live.document
                           FROM ( SELECT v.account_id,
                                    v.event_id,
                                    v.id AS response_id,
                                    d.document,
                                    v._changed_at,
                                    v._first_seen_at,
                                    v._run_id
                                   FROM headcount.responses v
                                     JOIN headcount.response_documents d ON d.account_id = v.account_id AND d.event_id = v.event_id AND d.response_id = v.id) now_live
                          WHERE now_live.account_id = h.account_id AND now_live.event_id = h.event_id AND now_live.response_id = h.response_id AND now_live._changed_at = h.valid_to)) AS document
                 OFFSET 0) next
          WHERE h.operation = 'update'::text
        UNION ALL
         SELECT h.account_id,
            h.event_id,
            h.response_id,
            h.valid_to,
            'delete'::text,
            h.document,
            NULL::jsonb,
            h.ended_by_run_id
           FROM headcount.response_history h
          WHERE h.operation = 'delete'::text
        UNION ALL
         SELECT h.account_id,
            h.event_id,
            h.response_id,
            h.valid_from,
            'insert'::text,
            NULL::jsonb,
            h.document,
            h.begun_by_run_id
           FROM headcount.response_history h
          WHERE NOT (EXISTS ( SELECT
                   FROM headcount.response_history before
                  WHERE before.account_id = h.account_id AND before.event_id = h.event_id AND before.response_id = h.response_id AND before.operation = 'update'::text AND before.valid_to = h.valid_from AND ((ROW(before.valid_from, before.ended_by_run_id) < ROW(h.valid_from, h.ended_by_run_id)))
                 OFFSET 0))
        UNION ALL
         SELECT l.account_id,
            l.event_id,
            l.response_id,
            l._changed_at,
            'insert'::text,
            NULL::jsonb,
            l.document,
            l._run_id
           FROM ( SELECT v.account_id,
                    v.event_id,
                    v.id AS response_id,
                    NULL::jsonb AS document,
                    v._changed_at,
                    v._first_seen_at,
                    v._run_id
                   FROM headcount.responses v) l
          WHERE l._changed_at = l._first_seen_at AND NOT (EXISTS ( SELECT
                   FROM headcount.response_history before
                  WHERE before.account_id = l.account_id AND before.event_id = l.event_id AND before.response_id = l.response_id AND before.operation = 'update'::text AND before.valid_to = l._changed_at
                 OFFSET 0))) c
     JOIN headcount.accounts a ON a.id = c.account_id AND c.changed_at > COALESCE(a._history_from, '-infinity'::timestamp with time zone)
     LEFT JOIN headcount.sync_runs first_run ON first_run.id = a.first_listed_run_id
     LEFT JOIN LATERAL ( SELECT key.field
           FROM jsonb_object_keys(
                CASE
                    WHEN c.change = 'update'::text THEN c.former || c.document
                    ELSE NULL::jsonb
                END) key(field)
          WHERE (c.former -> key.field) IS DISTINCT FROM (c.document -> key.field)) changed ON true
     LEFT JOIN headcount.responses r ON r.account_id = c.account_id AND r.event_id = c.event_id AND r.id = c.response_id
  WHERE (c.change <> 'update'::text OR changed.field IS NOT NULL) AND (( SELECT COALESCE(current_setting('headcount.account'::text, true), ''::text) = ''::text) OR c.account_id = (( SELECT a_1.id
           FROM headcount.accounts a_1
          WHERE a_1.name = current_setting('headcount.account'::text, true))));

view response_changes_without_personal -- The view response_changes without personal data: only fields that the specification names, and of inserts and deletes no values. For readers who must not see names, addresses and messages.
  account_id integer -- The account (accounts.id).
  account text -- Name of the account.
  event_id text collate "C" -- The event (events.id).
  response_id bigint -- The response (responses.id).
  changed_at timestamp with time zone -- When a run stored the change.
  change text -- insert (it came, or came back), update or delete (the service no longer returned it).
  field text -- The field that changed; slots as a whole. NULL for insert and delete.
  old_value text -- What it was: text as it is, all else as JSON; NULL for insert and delete.
  new_value text -- What it became; NULL for insert and delete.
  event_title text -- Title of the event now, else the last one known.
  initial boolean -- Whether this insert is only the first reading of what was there before the mirror, and no news; false of all else.
  run_id bigint -- The run that stored the change (sync_runs.id); NULL of inserts that were archived before migration 18, unless exactly one run of its time is known.
 SELECT c.account_id,
    c.account,
    c.event_id,
    c.response_id,
    c.changed_at,
    c.change,
    field.name AS field,
    item.former ->> field.name AS old_value,
    item.record ->> field.name AS new_value,
    c.event_title,
    c.initial,
    c.run_id
   FROM headcount.changes c
     CROSS JOIN LATERAL ( SELECT headcount_internal.item_without_personal(
                CASE
                    WHEN c.change = 'update'::text THEN c.former
                    ELSE NULL::jsonb
                END) AS former,
            headcount_internal.item_without_personal(
                CASE
                    WHEN c.change = 'update'::text THEN c.record
                    ELSE NULL::jsonb
                END) AS record
         OFFSET 0) item
     LEFT JOIN LATERAL unnest(c.fields) field(name) ON field.name = ANY (ARRAY['id'::text, 'title'::text, 'event_at'::text, 'description'::text, 'event_type'::text, 'location'::text, 'quantity'::text, 'rsvp'::text, 'created_at'::text, 'updated_at'::text, 'amount'::text, 'processing_fee'::text, 'slots'::text])
  WHERE c.entity = 'response'::text AND (c.change <> 'update'::text OR (item.former ->> field.name) IS DISTINCT FROM (item.record ->> field.name));

view response_details -- Responses with their event's title and time, their payment and the number of their slots.
  account_id integer -- The account (accounts.id).
  event_id text collate "C" -- The event (events.id).
  event_title text -- Event title.
  event_at timestamp with time zone -- When the event takes place.
  response_id bigint -- The response (responses.id).
  kind text -- Shape of the item: reply, payment, signup, mixed or bare.
  name text -- Name of the respondent.
  email text -- E-mail address of the respondent.
  message text -- Free text left by the respondent.
  quantity bigint -- Number of people or units.
  rsvp text -- The reply as the service spells it.
  amount numeric -- Amount paid.
  processing_fee numeric -- Processing fee.
  slot_count bigint -- Number of slots.
  created_at timestamp with time zone -- When the response was made, by the service.
  updated_at timestamp with time zone -- When the response was last changed, by the service.
 SELECT r.account_id,
    r.event_id,
    e.title AS event_title,
    e.event_at,
    r.id AS response_id,
    r.kind,
    r.name,
    r.email,
    r.message,
    r.quantity,
    r.rsvp,
    p.amount,
    p.processing_fee,
    ( SELECT count(*) AS count
           FROM headcount.slots s
          WHERE s.account_id = r.account_id AND s.event_id = r.event_id AND s.response_id = r.id) AS slot_count,
    r.created_at,
    r.updated_at
   FROM headcount.responses r
     LEFT JOIN headcount.events e ON e.account_id = r.account_id AND e.id = r.event_id
     LEFT JOIN headcount.payments p ON p.account_id = r.account_id AND p.event_id = r.event_id AND p.response_id = r.id
  WHERE ( SELECT COALESCE(current_setting('headcount.account'::text, true), ''::text) = ''::text) OR r.account_id = (( SELECT a.id
           FROM headcount.accounts a
          WHERE a.name = current_setting('headcount.account'::text, true)));

view response_details_without_personal -- The view response_details without personal data. For readers who must not see names, addresses and messages.
  account_id integer -- The account (accounts.id).
  account text -- Name of the account.
  event_id text collate "C" -- The event (events.id).
  event_title text -- Event title.
  event_at timestamp with time zone -- When the event takes place.
  response_id bigint -- The response (responses.id).
  kind text -- Shape of the item: reply, payment, signup, mixed or bare.
  quantity bigint -- Number of people or units.
  rsvp text -- The reply as the service spells it.
  amount numeric -- Amount paid.
  processing_fee numeric -- Processing fee.
  slot_count bigint -- Number of slots.
  created_at timestamp with time zone -- When the response was made, by the service.
  updated_at timestamp with time zone -- When the response was last changed, by the service.
  person_id text -- Pseudonym of the person within the account, made from the e-mail key and a secret; NULL without an e-mail key.
 SELECT d.account_id,
    a.name AS account,
    d.event_id,
    d.event_title,
    d.event_at,
    d.response_id,
    d.kind,
    d.quantity,
    d.rsvp,
    d.amount,
    d.processing_fee,
    d.slot_count,
    d.created_at,
    d.updated_at,
    headcount_internal.person_id(( SELECT person_id_secret.secret
           FROM headcount.person_id_secret), d.account_id, headcount.email_key(d.email)) AS person_id
   FROM headcount.response_details d
     JOIN headcount.accounts a ON a.id = d.account_id;

view response_documents -- Each live response as one document with its payment and its slots, as the service sends it: what history keeps of a version.
  account_id integer -- The account (accounts.id).
  event_id text collate "C" -- The event (events.id).
  response_id bigint -- The response (responses.id).
  document jsonb -- The item, with its time stamps in UTC and what stands in _extra.
  _changed_at timestamp with time zone -- When this version began (responses._changed_at).
  _run_id bigint -- The run that stored this version (responses._run_id).
 SELECT r.account_id,
    r.event_id,
    r.id AS response_id,
    (jsonb_strip_nulls(jsonb_build_object('id', r.id, 'name', r.name, 'email', r.email, 'message', r.message, 'quantity', r.quantity, 'rsvp', r.rsvp, 'created_at', headcount_internal.iso_utc(r.created_at), 'updated_at', headcount_internal.iso_utc(r.updated_at), 'amount', p.amount::text, 'processing_fee', p.processing_fee::text)) ||
        CASE
            WHEN slots.document IS NOT NULL THEN jsonb_build_object('slots', slots.document)
            WHEN r.kind = 'signup'::text THEN '{"slots": []}'::jsonb
            ELSE '{}'::jsonb
        END) || COALESCE(r._extra, '{}'::jsonb) AS document,
    r._changed_at,
    r._run_id
   FROM headcount.responses r
     LEFT JOIN headcount.payments p ON p.account_id = r.account_id AND p.event_id = r.event_id AND p.response_id = r.id
     CROSS JOIN LATERAL ( SELECT jsonb_agg(jsonb_strip_nulls(jsonb_build_object('name', s.name, 'start_date', headcount_internal.iso_offset(s.start_date, s.start_local), 'end_date', headcount_internal.iso_offset(s.end_date, s.end_local))) || COALESCE(s._extra, '{}'::jsonb) ORDER BY s."position") AS document
           FROM headcount.slots s
          WHERE s.account_id = r.account_id AND s.event_id = r.event_id AND s.response_id = r.id) slots;

view response_pace -- How the responses to an event came and went, one row a day on which something happened. A response counts with its present people, one that was withdrawn with its last. Nothing is known of what was withdrawn before the first run.
  account_id integer -- The account (accounts.id).
  account text -- Name of the account.
  event_id text collate "C" -- The event (events.id).
  event_title text -- Event title.
  event_day date -- Day of the event in the zone of the account.
  day date -- Day in the zone of the account.
  days_before integer -- Days from this day to the event; negative after it, NULL without a time.
  new_responses bigint -- Responses made on this day, also those withdrawn later.
  withdrawn_responses bigint -- Responses withdrawn on this day.
  new_people numeric -- People of the new responses.
  withdrawn_people numeric -- People of the responses withdrawn.
  responses_so_far bigint -- New minus withdrawn responses up to this day.
  people_so_far numeric -- The same in people; on the last day as event_summary.people.
  known_since date -- Withdrawals before this day are unknown: the first run, or the horizon of prune.
 SELECT e.account_id,
    a.name AS account,
    e.id AS event_id,
    e.title AS event_title,
    d.event_day,
    d.day,
    d.event_day - d.day AS days_before,
    d.new_responses,
    d.withdrawn_responses,
    d.new_people,
    d.withdrawn_people,
    d.responses_so_far,
    d.people_so_far,
    d.known_since
   FROM headcount.events e
     JOIN headcount.accounts a ON a.id = e.account_id AND (( SELECT COALESCE(current_setting('headcount.account'::text, true), ''::text) = ''::text) OR e.account_id = (( SELECT a_1.id
           FROM headcount.accounts a_1
          WHERE a_1.name = current_setting('headcount.account'::text, true))))
     CROSS JOIN LATERAL ( SELECT COALESCE(NULLIF(COALESCE(NULLIF(current_setting('headcount.time_zone'::text, true), ''::text), a.time_zone), 'UTC'::text), 'Z'::text) AS name) zone
     LEFT JOIN headcount.sync_runs first_run ON first_run.id = a.first_listed_run_id
     CROSS JOIN LATERAL ( SELECT (e.event_at AT TIME ZONE zone.name)::date AS event_day,
            (GREATEST(first_run.started_at, a._history_from) AT TIME ZONE zone.name)::date AS known_since
         OFFSET 0) of_event
     CROSS JOIN LATERAL ( SELECT of_event.event_day,
            of_event.known_since,
            c.day,
            c.new_responses,
            c.withdrawn_responses,
            c.new_people,
            c.withdrawn_people,
            sum(c.new_responses - c.withdrawn_responses) OVER so_far::bigint AS responses_so_far,
            sum(c.new_people - c.withdrawn_people) OVER so_far AS people_so_far
           FROM ( SELECT COALESCE(live.day, gone.day) AS day,
                    COALESCE(live.responses, 0::bigint) + COALESCE(gone.new_responses, 0::bigint) AS new_responses,
                    COALESCE(gone.withdrawn_responses, 0::bigint) AS withdrawn_responses,
                    COALESCE(live.people, 0::numeric) + COALESCE(gone.new_people, 0::numeric) AS new_people,
                    COALESCE(gone.withdrawn_people, 0::numeric) AS withdrawn_people
                   FROM ( SELECT r.day,
                            count(*) AS responses,
                            sum(r.people) AS people
                           FROM ( SELECT (COALESCE(r_1.created_at, r_1._first_seen_at) AT TIME ZONE zone.name)::date AS day,
                                    headcount.people_of(r_1.kind, r_1.rsvp,
CASE
 WHEN (r_1.rsvp IN ( SELECT m.value
    FROM headcount.rsvp_meanings m
   WHERE m.meaning = 'not_coming'::text)) THEN 'not_coming'::text
 ELSE NULL::text
END, r_1.quantity, s.response_id IS NOT NULL) AS people
                                   FROM headcount.responses r_1
                                     LEFT JOIN ( SELECT DISTINCT s_1.response_id
   FROM headcount.slots s_1
  WHERE s_1.account_id = e.account_id AND s_1.event_id = e.id) s ON s.response_id = r_1.id
                                  WHERE r_1.account_id = e.account_id AND r_1.event_id = e.id) r
                          GROUP BY r.day) live
                     FULL JOIN ( SELECT change.day,
                            count(*) FILTER (WHERE change.is_new) AS new_responses,
                            count(*) FILTER (WHERE NOT change.is_new) AS withdrawn_responses,
                            sum(w.people) FILTER (WHERE change.is_new) AS new_people,
                            sum(w.people) FILTER (WHERE NOT change.is_new) AS withdrawn_people
                           FROM ( SELECT last.document,
                                    last.valid_to AS withdrawn_at,
                                    COALESCE(headcount_internal.stored_instant(last.document -> 'created_at'::text), last.seen_at) AS created_at,
                                    headcount.people_of(headcount_internal.kind_of(last.document), last.rsvp, m.meaning, headcount_internal.stored_bigint(last.document -> 'quantity'::text), jsonb_array_length(headcount_internal.stored_slots(last.document -> 'slots'::text)) > 0) AS people
                                   FROM ( SELECT DISTINCT ON (h.response_id) h.document,
    h.operation,
    h.valid_to,
    headcount_internal.stored_text(h.document -> 'rsvp'::text) AS rsvp,
    min(h.valid_from) OVER (PARTITION BY h.response_id) AS seen_at
   FROM headcount.response_history h
  WHERE h.account_id = e.account_id AND h.event_id = e.id AND NOT (EXISTS ( SELECT
     FROM headcount.responses r
    WHERE r.account_id = e.account_id AND r.event_id = e.id AND r.id = h.response_id))
  ORDER BY h.response_id, h.valid_to DESC, h.ended_by_run_id DESC) last
                                     LEFT JOIN headcount.rsvp_meanings m ON m.value = last.rsvp
                                  WHERE last.operation = 'delete'::text) w
                             CROSS JOIN LATERAL ( VALUES (true,(w.created_at AT TIME ZONE zone.name)::date), (false,(w.withdrawn_at AT TIME ZONE zone.name)::date)) change(is_new, day)
                          GROUP BY change.day) gone ON gone.day = live.day) c
          WINDOW so_far AS (ORDER BY c.day)) d;

view responses_without_personal -- The table responses without personal data, with a pseudonym of the person. For readers who must not see names, addresses and messages.
  account_id integer -- The account (accounts.id).
  account text -- Name of the account.
  event_id text collate "C" -- The event (events.id).
  id bigint -- Response identifier of the service, unique within its event.
  kind text -- Shape of the item: reply, payment, signup, mixed or bare.
  quantity bigint -- Number of people or units.
  rsvp text -- The reply as the service spells it.
  created_at timestamp with time zone -- When the response was made, by the service.
  updated_at timestamp with time zone -- When the response was last changed, by the service.
  _first_seen_at timestamp with time zone -- When a run first stored this row; a row that comes back begins anew.
  _changed_at timestamp with time zone -- When a run last changed this row.
  _run_id bigint -- The run that stored the present version (sync_runs.id).
  person_id text -- Pseudonym of the person within the account, made from the e-mail key and a secret; NULL without an e-mail key.
 SELECT r.account_id,
    a.name AS account,
    r.event_id,
    r.id,
    r.kind,
    r.quantity,
    r.rsvp,
    r.created_at,
    r.updated_at,
    r._first_seen_at,
    r._changed_at,
    r._run_id,
    headcount_internal.person_id(( SELECT person_id_secret.secret
           FROM headcount.person_id_secret), r.account_id, headcount.email_key(r.email)) AS person_id
   FROM headcount.responses r
     JOIN headcount.accounts a ON a.id = r.account_id
  WHERE ( SELECT COALESCE(current_setting('headcount.account'::text, true), ''::text) = ''::text) OR r.account_id = (( SELECT a_1.id
           FROM headcount.accounts a_1
          WHERE a_1.name = current_setting('headcount.account'::text, true)));

view rsvp_values -- The values of rsvp that live responses have, with their meaning.
  account_id integer -- The account (accounts.id).
  account text -- Name of the account.
  value text -- The reply as the service spells it (responses.rsvp).
  responses bigint -- Live responses with this value.
  meaning text -- coming, maybe or not_coming, as rsvp_meanings says; unknown when it says nothing.
 SELECT v.account_id,
    a.name AS account,
    v.value,
    v.responses,
    COALESCE(m.meaning, 'unknown'::text) AS meaning
   FROM ( SELECT r.account_id,
            r.rsvp AS value,
            count(*) AS responses
           FROM headcount.responses r
          WHERE r.rsvp IS NOT NULL AND (( SELECT COALESCE(current_setting('headcount.account'::text, true), ''::text) = ''::text) OR r.account_id = (( SELECT a_1.id
                   FROM headcount.accounts a_1
                  WHERE a_1.name = current_setting('headcount.account'::text, true))))
          GROUP BY r.account_id, r.rsvp) v
     JOIN headcount.accounts a ON a.id = v.account_id
     LEFT JOIN headcount.rsvp_meanings m ON m.value = v.value;

view run_summary -- The runs with their counts, without what they say of single items.
  account_id integer -- The account (accounts.id).
  account text -- Name of the account.
  run_id bigint -- Number of the run.
  mode text -- sync or backfill.
  status text -- running, succeeded, partial, held, failed, interrupted, or abandoned (taken over by a later run).
  started_at timestamp with time zone -- When it started.
  finished_at timestamp with time zone -- When it ended.
  events_listed bigint -- Events that the service listed.
  events_due bigint -- Events whose list was due.
  events_changed bigint -- Events whose rows changed.
  events_failed bigint -- Events whose list could not be read or stored.
  responses_inserted bigint -- Responses that came.
  responses_updated bigint -- Responses that changed.
  responses_deleted bigint -- Responses that the service no longer returned.
  held bigint -- Deletions kept back.
  rejected bigint -- Items that cannot be stored.
  set_aside bigint -- Fields that could not be stored in their column.
 SELECT r.account_id,
    a.name AS account,
    r.id AS run_id,
    r.mode,
    r.status,
    r.started_at,
    r.finished_at,
    (r.report #>> '{events,listed}'::text[])::bigint AS events_listed,
    (r.report #>> '{events,due}'::text[])::bigint AS events_due,
    (r.report #>> '{events,changed}'::text[])::bigint AS events_changed,
    (r.report #>> '{events,failed}'::text[])::bigint AS events_failed,
    (r.report #>> '{rows,responses,inserted}'::text[])::bigint AS responses_inserted,
    (r.report #>> '{rows,responses,updated}'::text[])::bigint AS responses_updated,
    (r.report #>> '{rows,responses,deleted}'::text[])::bigint AS responses_deleted,
    (r.report #>> '{held}'::text[])::bigint AS held,
    (r.report #>> '{rejected}'::text[])::bigint AS rejected,
    (r.report #>> '{set_aside}'::text[])::bigint AS set_aside
   FROM headcount.sync_runs r
     JOIN headcount.accounts a ON a.id = r.account_id
  WHERE (r.mode = ANY (ARRAY['sync'::text, 'backfill'::text])) AND (( SELECT COALESCE(current_setting('headcount.account'::text, true), ''::text) = ''::text) OR r.account_id = (( SELECT a_1.id
           FROM headcount.accounts a_1
          WHERE a_1.name = current_setting('headcount.account'::text, true))));

view set_aside -- Fields whose value does not fit their column, as the service sends them now. Characters that were replaced by U+FFFD are counted as set aside too, but stand in their column.
  account_id integer -- The account (accounts.id).
  event_id text collate "C" -- The event (events.id).
  response_id bigint -- The response (responses.id); NULL for a field of the event itself.
  position integer -- The slot (slots.position); NULL for a field outside the slots.
  field text -- The field.
  value jsonb -- Its value as sent.
 SELECT e.account_id,
    e.id AS event_id,
    NULL::bigint AS response_id,
    NULL::integer AS "position",
    key.field,
    e._extra -> key.field AS value
   FROM headcount.events e
     CROSS JOIN unnest('{title,event_at,description,event_type,location}'::text[]) key(field)
  WHERE e._extra ? key.field AND (( SELECT COALESCE(current_setting('headcount.account'::text, true), ''::text) = ''::text) OR e.account_id = (( SELECT a.id
           FROM headcount.accounts a
          WHERE a.name = current_setting('headcount.account'::text, true))))
UNION ALL
 SELECT r.account_id,
    r.event_id,
    r.id AS response_id,
    NULL::integer AS "position",
    key.field,
    r._extra -> key.field AS value
   FROM headcount.responses r
     CROSS JOIN unnest('{name,email,message,quantity,rsvp,created_at,updated_at,amount,processing_fee,slots}'::text[]) key(field)
  WHERE r._extra ? key.field AND (( SELECT COALESCE(current_setting('headcount.account'::text, true), ''::text) = ''::text) OR r.account_id = (( SELECT a.id
           FROM headcount.accounts a
          WHERE a.name = current_setting('headcount.account'::text, true))))
UNION ALL
 SELECT s.account_id,
    s.event_id,
    s.response_id,
    s."position",
    key.field,
    s._extra -> key.field AS value
   FROM headcount.slots s
     CROSS JOIN unnest('{name,start_date,end_date}'::text[]) key(field)
  WHERE s._extra ? key.field AND (( SELECT COALESCE(current_setting('headcount.account'::text, true), ''::text) = ''::text) OR s.account_id = (( SELECT a.id
           FROM headcount.accounts a
          WHERE a.name = current_setting('headcount.account'::text, true))));

view similar_events -- Which earlier events an event is compared with: at most three, with the same type, a response, and the same title when digits and white space are left out.
  account_id integer -- The account (accounts.id).
  account text -- Name of the account.
  event_id text collate "C" -- The event (events.id).
  similar_event_id text collate "C" -- The earlier event (events.id).
  similar_event_title text -- Its title.
  similar_event_at timestamp with time zone -- When it took place.
  rank integer -- 1 is the latest.
 SELECT e.account_id,
    a.name AS account,
    e.id AS event_id,
    former.id AS similar_event_id,
    former.title AS similar_event_title,
    former.event_at AS similar_event_at,
    former.rank
   FROM headcount.events e
     JOIN headcount.accounts a ON a.id = e.account_id AND (( SELECT COALESCE(current_setting('headcount.account'::text, true), ''::text) = ''::text) OR e.account_id = (( SELECT a_1.id
           FROM headcount.accounts a_1
          WHERE a_1.name = current_setting('headcount.account'::text, true))))
     CROSS JOIN LATERAL ( SELECT f.id,
            f.title,
            f.event_at,
            row_number() OVER (ORDER BY f.event_at DESC, f.id)::integer AS rank
           FROM headcount.events f
          WHERE f.account_id = e.account_id AND f.event_at < e.event_at AND headcount_internal.series_of(f.event_type, f.title) = headcount_internal.series_of(e.event_type, e.title) AND (EXISTS ( SELECT
                   FROM headcount.responses r
                  WHERE r.account_id = f.account_id AND r.event_id = f.id))
          ORDER BY f.event_at DESC, f.id
         LIMIT 3) former;

view slot_summary -- Each slot that somebody takes: event, name, start and end. A slot that nobody ever took is in no response, so not here.
  account_id integer -- The account (accounts.id).
  account text -- Name of the account.
  event_id text collate "C" -- The event (events.id).
  event_title text -- Event title.
  event_at timestamp with time zone -- When the event takes place.
  slot_name text -- Slot label.
  start_date timestamp with time zone -- Start as an instant.
  end_date timestamp with time zone -- End as an instant.
  start_local timestamp without time zone -- Start on the wall clock as sent; the earliest where offsets differ.
  end_local timestamp without time zone -- End on the wall clock as sent; the earliest where offsets differ.
  sign_ups bigint -- Different responses that take the slot.
  respondents bigint -- Different persons.
  people numeric -- People of these responses. The quantity belongs to the whole response: never add people over slots. The service may count units.
  wanted integer -- People wanted: slot_targets, else 2.
  is_upcoming boolean -- Whether the slot starts after now; NULL without a start.
  last_sign_up_at timestamp with time zone -- When the last of these responses was made.
 SELECT e.account_id,
    a.name AS account,
    e.id AS event_id,
    e.title AS event_title,
    e.event_at,
    s.slot_name,
    s.start_date,
    s.end_date,
    s.start_local,
    s.end_local,
    s.sign_ups,
    s.respondents,
    s.people,
    COALESCE(
        CASE
            WHEN ( SELECT (EXISTS ( SELECT
                       FROM headcount.slot_targets)) AS "exists") THEN ( SELECT t.wanted
               FROM headcount.slot_targets t
              WHERE t.account_id = e.account_id AND (t.event_id IS NULL OR t.event_id = e.id) AND (t.slot_name IS NULL OR t.slot_name = s.slot_name)
              ORDER BY (t.slot_name IS NULL), (t.event_id IS NULL)
             LIMIT 1)
            ELSE NULL::integer
        END, 2) AS wanted,
    s.start_date > now() AS is_upcoming,
    s.last_sign_up_at
   FROM headcount.events e
     JOIN headcount.accounts a ON a.id = e.account_id AND (( SELECT COALESCE(current_setting('headcount.account'::text, true), ''::text) = ''::text) OR e.account_id = (( SELECT a_1.id
           FROM headcount.accounts a_1
          WHERE a_1.name = current_setting('headcount.account'::text, true))))
     CROSS JOIN LATERAL ( SELECT COALESCE(NULLIF(current_setting('headcount.time_zone'::text, true), ''::text), a.time_zone) AS name) zone
     CROSS JOIN LATERAL ( SELECT s_1.slot_name,
            s_1.start_date,
            s_1.end_date,
            min(s_1.start_local) AS start_local,
            min(s_1.end_local) AS end_local,
            count(*) AS sign_ups,
            count(DISTINCT COALESCE(r.email_key, ' '::text || r.id)) AS respondents,
            COALESCE(sum(r.people), 0::numeric) AS people,
            max(r.created_at) AS last_sign_up_at
           FROM ( SELECT s_2.response_id,
                    s_2.name AS slot_name,
                    s_2.start_date,
                    s_2.end_date,
                    min(s_2.start_local) AS start_local,
                    min(s_2.end_local) AS end_local
                   FROM headcount.slots s_2
                  WHERE s_2.account_id = e.account_id AND s_2.event_id = e.id
                  GROUP BY s_2.response_id, s_2.name, s_2.start_date, s_2.end_date) s_1
             JOIN ( SELECT r_1.id,
                    r_1.created_at,
                    headcount.email_key(r_1.email) AS email_key,
                    headcount.people_of(r_1.kind, r_1.rsvp,
                        CASE
                            WHEN r_1.rsvp IS NOT NULL THEN ( SELECT m.meaning
                               FROM headcount.rsvp_meanings m
                              WHERE m.value = r_1.rsvp)
                            ELSE NULL::text
                        END, r_1.quantity, true) AS people
                   FROM headcount.responses r_1
                  WHERE r_1.account_id = e.account_id AND r_1.event_id = e.id AND (r_1.kind = ANY (ARRAY['signup'::text, 'mixed'::text]))
                 OFFSET 0) r ON r.id = s_1.response_id
          GROUP BY s_1.slot_name, s_1.start_date, s_1.end_date) s;

view slots_without_personal -- The table slots without personal data. For readers who must not see names, addresses and messages. The name of a slot may contain a name.
  account_id integer -- The account (accounts.id).
  account text -- Name of the account.
  event_id text collate "C" -- The event (events.id).
  response_id bigint -- The response (responses.id).
  position integer -- Place in the response's list of slots, from 1.
  name text -- Slot label.
  start_date timestamp with time zone -- Start as an instant.
  end_date timestamp with time zone -- End as an instant.
  start_local timestamp without time zone -- Start on the wall clock as sent.
  end_local timestamp without time zone -- End on the wall clock as sent.
 SELECT s.account_id,
    a.name AS account,
    s.event_id,
    s.response_id,
    s."position",
    s.name,
    s.start_date,
    s.end_date,
    s.start_local,
    s.end_local
   FROM headcount.slots s
     JOIN headcount.accounts a ON a.id = s.account_id
  WHERE ( SELECT COALESCE(current_setting('headcount.account'::text, true), ''::text) = ''::text) OR s.account_id = (( SELECT a_1.id
           FROM headcount.accounts a_1
          WHERE a_1.name = current_setting('headcount.account'::text, true)));

view thin_slots -- Slots of the next 56 days that need people: fewer than slot_targets wants, else fewer than 2. Also slots that nobody takes since their last sign-up was withdrawn. A slot that nobody ever took is in no response; one that its holders exchanged for another is not reported, for a renamed slot looks the same.
  account_id integer -- The account (accounts.id).
  account text -- Name of the account.
  event_id text collate "C" -- The event (events.id).
  event_title text -- Event title.
  event_at timestamp with time zone -- When the event takes place.
  slot_name text -- Slot label.
  start_date timestamp with time zone -- Start as an instant.
  end_date timestamp with time zone -- End as an instant.
  start_local timestamp without time zone -- Start on the wall clock as sent; the earliest where offsets differ.
  end_local timestamp without time zone -- End on the wall clock as sent; the earliest where offsets differ.
  sign_ups bigint -- Different responses that take the slot.
  respondents bigint -- Different persons.
  people numeric -- People of these responses. The quantity belongs to the whole response: never add people over slots. The service may count units.
  wanted integer -- People wanted: slot_targets, else 2.
  last_sign_up_at timestamp with time zone -- When the last of these responses was made.
  missing numeric -- People wanted minus people.
  emptied_at timestamp with time zone -- When the last sign-up was withdrawn; NULL if somebody still takes the slot.
 SELECT account_id,
    account,
    event_id,
    event_title,
    event_at,
    slot_name,
    start_date,
    end_date,
    start_local,
    end_local,
    sign_ups,
    respondents,
    people,
    wanted,
    last_sign_up_at,
    wanted::numeric - people AS missing,
    emptied_at
   FROM ( SELECT e.account_id,
            a.name AS account,
            e.id AS event_id,
            e.title AS event_title,
            e.event_at,
            s_1.slot_name,
            s_1.start_date,
            s_1.end_date,
            s_1.start_local,
            s_1.end_local,
            s_1.sign_ups,
            s_1.respondents,
            s_1.people,
            s_1.last_sign_up_at,
            s_1.emptied_at,
            COALESCE(
                CASE
                    WHEN ( SELECT (EXISTS ( SELECT
                               FROM headcount.slot_targets)) AS "exists") THEN ( SELECT t.wanted
                       FROM headcount.slot_targets t
                      WHERE t.account_id = e.account_id AND (t.event_id IS NULL OR t.event_id = e.id) AND (t.slot_name IS NULL OR t.slot_name = s_1.slot_name)
                      ORDER BY (t.slot_name IS NULL), (t.event_id IS NULL)
                     LIMIT 1)
                    ELSE NULL::integer
                END, 2) AS wanted
           FROM headcount.events e
             JOIN headcount.accounts a ON a.id = e.account_id AND (( SELECT COALESCE(current_setting('headcount.account'::text, true), ''::text) = ''::text) OR e.account_id = (( SELECT a_1.id
                   FROM headcount.accounts a_1
                  WHERE a_1.name = current_setting('headcount.account'::text, true))))
             CROSS JOIN LATERAL ( SELECT COALESCE(NULLIF(current_setting('headcount.time_zone'::text, true), ''::text), a.time_zone) AS name) zone
             CROSS JOIN LATERAL ( SELECT taken.slot_name,
                    taken.start_date,
                    taken.end_date,
                    taken.start_local,
                    taken.end_local,
                    taken.sign_ups,
                    taken.respondents,
                    taken.people,
                    taken.last_sign_up_at,
                    NULL::timestamp with time zone AS emptied_at
                   FROM ( SELECT s_2.slot_name,
                            s_2.start_date,
                            s_2.end_date,
                            min(s_2.start_local) AS start_local,
                            min(s_2.end_local) AS end_local,
                            count(*) AS sign_ups,
                            count(DISTINCT COALESCE(r.email_key, ' '::text || r.id)) AS respondents,
                            COALESCE(sum(r.people), 0::numeric) AS people,
                            max(r.created_at) AS last_sign_up_at
                           FROM ( SELECT s_3.response_id,
                                    s_3.name AS slot_name,
                                    s_3.start_date,
                                    s_3.end_date,
                                    min(s_3.start_local) AS start_local,
                                    min(s_3.end_local) AS end_local
                                   FROM headcount.slots s_3
                                  WHERE s_3.account_id = e.account_id AND s_3.event_id = e.id
                                  GROUP BY s_3.response_id, s_3.name, s_3.start_date, s_3.end_date) s_2
                             JOIN ( SELECT r_1.id,
                                    r_1.created_at,
                                    headcount.email_key(r_1.email) AS email_key,
                                    headcount.people_of(r_1.kind, r_1.rsvp, m.meaning, r_1.quantity, true) AS people
                                   FROM headcount.responses r_1
                                     LEFT JOIN headcount.rsvp_meanings m ON m.value = r_1.rsvp
                                  WHERE r_1.account_id = e.account_id AND r_1.event_id = e.id AND (r_1.kind = ANY (ARRAY['signup'::text, 'mixed'::text]))
                                 OFFSET 0) r ON r.id = s_2.response_id
                          GROUP BY s_2.slot_name, s_2.start_date, s_2.end_date) taken
                UNION ALL
                 SELECT emptied.slot_name,
                    emptied.start_date,
                    emptied.end_date,
                    emptied.start_local,
                    emptied.end_local,
                    0,
                    0,
                    0,
                    NULL::timestamp with time zone,
                    emptied.emptied_at
                   FROM ( SELECT s_2.slot_name,
                            s_2.start_date,
                            s_2.end_date,
                            min(s_2.start_local) AS start_local,
                            min(s_2.end_local) AS end_local,
                            max(s_2.withdrawn_at) AS emptied_at
                           FROM ( SELECT f.name AS slot_name,
                                    f.start_date::timestamp with time zone AS start_date,
                                    f.end_date::timestamp with time zone AS end_date,
                                    "left"(f.start_date, '-6'::integer)::timestamp without time zone AS start_local,
                                    "left"(f.end_date, '-6'::integer)::timestamp without time zone AS end_local,
                                    last.valid_to AS withdrawn_at
                                   FROM ( SELECT DISTINCT ON (h.response_id) h.document,
    h.operation,
    h.valid_to
   FROM headcount.response_history h
  WHERE h.account_id = e.account_id AND h.event_id = e.id AND NOT (EXISTS ( SELECT
     FROM headcount.responses r
    WHERE r.account_id = e.account_id AND r.event_id = e.id AND r.id = h.response_id))
  ORDER BY h.response_id, h.valid_to DESC, h.ended_by_run_id DESC) last
                                     CROSS JOIN LATERAL jsonb_array_elements(headcount_internal.stored_slots(last.document -> 'slots'::text)) slot(document)
                                     CROSS JOIN LATERAL ( SELECT headcount_internal.stored_text(slot.document -> 'name'::text) AS name,
    headcount_internal.stored_slot_time(slot.document -> 'start_date'::text) AS start_date,
    headcount_internal.stored_slot_time(slot.document -> 'end_date'::text) AS end_date
 OFFSET 0) f
                                  WHERE last.operation = 'delete'::text) s_2
                          WHERE NOT (EXISTS ( SELECT
                                   FROM headcount.slots taken
                                  WHERE taken.account_id = e.account_id AND taken.event_id = e.id AND NOT taken.name IS DISTINCT FROM s_2.slot_name AND NOT taken.start_date IS DISTINCT FROM s_2.start_date AND NOT taken.end_date IS DISTINCT FROM s_2.end_date))
                          GROUP BY s_2.slot_name, s_2.start_date, s_2.end_date) emptied) s_1
          WHERE s_1.start_date > now() AND s_1.start_date <= (now() + '1344:00:00'::interval)) s
  WHERE people < wanted::numeric;

type past_event -- An event as it was at some moment (events_at).
  account_id integer -- The account (accounts.id).
  id text collate "C" -- Event identifier of the service.
  title text -- Event title.
  event_at timestamp with time zone -- When the event takes place.
  description text -- Free text.
  event_type text -- Kind of event.
  location text -- Free text.
  _extra jsonb -- Fields that the specification does not name, and the originals of fields set aside. NULL when there is nothing.
  _changed_at timestamp with time zone -- When a run stored this version.

type past_payment -- A payment as it was at some moment (payments_at).
  account_id integer -- The account (accounts.id).
  event_id text collate "C" -- The event (events.id).
  response_id bigint -- The response (responses.id).
  amount numeric -- Amount paid.
  processing_fee numeric -- Processing fee.

type past_response -- A response as it was at some moment (responses_at).
  account_id integer -- The account (accounts.id).
  event_id text collate "C" -- The event (events.id).
  id bigint -- Response identifier of the service, unique within its event.
  kind text -- Shape of the item: reply, payment, signup, mixed or bare.
  name text -- Name of the respondent.
  email text -- E-mail address of the respondent.
  message text -- Free text left by the respondent.
  quantity bigint -- Number of people or units.
  rsvp text -- The reply as the service spells it.
  created_at timestamp with time zone -- When the response was made, by the service.
  updated_at timestamp with time zone -- When the response was last changed, by the service.
  _extra jsonb -- Fields that the specification does not name, and the originals of fields set aside. NULL when there is nothing.
  _changed_at timestamp with time zone -- When a run stored this version.

type past_slot -- A slot of a response as it was at some moment (slots_at).
  account_id integer -- The account (accounts.id).
  event_id text collate "C" -- The event (events.id).
  response_id bigint -- The response (responses.id).
  position integer -- Place in the list of slots, from 1.
  name text -- Slot label.
  start_date timestamp with time zone -- Start as an instant.
  end_date timestamp with time zone -- End as an instant.
  start_local timestamp without time zone -- Start on the wall clock as sent.
  end_local timestamp without time zone -- End on the wall clock as sent.
  _extra jsonb -- Fields that the specification does not name, and the originals of fields set aside. NULL when there is nothing.

function email_key(email text) -- The e-mail address by which a person is found: without white space at its ends, its ASCII letters in lower case; NULL when nothing is left. Dots and plus signs stay. Of a longer text than 1,000 bytes its SHA-256.
CREATE OR REPLACE FUNCTION headcount.email_key(email text)
 RETURNS text
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
BEGIN ATOMIC
 SELECT
         CASE
             WHEN ((octet_length(email) <= 1000) AND ((email COLLATE "C") !~ '[^!-@[-~]'::text)) THEN NULLIF(email, ''::text)
             ELSE headcount_internal.normalised_email_key(email)
         END AS normalised_email_key;
END

function events_at(account text, instant timestamp with time zone) -- The events of an account at a moment, as runs saw it; a moment before the first run or before the horizon of prune is an error.
CREATE OR REPLACE FUNCTION headcount.events_at(account text, instant timestamp with time zone)
 RETURNS SETOF headcount.past_event
 LANGUAGE sql
 STABLE
BEGIN ATOMIC
 SELECT e.account_id,
     e.id,
     e.title,
     e.event_at,
     e.description,
     e.event_type,
     e.location,
     e._extra,
     e._changed_at
    FROM headcount.events e
   WHERE ((headcount_internal.account_at(events_at.account, events_at.instant) IS NOT NULL) AND (e.account_id = ( SELECT headcount_internal.account_at(events_at.account, events_at.instant) AS account_at)) AND (e._changed_at <= events_at.instant))
 UNION ALL
  SELECT h.account_id,
     h.event_id,
     f.title,
     f.event_at,
     f.description,
     f.event_type,
     f.location,
     NULLIF((h.document - ARRAY['id'::text,
         CASE
             WHEN (f.title IS NOT NULL) THEN 'title'::text
             ELSE NULL::text
         END,
         CASE
             WHEN (f.event_at IS NOT NULL) THEN 'event_at'::text
             ELSE NULL::text
         END,
         CASE
             WHEN (f.description IS NOT NULL) THEN 'description'::text
             ELSE NULL::text
         END,
         CASE
             WHEN (f.event_type IS NOT NULL) THEN 'event_type'::text
             ELSE NULL::text
         END,
         CASE
             WHEN (f.location IS NOT NULL) THEN 'location'::text
             ELSE NULL::text
         END]), '{}'::jsonb) AS "nullif",
     h.valid_from
    FROM (headcount.event_history h
      CROSS JOIN LATERAL ( SELECT headcount_internal.stored_text((h.document -> 'title'::text)) AS title,
             headcount_internal.stored_instant((h.document -> 'event_at'::text)) AS event_at,
             headcount_internal.stored_text((h.document -> 'description'::text)) AS description,
             headcount_internal.stored_text((h.document -> 'event_type'::text)) AS event_type,
             headcount_internal.stored_text((h.document -> 'location'::text)) AS location
          OFFSET 0) f)
   WHERE ((headcount_internal.account_at(events_at.account, events_at.instant) IS NOT NULL) AND (h.account_id = ( SELECT headcount_internal.account_at(events_at.account, events_at.instant) AS account_at)) AND (h.valid_from <= events_at.instant) AND (events_at.instant < h.valid_to));
END

function events_at(instant timestamp with time zone) -- The events of the account at a moment, as runs saw it; a moment before the first run or before the horizon of prune is an error. The account is that of the setting headcount.account, else default, else the only one.
CREATE OR REPLACE FUNCTION headcount.events_at(instant timestamp with time zone)
 RETURNS SETOF headcount.past_event
 LANGUAGE sql
 STABLE
BEGIN ATOMIC
 SELECT events_at.account_id,
     events_at.id,
     events_at.title,
     events_at.event_at,
     events_at.description,
     events_at.event_type,
     events_at.location,
     events_at._extra,
     events_at._changed_at
    FROM headcount.events_at(headcount_internal.default_account(), events_at.instant) events_at(account_id, id, title, event_at, description, event_type, location, _extra, _changed_at);
END

function headcount_internal.account_at(account text, instant timestamp with time zone) -- The number of an account, when its mirror can tell of that moment; an error otherwise.
CREATE OR REPLACE FUNCTION headcount_internal.account_at(account text, instant timestamp with time zone)
 RETURNS integer
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
    declare
      known headcount.accounts;
      first_run timestamptz;
      asked text := case when isfinite(instant) then headcount_internal.iso_utc(instant) else instant::text end;
    begin
      select * into known from headcount.accounts a where a.name = account;
      if not found then
        raise exception using errcode = '22023',
          message = format('the mirror has no account "%s": select name from headcount.accounts shows them', account);
      end if;
      select r.started_at into first_run from headcount.sync_runs r where r.account_id = known.id order by r.id limit 1;
      if first_run is null then
        raise exception using errcode = '22023',
          message = format('account "%s" had no run yet, so nothing is known of %s', account, asked);
      elsif instant < known._history_from then
        raise exception using errcode = '22023',
          message = format('history of account "%s" was pruned: the earliest moment that it can tell of is %s, not %s',
                           account, headcount_internal.iso_utc(greatest(first_run, known._history_from)), asked);
      elsif instant < first_run then
        raise exception using errcode = '22023',
          message = format('the first run of account "%s" began at %s: that is the earliest moment that its mirror can tell of, not %s',
                           account, headcount_internal.iso_utc(first_run), asked);
      elsif instant > clock_timestamp() then
        raise exception using errcode = '22023',
          message = format('%s is yet to come (the database''s clock says %s): for the present ask the live tables',
                           asked, headcount_internal.iso_utc(clock_timestamp()));
      end if;
      return known.id;
    end
  $function$

function headcount_internal.default_account() -- The name of the account of whoever names none: the setting headcount.account, else default, else the only one; an error otherwise.
CREATE OR REPLACE FUNCTION headcount_internal.default_account()
 RETURNS text
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
    declare
      chosen text := nullif(current_setting('headcount.account', true), '');
      names text[];
    begin
      if chosen is not null then
        return chosen;
      end if;
      select array_agg(a.name order by a.id) into names from headcount.accounts a;
      if 'default' = any (names) then
        return 'default';
      elsif cardinality(names) = 1 then
        return names[1];
      elsif names is null then
        raise exception using errcode = '22023', message = 'the mirror has no account yet';
      end if;
      raise exception using errcode = '22023',
        message = format('the mirror has several accounts (%s): name one, or set headcount.account',
                         array_to_string(names[1:10], ', '));
    end
  $function$

function headcount_internal.event_document(event headcount.events) -- An event as the service would write it.
CREATE OR REPLACE FUNCTION headcount_internal.event_document(event headcount.events)
 RETURNS jsonb
 LANGUAGE sql
 STABLE
BEGIN ATOMIC
 SELECT (jsonb_strip_nulls(jsonb_build_object('id', (event).id, 'title', (event).title, 'event_at', headcount_internal.iso_utc((event).event_at), 'description', (event).description, 'event_type', (event).event_type, 'location', (event).location)) || COALESCE((event)._extra, '{}'::jsonb));
END

function headcount_internal.forgotten_response(document jsonb) -- A document of a response without personal data: no name, e-mail, message or field that the specification does not name.
CREATE OR REPLACE FUNCTION headcount_internal.forgotten_response(document jsonb)
 RETURNS jsonb
 LANGUAGE sql
 STABLE PARALLEL SAFE STRICT
BEGIN ATOMIC
 SELECT (jsonb_strip_nulls(jsonb_build_object('id', (document -> 'id'::text), 'quantity', headcount_internal.stored_bigint((document -> 'quantity'::text)), 'rsvp', headcount_internal.stored_text((document -> 'rsvp'::text)), 'created_at',
         CASE
             WHEN (headcount_internal.stored_instant((document -> 'created_at'::text)) IS NOT NULL) THEN (document -> 'created_at'::text)
             ELSE NULL::jsonb
         END, 'updated_at',
         CASE
             WHEN (headcount_internal.stored_instant((document -> 'updated_at'::text)) IS NOT NULL) THEN (document -> 'updated_at'::text)
             ELSE NULL::jsonb
         END, 'amount',
         CASE
             WHEN (headcount_internal.stored_amount((document -> 'amount'::text)) IS NOT NULL) THEN (document -> 'amount'::text)
             ELSE NULL::jsonb
         END, 'processing_fee',
         CASE
             WHEN (headcount_internal.stored_amount((document -> 'processing_fee'::text)) IS NOT NULL) THEN (document -> 'processing_fee'::text)
             ELSE NULL::jsonb
         END)) ||
         CASE
             WHEN (headcount_internal.stored_slots((document -> 'slots'::text)) IS NOT NULL) THEN jsonb_build_object('slots', headcount_internal.slots_without_extra((document -> 'slots'::text)))
             WHEN (headcount_internal.kind_of(document) = 'signup'::text) THEN '{"slots": []}'::jsonb
             ELSE '{}'::jsonb
         END);
END

function headcount_internal.is_paid(document jsonb) -- Whether the response of a document had a row in payments.
CREATE OR REPLACE FUNCTION headcount_internal.is_paid(document jsonb)
 RETURNS boolean
 LANGUAGE sql
 IMMUTABLE
BEGIN ATOMIC
 SELECT (COALESCE((jsonb_typeof((document -> 'amount'::text)) <> 'null'::text), false) OR COALESCE((jsonb_typeof((document -> 'processing_fee'::text)) <> 'null'::text), false));
END

function headcount_internal.is_wall_clock(wall text) -- Whether the text is a real date and time of the years 1 to 9999, in the form YYYY-MM-DDTHH:MM:SS, with up to six fraction digits.
CREATE OR REPLACE FUNCTION headcount_internal.is_wall_clock(wall text)
 RETURNS boolean
 LANGUAGE plpgsql
 IMMUTABLE
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
    declare
      form text := translate(wall, '123456789', '000000000');
      year int;
      month int;
      day int;
    begin
      if left(form, 19) <> '0000-00-00T00:00:00'
         or substr(form, 20) not in ('', '.0', '.00', '.000', '.0000', '.00000', '.000000') then
        return false;
      end if;
      year := substr(wall, 1, 4);
      month := substr(wall, 6, 2);
      day := substr(wall, 9, 2);
      return year > 0 and month between 1 and 12 and day > 0
        and day <= case
                     when month in (4, 6, 9, 11) then 30
                     when month <> 2 then 31
                     when year % 4 = 0 and (year % 100 <> 0 or year % 400 = 0) then 29
                     else 28
                   end
        and substr(wall, 12, 2)::int < 24 and substr(wall, 15, 2)::int < 60 and substr(wall, 18, 2)::int < 60;
    end
  $function$

function headcount_internal.iso_offset(instant timestamp with time zone, wall timestamp without time zone) -- An instant and its wall clock as ISO 8601 text with the offset.
CREATE OR REPLACE FUNCTION headcount_internal.iso_offset(instant timestamp with time zone, wall timestamp without time zone)
 RETURNS text
 LANGUAGE sql
 STABLE STRICT
BEGIN ATOMIC
 SELECT ((((headcount_internal.iso_wall_clock(iso_offset.wall) ||
         CASE
             WHEN (shift.minutes < 0) THEN '-'::text
             ELSE '+'::text
         END) || lpad(((abs(shift.minutes) / 60))::text, 2, '0'::text)) || ':'::text) || lpad(((abs(shift.minutes) % 60))::text, 2, '0'::text))
    FROM ( SELECT ((EXTRACT(epoch FROM (iso_offset.wall - (iso_offset.instant AT TIME ZONE '00:00:00'::interval))) / (60)::numeric))::integer AS minutes) shift;
END

function headcount_internal.iso_utc(instant timestamp with time zone) -- An instant as ISO 8601 text in UTC.
CREATE OR REPLACE FUNCTION headcount_internal.iso_utc(instant timestamp with time zone)
 RETURNS text
 LANGUAGE sql
 STABLE STRICT
BEGIN ATOMIC
 SELECT (headcount_internal.iso_wall_clock((instant AT TIME ZONE '00:00:00'::interval)) || 'Z'::text);
END

function headcount_internal.iso_wall_clock(wall timestamp without time zone) -- A wall clock as ISO 8601 text without zone.
CREATE OR REPLACE FUNCTION headcount_internal.iso_wall_clock(wall timestamp without time zone)
 RETURNS text
 LANGUAGE sql
 STABLE STRICT
BEGIN ATOMIC
 SELECT (to_char(wall, 'YYYY-MM-DD"T"HH24:MI:SS'::text) || rtrim(rtrim(to_char(wall, '.US'::text), '0'::text), '.'::text));
END

function headcount_internal.item_without_personal(item jsonb) -- A document with the fields that the specification names and that hold no personal data, and of these the values that fit.
CREATE OR REPLACE FUNCTION headcount_internal.item_without_personal(item jsonb)
 RETURNS jsonb
 LANGUAGE sql
 STABLE PARALLEL SAFE STRICT
BEGIN ATOMIC
 SELECT COALESCE(jsonb_object_agg(field.key,
         CASE
             WHEN (field.key = 'slots'::text) THEN headcount_internal.slots_without_personal(field.value)
             ELSE field.value
         END), '{}'::jsonb) AS "coalesce"
    FROM jsonb_each(item_without_personal.item) field(key, value)
   WHERE
         CASE
             WHEN (field.key <> ALL (ARRAY['id'::text, 'title'::text, 'event_at'::text, 'description'::text, 'event_type'::text, 'location'::text, 'quantity'::text, 'rsvp'::text, 'created_at'::text, 'updated_at'::text, 'amount'::text, 'processing_fee'::text, 'slots'::text])) THEN false
             WHEN ((field.key = 'slots'::text) OR (field.value = 'null'::jsonb)) THEN true
             WHEN (field.key = 'id'::text) THEN (jsonb_typeof(field.value) = ANY (ARRAY['string'::text, 'number'::text]))
             WHEN (field.key = 'quantity'::text) THEN (headcount_internal.stored_bigint(field.value) IS NOT NULL)
             WHEN (field.key = ANY (ARRAY['amount'::text, 'processing_fee'::text])) THEN (headcount_internal.stored_amount(field.value) IS NOT NULL)
             WHEN (field.key = ANY (ARRAY['event_at'::text, 'created_at'::text, 'updated_at'::text])) THEN (headcount_internal.stored_instant(field.value) IS NOT NULL)
             ELSE (headcount_internal.stored_text(field.value) IS NOT NULL)
         END;
END

function headcount_internal.kind_of(document jsonb) -- The kind of the response of a document.
CREATE OR REPLACE FUNCTION headcount_internal.kind_of(document jsonb)
 RETURNS text
 LANGUAGE sql
 IMMUTABLE
BEGIN ATOMIC
 SELECT
         CASE
             WHEN ((((COALESCE((jsonb_typeof((document -> 'rsvp'::text)) <> 'null'::text), false))::integer + (headcount_internal.is_paid(document))::integer) + (COALESCE(((document -> 'slots'::text) <> ALL (ARRAY['null'::jsonb, '[]'::jsonb])), false))::integer) > 1) THEN 'mixed'::text
             WHEN (jsonb_typeof((document -> 'rsvp'::text)) <> 'null'::text) THEN 'reply'::text
             WHEN headcount_internal.is_paid(document) THEN 'payment'::text
             WHEN (jsonb_typeof((document -> 'slots'::text)) <> 'null'::text) THEN 'signup'::text
             WHEN (jsonb_typeof((document -> 'quantity'::text)) <> 'null'::text) THEN 'reply'::text
             ELSE 'bare'::text
         END AS "case";
END

function headcount_internal.normalised_email_key(email text) -- email_key of an address in an unusual spelling.
CREATE OR REPLACE FUNCTION headcount_internal.normalised_email_key(email text)
 RETURNS text
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
BEGIN ATOMIC
 SELECT
         CASE
             WHEN (octet_length(normalised.key) <= 1000) THEN NULLIF(normalised.key, ''::text)
             ELSE ('sha256:'::text || encode(sha256(convert_to(normalised.key, 'UTF8'::name)), 'hex'::text))
         END AS "case"
    FROM ( SELECT lower((NORMALIZE(btrim(normalised_email_key.email, ' 	
'::text), NFC) COLLATE "C")) AS key) normalised;
END

function headcount_internal.person_id(secret bytea, account integer, email_key text) -- The pseudonym of a person: the first 32 hexadecimal digits of sha256(secret || sha256(secret || account || 0x00 || e-mail key)).
CREATE OR REPLACE FUNCTION headcount_internal.person_id(secret bytea, account integer, email_key text)
 RETURNS text
 LANGUAGE plpgsql
 IMMUTABLE PARALLEL SAFE STRICT
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
  begin
    return left(encode(sha256(secret || sha256(
             secret || convert_to(account::text, 'UTF8') || decode('00', 'hex') || convert_to(email_key, 'UTF8'))), 'hex'), 32);
  end $function$

function headcount_internal.response_document(response headcount.responses) -- A response as the service would write it, with its payment and slots.
CREATE OR REPLACE FUNCTION headcount_internal.response_document(response headcount.responses)
 RETURNS jsonb
 LANGUAGE sql
 STABLE
BEGIN ATOMIC
 SELECT d.document
    FROM headcount.response_documents d
   WHERE ((d.account_id = (response_document.response).account_id) AND (d.event_id = (response_document.response).event_id) AND (d.response_id = (response_document.response).id));
END

function headcount_internal.series_of(event_type text, title text) -- A hash of the type and of the title without digits and white space, by which events are compared; NULL without a title.
CREATE OR REPLACE FUNCTION headcount_internal.series_of(event_type text, title text)
 RETURNS bytea
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
BEGIN ATOMIC
 SELECT headcount_internal.sha256_of(((quote_nullable(event_type) || ' '::text) || regexp_replace((title COLLATE "C"), '[0-9\s]'::text, ''::text, 'g'::text))) AS sha256_of;
END

function headcount_internal.sha256_of(value text) -- SHA-256 of a text in UTF-8.
CREATE OR REPLACE FUNCTION headcount_internal.sha256_of(value text)
 RETURNS bytea
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE STRICT
BEGIN ATOMIC
 SELECT sha256(convert_to(value, 'UTF8'::name)) AS sha256;
END

function headcount_internal.slots_without_extra(value jsonb) -- Slots of a document with the fields that the specification names, and of these the values that fit.
CREATE OR REPLACE FUNCTION headcount_internal.slots_without_extra(value jsonb)
 RETURNS jsonb
 LANGUAGE sql
 STABLE PARALLEL SAFE
BEGIN ATOMIC
 SELECT COALESCE(jsonb_agg(jsonb_strip_nulls(jsonb_build_object('name', headcount_internal.stored_text((slot.document -> 'name'::text)), 'start_date', headcount_internal.stored_slot_time((slot.document -> 'start_date'::text)), 'end_date', headcount_internal.stored_slot_time((slot.document -> 'end_date'::text)))) ORDER BY slot."position"), '[]'::jsonb) AS "coalesce"
    FROM jsonb_array_elements(headcount_internal.stored_slots(slots_without_extra.value)) WITH ORDINALITY slot(document, "position");
END

function headcount_internal.slots_without_personal(value jsonb) -- Slots of a document with the fields that the specification names, and of these the values that fit; NULL of what is no list of slots.
CREATE OR REPLACE FUNCTION headcount_internal.slots_without_personal(value jsonb)
 RETURNS jsonb
 LANGUAGE sql
 STABLE PARALLEL SAFE
BEGIN ATOMIC
 SELECT jsonb_agg(( SELECT COALESCE(jsonb_object_agg(field.key, field.value), '{}'::jsonb) AS "coalesce"
            FROM jsonb_each(slot.document) field(key, value)
           WHERE
                 CASE
                     WHEN (field.key <> ALL (ARRAY['name'::text, 'start_date'::text, 'end_date'::text])) THEN false
                     WHEN (field.value = 'null'::jsonb) THEN true
                     WHEN (field.key = 'name'::text) THEN (headcount_internal.stored_text(field.value) IS NOT NULL)
                     ELSE (headcount_internal.stored_slot_time(field.value) IS NOT NULL)
                 END) ORDER BY slot."position") AS jsonb_agg
    FROM jsonb_array_elements(headcount_internal.stored_slots(slots_without_personal.value)) WITH ORDINALITY slot(document, "position");
END

function headcount_internal.stored_amount(value jsonb) -- A field of a document as its numeric column had it; NULL when it was set aside.
CREATE OR REPLACE FUNCTION headcount_internal.stored_amount(value jsonb)
 RETURNS numeric
 LANGUAGE sql
 IMMUTABLE
BEGIN ATOMIC
 SELECT
         CASE
             WHEN ((jsonb_typeof(value) = 'string'::text) AND ((value #>> '{}'::text[]) ~ '^-?[0-9]+(?:\.[0-9]+)?$'::text) AND (length(ltrim(split_part((value #>> '{}'::text[]), '.'::text, 1), '-0'::text)) <= 131072) AND (length(split_part((value #>> '{}'::text[]), '.'::text, 2)) <= 16383)) THEN ((value #>> '{}'::text[]))::numeric
             ELSE NULL::numeric
         END AS "case";
END

function headcount_internal.stored_bigint(value jsonb) -- A field of a document as its bigint column had it; NULL when it was set aside.
CREATE OR REPLACE FUNCTION headcount_internal.stored_bigint(value jsonb)
 RETURNS bigint
 LANGUAGE sql
 IMMUTABLE
BEGIN ATOMIC
 SELECT
         CASE
             WHEN (jsonb_typeof(value) = 'number'::text) THEN
             CASE
                 WHEN (((value)::numeric = trunc((value)::numeric)) AND (((value)::numeric >= ('-9223372036854775808'::bigint)::numeric) AND ((value)::numeric <= ('9223372036854775807'::bigint)::numeric))) THEN (value)::bigint
                 ELSE NULL::bigint
             END
             ELSE NULL::bigint
         END AS "case";
END

function headcount_internal.stored_instant(value jsonb) -- A field of a document as its timestamptz column had it; NULL when it was set aside.
CREATE OR REPLACE FUNCTION headcount_internal.stored_instant(value jsonb)
 RETURNS timestamp with time zone
 LANGUAGE plpgsql
 STABLE
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
    declare
      sent text := headcount_internal.stored_text(value);
    begin
      if sent is null or right(sent, 1) <> 'Z' or not headcount_internal.is_wall_clock(left(sent, -1)) then
        return null;
      end if;
      return sent::timestamptz;
    end
  $function$

function headcount_internal.stored_slot_time(value jsonb) -- A time of a slot with its offset, as text; NULL when it was set aside.
CREATE OR REPLACE FUNCTION headcount_internal.stored_slot_time(value jsonb)
 RETURNS text
 LANGUAGE plpgsql
 STABLE
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
    declare
      sent text := headcount_internal.stored_text(value);
      zone text := right(sent, 6);
      utc timestamp;
    begin
      if sent is null or translate(zone, '123456789-', '000000000+') <> '+00:00'
         or substr(zone, 2, 2)::int > 15 or substr(zone, 5, 2)::int > 59
         or not headcount_internal.is_wall_clock(left(sent, -6)) then
        return null;
      end if;
      utc := sent::timestamptz at time zone interval '0';
      return case when utc >= timestamp '0001-01-01' and utc < timestamp '10000-01-01' then sent end;
    end
  $function$

function headcount_internal.stored_slots(value jsonb) -- The slots of a document that had rows of their own; NULL when they were set aside.
CREATE OR REPLACE FUNCTION headcount_internal.stored_slots(value jsonb)
 RETURNS jsonb
 LANGUAGE sql
 IMMUTABLE
BEGIN ATOMIC
 SELECT
         CASE
             WHEN (jsonb_typeof(value) = 'array'::text) THEN
             CASE
                 WHEN (NOT jsonb_path_exists(value, 'strict $[*]?(@.type() != "object")'::jsonpath)) THEN value
                 ELSE NULL::jsonb
             END
             ELSE NULL::jsonb
         END AS "case";
END

function headcount_internal.stored_text(value jsonb) -- A field of a document as its text column had it; NULL when it was set aside.
CREATE OR REPLACE FUNCTION headcount_internal.stored_text(value jsonb)
 RETURNS text
 LANGUAGE sql
 IMMUTABLE
BEGIN ATOMIC
 SELECT
         CASE
             WHEN (jsonb_typeof(value) = 'string'::text) THEN (value #>> '{}'::text[])
             ELSE NULL::text
         END AS "case";
END

function payments_at(account text, instant timestamp with time zone) -- The payments of an account at a moment, as runs saw it; a moment before the first run or before the horizon of prune is an error.
CREATE OR REPLACE FUNCTION headcount.payments_at(account text, instant timestamp with time zone)
 RETURNS SETOF headcount.past_payment
 LANGUAGE sql
 STABLE
BEGIN ATOMIC
 SELECT p.account_id,
     p.event_id,
     p.response_id,
     p.amount,
     p.processing_fee
    FROM (headcount.payments p
      JOIN headcount.responses r ON (((r.account_id = p.account_id) AND (r.event_id = p.event_id) AND (r.id = p.response_id))))
   WHERE ((headcount_internal.account_at(payments_at.account, payments_at.instant) IS NOT NULL) AND (p.account_id = ( SELECT headcount_internal.account_at(payments_at.account, payments_at.instant) AS account_at)) AND (r._changed_at <= payments_at.instant))
 UNION ALL
  SELECT h.account_id,
     h.event_id,
     h.response_id,
     headcount_internal.stored_amount((h.document -> 'amount'::text)) AS stored_amount,
     headcount_internal.stored_amount((h.document -> 'processing_fee'::text)) AS stored_amount
    FROM headcount.response_history h
   WHERE ((headcount_internal.account_at(payments_at.account, payments_at.instant) IS NOT NULL) AND (h.account_id = ( SELECT headcount_internal.account_at(payments_at.account, payments_at.instant) AS account_at)) AND (h.valid_from <= payments_at.instant) AND (payments_at.instant < h.valid_to) AND headcount_internal.is_paid(h.document));
END

function payments_at(instant timestamp with time zone) -- The payments of the account at a moment, as runs saw it; a moment before the first run or before the horizon of prune is an error. The account is that of the setting headcount.account, else default, else the only one.
CREATE OR REPLACE FUNCTION headcount.payments_at(instant timestamp with time zone)
 RETURNS SETOF headcount.past_payment
 LANGUAGE sql
 STABLE
BEGIN ATOMIC
 SELECT payments_at.account_id,
     payments_at.event_id,
     payments_at.response_id,
     payments_at.amount,
     payments_at.processing_fee
    FROM headcount.payments_at(headcount_internal.default_account(), payments_at.instant) payments_at(account_id, event_id, response_id, amount, processing_fee);
END

function people_of(kind text, rsvp text, meaning text, quantity bigint, has_slot boolean) -- People of a response, from its kind, its rsvp with the meaning of rsvp_meanings, its quantity, and whether it has a slot: 0 when it means not coming; a quantity below 1 is 1 for a reply with a value, and 0 elsewhere; without a quantity 1.
CREATE OR REPLACE FUNCTION headcount.people_of(kind text, rsvp text, meaning text, quantity bigint, has_slot boolean)
 RETURNS bigint
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
BEGIN ATOMIC
 SELECT
         CASE
             WHEN (rsvp IS NULL) THEN
             CASE
                 WHEN ((kind = 'signup'::text) AND (NOT COALESCE(has_slot, false))) THEN (0)::bigint
                 ELSE GREATEST(COALESCE(quantity, (1)::bigint), (0)::bigint)
             END
             WHEN (meaning = 'not_coming'::text) THEN (0)::bigint
             ELSE GREATEST(quantity, (1)::bigint)
         END AS "greatest";
END

function responses_at(account text, instant timestamp with time zone) -- The responses of an account at a moment, as runs saw it; a moment before the first run or before the horizon of prune is an error.
CREATE OR REPLACE FUNCTION headcount.responses_at(account text, instant timestamp with time zone)
 RETURNS SETOF headcount.past_response
 LANGUAGE sql
 STABLE
BEGIN ATOMIC
 SELECT r.account_id,
     r.event_id,
     r.id,
     r.kind,
     r.name,
     r.email,
     r.message,
     r.quantity,
     r.rsvp,
     r.created_at,
     r.updated_at,
     r._extra,
     r._changed_at
    FROM headcount.responses r
   WHERE ((headcount_internal.account_at(responses_at.account, responses_at.instant) IS NOT NULL) AND (r.account_id = ( SELECT headcount_internal.account_at(responses_at.account, responses_at.instant) AS account_at)) AND (r._changed_at <= responses_at.instant))
 UNION ALL
  SELECT h.account_id,
     h.event_id,
     h.response_id,
     headcount_internal.kind_of(h.document) AS kind_of,
     f.name,
     f.email,
     f.message,
     f.quantity,
     f.rsvp,
     f.created_at,
     f.updated_at,
     NULLIF((h.document - ARRAY['id'::text,
         CASE
             WHEN (f.name IS NOT NULL) THEN 'name'::text
             ELSE NULL::text
         END,
         CASE
             WHEN (f.email IS NOT NULL) THEN 'email'::text
             ELSE NULL::text
         END,
         CASE
             WHEN (f.message IS NOT NULL) THEN 'message'::text
             ELSE NULL::text
         END,
         CASE
             WHEN (f.quantity IS NOT NULL) THEN 'quantity'::text
             ELSE NULL::text
         END,
         CASE
             WHEN (f.rsvp IS NOT NULL) THEN 'rsvp'::text
             ELSE NULL::text
         END,
         CASE
             WHEN (f.created_at IS NOT NULL) THEN 'created_at'::text
             ELSE NULL::text
         END,
         CASE
             WHEN (f.updated_at IS NOT NULL) THEN 'updated_at'::text
             ELSE NULL::text
         END,
         CASE
             WHEN (headcount_internal.stored_amount((h.document -> 'amount'::text)) IS NOT NULL) THEN 'amount'::text
             ELSE NULL::text
         END,
         CASE
             WHEN (headcount_internal.stored_amount((h.document -> 'processing_fee'::text)) IS NOT NULL) THEN 'processing_fee'::text
             ELSE NULL::text
         END,
         CASE
             WHEN (headcount_internal.stored_slots((h.document -> 'slots'::text)) IS NOT NULL) THEN 'slots'::text
             ELSE NULL::text
         END]), '{}'::jsonb) AS "nullif",
     h.valid_from
    FROM (headcount.response_history h
      CROSS JOIN LATERAL ( SELECT headcount_internal.stored_text((h.document -> 'name'::text)) AS name,
             headcount_internal.stored_text((h.document -> 'email'::text)) AS email,
             headcount_internal.stored_text((h.document -> 'message'::text)) AS message,
             headcount_internal.stored_bigint((h.document -> 'quantity'::text)) AS quantity,
             headcount_internal.stored_text((h.document -> 'rsvp'::text)) AS rsvp,
             headcount_internal.stored_instant((h.document -> 'created_at'::text)) AS created_at,
             headcount_internal.stored_instant((h.document -> 'updated_at'::text)) AS updated_at
          OFFSET 0) f)
   WHERE ((headcount_internal.account_at(responses_at.account, responses_at.instant) IS NOT NULL) AND (h.account_id = ( SELECT headcount_internal.account_at(responses_at.account, responses_at.instant) AS account_at)) AND (h.valid_from <= responses_at.instant) AND (responses_at.instant < h.valid_to));
END

function responses_at(instant timestamp with time zone) -- The responses of the account at a moment, as runs saw it; a moment before the first run or before the horizon of prune is an error. The account is that of the setting headcount.account, else default, else the only one.
CREATE OR REPLACE FUNCTION headcount.responses_at(instant timestamp with time zone)
 RETURNS SETOF headcount.past_response
 LANGUAGE sql
 STABLE
BEGIN ATOMIC
 SELECT responses_at.account_id,
     responses_at.event_id,
     responses_at.id,
     responses_at.kind,
     responses_at.name,
     responses_at.email,
     responses_at.message,
     responses_at.quantity,
     responses_at.rsvp,
     responses_at.created_at,
     responses_at.updated_at,
     responses_at._extra,
     responses_at._changed_at
    FROM headcount.responses_at(headcount_internal.default_account(), responses_at.instant) responses_at(account_id, event_id, id, kind, name, email, message, quantity, rsvp, created_at, updated_at, _extra, _changed_at);
END

function slots_at(account text, instant timestamp with time zone) -- The slots of an account at a moment, as runs saw it; a moment before the first run or before the horizon of prune is an error.
CREATE OR REPLACE FUNCTION headcount.slots_at(account text, instant timestamp with time zone)
 RETURNS SETOF headcount.past_slot
 LANGUAGE sql
 STABLE
BEGIN ATOMIC
 SELECT s.account_id,
     s.event_id,
     s.response_id,
     s."position",
     s.name,
     s.start_date,
     s.end_date,
     s.start_local,
     s.end_local,
     s._extra
    FROM (headcount.slots s
      JOIN headcount.responses r ON (((r.account_id = s.account_id) AND (r.event_id = s.event_id) AND (r.id = s.response_id))))
   WHERE ((headcount_internal.account_at(slots_at.account, slots_at.instant) IS NOT NULL) AND (s.account_id = ( SELECT headcount_internal.account_at(slots_at.account, slots_at.instant) AS account_at)) AND (r._changed_at <= slots_at.instant))
 UNION ALL
  SELECT h.account_id,
     h.event_id,
     h.response_id,
     (slot."position")::integer AS "position",
     f.name,
     (f.start_date)::timestamp with time zone AS start_date,
     (f.end_date)::timestamp with time zone AS end_date,
     ("left"(f.start_date, '-6'::integer))::timestamp without time zone AS "left",
     ("left"(f.end_date, '-6'::integer))::timestamp without time zone AS "left",
     NULLIF((slot.document - ARRAY[
         CASE
             WHEN (f.name IS NOT NULL) THEN 'name'::text
             ELSE NULL::text
         END,
         CASE
             WHEN (f.start_date IS NOT NULL) THEN 'start_date'::text
             ELSE NULL::text
         END,
         CASE
             WHEN (f.end_date IS NOT NULL) THEN 'end_date'::text
             ELSE NULL::text
         END]), '{}'::jsonb) AS "nullif"
    FROM ((headcount.response_history h
      CROSS JOIN LATERAL jsonb_array_elements(headcount_internal.stored_slots((h.document -> 'slots'::text))) WITH ORDINALITY slot(document, "position"))
      CROSS JOIN LATERAL ( SELECT headcount_internal.stored_text((slot.document -> 'name'::text)) AS name,
             headcount_internal.stored_slot_time((slot.document -> 'start_date'::text)) AS start_date,
             headcount_internal.stored_slot_time((slot.document -> 'end_date'::text)) AS end_date
          OFFSET 0) f)
   WHERE ((headcount_internal.account_at(slots_at.account, slots_at.instant) IS NOT NULL) AND (h.account_id = ( SELECT headcount_internal.account_at(slots_at.account, slots_at.instant) AS account_at)) AND (h.valid_from <= slots_at.instant) AND (slots_at.instant < h.valid_to));
END

function slots_at(instant timestamp with time zone) -- The slots of the account at a moment, as runs saw it; a moment before the first run or before the horizon of prune is an error. The account is that of the setting headcount.account, else default, else the only one.
CREATE OR REPLACE FUNCTION headcount.slots_at(instant timestamp with time zone)
 RETURNS SETOF headcount.past_slot
 LANGUAGE sql
 STABLE
BEGIN ATOMIC
 SELECT slots_at.account_id,
     slots_at.event_id,
     slots_at.response_id,
     slots_at."position",
     slots_at.name,
     slots_at.start_date,
     slots_at.end_date,
     slots_at.start_local,
     slots_at.end_local,
     slots_at._extra
    FROM headcount.slots_at(headcount_internal.default_account(), slots_at.instant) slots_at(account_id, event_id, response_id, "position", name, start_date, end_date, start_local, end_local, _extra);
END
