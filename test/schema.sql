schema headcount -- Mirror of an event account: events, responses, payments and slots.

table accepted_rejects -- Rejects that the owner can live with: until the item changes they are listed, but no cause for exit code 8.
  account_id integer not null -- The account (accounts.id).
  event_id text collate "C" -- The event whose list holds the item; NULL for the list of events.
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
  first_listed_run_id bigint -- The first run that stored the list of events whole; NULL before. Of a mirror from before migration 18: its first run that did not fail.
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

table event_history -- Former versions of events.
  account_id integer not null -- The account (accounts.id).
  event_id text collate "C" not null -- The event (events.id).
  valid_from timestamp with time zone not null -- Since when this version was in the mirror.
  valid_to timestamp with time zone not null -- Until when (exclusive): the start of the next version, or the deletion.
  operation text not null -- How it ended: update (a next version followed) or delete (the service no longer returned it).
  document jsonb not null -- The whole former item in the shape of the API, with amounts and slots.
  ended_by_run_id bigint not null -- The run that ended this version (sync_runs.id).
  begun_by_run_id bigint -- The run that stored this version; NULL when it was archived before migration 18.
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

table payments -- Live payments: one row for each response that carries an amount or a fee.
  account_id integer not null -- The account (accounts.id).
  event_id text collate "C" not null -- The event (events.id).
  response_id bigint not null -- The response (responses.id).
  amount numeric -- Amount, exact as sent. The service names no currency.
  processing_fee numeric -- Processing fee, exact as sent.
  constraint payments_pkey PRIMARY KEY (account_id, event_id, response_id)

table rejects -- Items that the service answers now and that cannot be stored in the live tables, with the reason.
  account_id integer not null -- The account (accounts.id).
  event_id text collate "C" -- The event whose list holds the item; NULL for the list of events.
  item_index integer not null -- Place in the list, from 0.
  reason text not null -- What is wrong.
  path text not null -- Where, like $[0].id.
  payload text not null -- Source text of the item, cut at 64 KiB.
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
  begun_by_run_id bigint -- The run that stored this version; NULL when it was archived before migration 18.
  constraint response_history_operation_check CHECK ((operation = ANY (ARRAY['update'::text, 'delete'::text])))
  CREATE INDEX response_history_ended ON headcount.response_history USING btree (valid_to)
  CREATE INDEX response_history_key ON headcount.response_history USING btree (account_id, event_id, response_id, valid_from)

table responses -- Live responses: exactly what the service answers now, one row a person's reply.
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

table schema_migrations -- Migrations applied to this schema.
  number integer not null -- Number of the migration.
  name text not null -- Its name.
  applied_at timestamp with time zone not null default now() -- When it was applied.
  constraint schema_migrations_pkey PRIMARY KEY (number)

table slots -- Live slots: what the respondents signed up for, one row a slot of a response.
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

table sync_runs with (fillfactor=50) -- Executions of sync and backfill. A running one holds its account.
  id bigint not null generated always as identity -- Number of the run.
  account_id integer not null -- The account (accounts.id).
  mode text not null -- sync or backfill; rename or remove while the account itself is changed, which leaves a row only when it was killed.
  named_events_only boolean not null default false -- Only named events were read (--event): such a run says nothing of the others.
  status text not null -- running, succeeded, partial, held, failed, interrupted, or abandoned (taken over by a later run).
  holder jsonb -- Which process runs it: host, boot, process namespace, process and its start time.
  started_at timestamp with time zone not null default now() -- When it started.
  heartbeat_at timestamp with time zone not null default now() -- Last sign of life while it runs.
  finished_at timestamp with time zone -- When it ended.
  report jsonb -- Report of the run, as printed by --json.
  backfill_id bigint -- Of a backfill of the whole account: its own id, or that of the interrupted backfill which it continues.
  good boolean not null default false -- Every list that was due was applied or found unchanged, and no deletion is held: the age of the mirror counts from the start of the last such run.
  constraint sync_runs_mode_check CHECK ((mode = ANY (ARRAY['sync'::text, 'backfill'::text, 'rename'::text, 'remove'::text])))
  constraint sync_runs_pkey PRIMARY KEY (id)
  constraint sync_runs_status_check CHECK ((status = ANY (ARRAY['running'::text, 'succeeded'::text, 'partial'::text, 'held'::text, 'failed'::text, 'interrupted'::text, 'abandoned'::text])))
  CREATE INDEX sync_runs_by_account ON headcount.sync_runs USING btree (account_id, id DESC)
  CREATE INDEX sync_runs_good ON headcount.sync_runs USING btree (account_id, id DESC) WHERE good
  CREATE UNIQUE INDEX sync_runs_one_running ON headcount.sync_runs USING btree (account_id) WHERE (status = 'running'::text)

table sync_state with (fillfactor=40) -- What is known of each list: one row an event, and one for the list of events (event_id is empty).
  account_id integer not null -- The account (accounts.id).
  event_id text collate "C" not null -- The event (events.id), or empty for the list of events.
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
  constraint sync_state_pkey PRIMARY KEY (account_id, event_id)

view list_status -- How each list stands: when it was checked, what is held, rejected or failing. One row an event, and one for the list of events (event_id is empty).
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
    rejects.accepted
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
  run_id bigint -- The run that stored the change (sync_runs.id); NULL of inserts that were archived before migration 18.
 SELECT c.account_id,
    a.name AS account,
    c.event_id,
    c.response_id,
    c.changed_at,
    c.change,
    c.field,
    c.old_value,
    c.new_value,
        CASE
            WHEN e.id IS NOT NULL THEN e.title
            ELSE ( SELECT last.document ->> 'title'::text
               FROM headcount.event_history last
              WHERE last.account_id = c.account_id AND last.event_id = c.event_id
              ORDER BY last.valid_to DESC, last.ended_by_run_id DESC
             LIMIT 1)
        END AS event_title,
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
            WHEN c.run_id <= a.first_listed_run_id THEN c.run_id <= COALESCE(s.first_applied_run_id, c.run_id)
            ELSE c.run_id = s.first_applied_run_id AND s.first_listed_run_id <= a.first_listed_run_id
        END, false) AS initial,
    c.run_id
   FROM ( SELECT h.account_id,
            h.event_id,
            h.response_id,
            h.valid_to AS changed_at,
            'update'::text AS change,
            key.field,
            h.document ->> key.field AS old_value,
            next.document ->> key.field AS new_value,
            h.ended_by_run_id AS run_id
           FROM headcount.response_history h
             CROSS JOIN LATERAL ( SELECT COALESCE(( SELECT later.document
                           FROM headcount.response_history later
                          WHERE later.account_id = h.account_id AND later.event_id = h.event_id AND later.response_id = h.response_id AND later.valid_from = h.valid_to AND ((ROW(later.valid_from, later.ended_by_run_id) > ROW(h.valid_from, h.ended_by_run_id)))
                          ORDER BY later.ended_by_run_id
                         LIMIT 1), ( SELECT headcount_internal.response_document(r_1.*) AS response_document
                           FROM headcount.responses r_1
                          WHERE r_1.account_id = h.account_id AND r_1.event_id = h.event_id AND r_1.id = h.response_id AND r_1._changed_at = h.valid_to)) AS document
                 OFFSET 0) next
             CROSS JOIN LATERAL jsonb_object_keys(h.document || next.document) key(field)
          WHERE h.operation = 'update'::text AND (h.document -> key.field) IS DISTINCT FROM (next.document -> key.field)
        UNION ALL
         SELECT h.account_id,
            h.event_id,
            h.response_id,
            h.valid_to,
            'delete'::text,
            NULL::text,
            h.document::text AS document,
            NULL::text,
            h.ended_by_run_id
           FROM headcount.response_history h
          WHERE h.operation = 'delete'::text
        UNION ALL
         SELECT h.account_id,
            h.event_id,
            h.response_id,
            h.valid_from,
            'insert'::text,
            NULL::text,
            NULL::text,
            h.document::text AS document,
            h.begun_by_run_id
           FROM headcount.response_history h
          WHERE NOT (EXISTS ( SELECT
                   FROM headcount.response_history former
                  WHERE former.account_id = h.account_id AND former.event_id = h.event_id AND former.response_id = h.response_id AND former.operation = 'update'::text AND former.valid_to = h.valid_from AND ((ROW(former.valid_from, former.ended_by_run_id) < ROW(h.valid_from, h.ended_by_run_id)))))
        UNION ALL
         SELECT r_1.account_id,
            r_1.event_id,
            r_1.id,
            r_1._changed_at,
            'insert'::text,
            NULL::text,
            NULL::text,
            headcount_internal.response_document(r_1.*)::text AS response_document,
            r_1._run_id
           FROM headcount.responses r_1
          WHERE r_1._changed_at = r_1._first_seen_at AND NOT (EXISTS ( SELECT
                   FROM headcount.response_history former
                  WHERE former.account_id = r_1.account_id AND former.event_id = r_1.event_id AND former.response_id = r_1.id AND former.operation = 'update'::text AND former.valid_to = r_1._changed_at))) c
     JOIN headcount.accounts a ON a.id = c.account_id AND c.changed_at > COALESCE(a._history_from, '-infinity'::timestamp with time zone)
     LEFT JOIN headcount.events e ON e.account_id = c.account_id AND e.id = c.event_id
     LEFT JOIN headcount.responses r ON r.account_id = c.account_id AND r.event_id = c.event_id AND r.id = c.response_id
     LEFT JOIN headcount.sync_state s ON s.account_id = c.account_id AND s.event_id = c.event_id
     LEFT JOIN headcount.sync_runs first_run ON first_run.id = a.first_listed_run_id
  WHERE ( SELECT COALESCE(current_setting('headcount.account'::text, true), ''::text) = ''::text) OR c.account_id = (( SELECT a_1.id
           FROM headcount.accounts a_1
          WHERE a_1.name = current_setting('headcount.account'::text, true)));

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
AS $function$
    select case when octet_length(email) <= 1000 and email collate "C" !~ '[^!-@[-~]' then nullif(email, '')
                else headcount_internal.normalised_email_key(email) end
  $function$

function events_at(account text, instant timestamp with time zone) -- The events of an account at a moment, as runs saw it; a moment before the first run or before the horizon of prune is an error.
CREATE OR REPLACE FUNCTION headcount.events_at(account text, instant timestamp with time zone)
 RETURNS SETOF headcount.past_event
 LANGUAGE sql
 STABLE
AS $function$
    select e.account_id, e.id, e.title, e.event_at, e.description, e.event_type, e.location, e._extra, e._changed_at
      from headcount.events e
     where headcount_internal.account_at(account, instant) is not null
       and e.account_id = (select headcount_internal.account_at(account, instant))
       and e._changed_at <= instant
    union all
    select h.account_id, h.event_id, f.title, f.event_at, f.description, f.event_type, f.location,
           nullif(h.document - array[
             'id',
             case when f.title is not null then 'title' end,
             case when f.event_at is not null then 'event_at' end,
             case when f.description is not null then 'description' end,
             case when f.event_type is not null then 'event_type' end,
             case when f.location is not null then 'location' end
           ], '{}'), h.valid_from
      from headcount.event_history h
     cross join lateral (
       select headcount_internal.stored_text(h.document->'title') as title,
              headcount_internal.stored_instant(h.document->'event_at') as event_at,
              headcount_internal.stored_text(h.document->'description') as description,
              headcount_internal.stored_text(h.document->'event_type') as event_type,
              headcount_internal.stored_text(h.document->'location') as location
       offset 0
     ) f
     where headcount_internal.account_at(account, instant) is not null
       and h.account_id = (select headcount_internal.account_at(account, instant))
       and h.valid_from <= instant and instant < h.valid_to
  $function$

function events_at(instant timestamp with time zone) -- The events of the account at a moment, as runs saw it; a moment before the first run or before the horizon of prune is an error. The account is that of the setting headcount.account, else default, else the only one.
CREATE OR REPLACE FUNCTION headcount.events_at(instant timestamp with time zone)
 RETURNS SETOF headcount.past_event
 LANGUAGE sql
 STABLE
AS $function$
      select * from headcount.events_at(headcount_internal.default_account(), instant)
    $function$

function headcount_internal.account_at(account text, instant timestamp with time zone) -- The number of an account, when its mirror can tell of that moment; an error otherwise.
CREATE OR REPLACE FUNCTION headcount_internal.account_at(account text, instant timestamp with time zone)
 RETURNS integer
 LANGUAGE plpgsql
 STABLE
AS $function$
    declare
      known headcount.accounts;
      first_run timestamptz;
      asked text := headcount_internal.iso_utc(instant);
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
 STABLE
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
AS $function$
    select jsonb_strip_nulls(jsonb_build_object(
             'id', event.id, 'title', event.title, 'event_at', headcount_internal.iso_utc(event.event_at),
             'description', event.description, 'event_type', event.event_type, 'location', event.location))
        || coalesce(event._extra, '{}')
  $function$

function headcount_internal.is_paid(document jsonb) -- Whether the response of a document had a row in payments.
CREATE OR REPLACE FUNCTION headcount_internal.is_paid(document jsonb)
 RETURNS boolean
 LANGUAGE sql
 IMMUTABLE
AS $function$
    select coalesce(jsonb_typeof(document->'amount') <> 'null', false)
        or coalesce(jsonb_typeof(document->'processing_fee') <> 'null', false)
  $function$

function headcount_internal.is_wall_clock(wall text) -- Whether the text is a real date and time of the years 1 to 9999, in the form YYYY-MM-DDTHH:MM:SS, with up to six fraction digits.
CREATE OR REPLACE FUNCTION headcount_internal.is_wall_clock(wall text)
 RETURNS boolean
 LANGUAGE plpgsql
 IMMUTABLE
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
AS $function$
    select headcount_internal.iso_wall_clock(wall)
        || case when minutes < 0 then '-' else '+' end
        || lpad((abs(minutes) / 60)::text, 2, '0') || ':' || lpad((abs(minutes) % 60)::text, 2, '0')
      from (select (extract(epoch from wall - (instant at time zone 'UTC')) / 60)::int as minutes) as shift
  $function$

function headcount_internal.iso_utc(instant timestamp with time zone) -- An instant as ISO 8601 text in UTC.
CREATE OR REPLACE FUNCTION headcount_internal.iso_utc(instant timestamp with time zone)
 RETURNS text
 LANGUAGE sql
 STABLE STRICT
AS $function$
    select headcount_internal.iso_wall_clock(instant at time zone 'UTC') || 'Z'
  $function$

function headcount_internal.iso_wall_clock(wall timestamp without time zone) -- A wall clock as ISO 8601 text without zone.
CREATE OR REPLACE FUNCTION headcount_internal.iso_wall_clock(wall timestamp without time zone)
 RETURNS text
 LANGUAGE sql
 STABLE STRICT
AS $function$
    select to_char(wall, 'YYYY-MM-DD"T"HH24:MI:SS') || rtrim(rtrim(to_char(wall, '.US'), '0'), '.')
  $function$

function headcount_internal.kind_of(document jsonb) -- The kind of the response of a document.
CREATE OR REPLACE FUNCTION headcount_internal.kind_of(document jsonb)
 RETURNS text
 LANGUAGE sql
 IMMUTABLE
AS $function$
    select case
             when coalesce(jsonb_typeof(document->'rsvp') <> 'null', false)::int
                + headcount_internal.is_paid(document)::int
                + coalesce(document->'slots' not in ('null', '[]'), false)::int > 1 then 'mixed'
             when jsonb_typeof(document->'rsvp') <> 'null' then 'reply'
             when headcount_internal.is_paid(document) then 'payment'
             when jsonb_typeof(document->'slots') <> 'null' then 'signup'
             when jsonb_typeof(document->'quantity') <> 'null' then 'reply'
             else 'bare'
           end
  $function$

function headcount_internal.normalised_email_key(email text) -- email_key of an address in an unusual spelling.
CREATE OR REPLACE FUNCTION headcount_internal.normalised_email_key(email text)
 RETURNS text
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
AS $function$
    select case when octet_length(key) <= 1000 then nullif(key, '')
                else 'sha256:' || encode(sha256(convert_to(key, 'UTF8')), 'hex') end
      from (select lower(normalize(btrim(email, E' \t\n\r\f\x0b'), NFC) collate "C") as key) normalised
  $function$

function headcount_internal.response_document(response headcount.responses) -- A response as the service would write it, with its payment and slots.
CREATE OR REPLACE FUNCTION headcount_internal.response_document(response headcount.responses)
 RETURNS jsonb
 LANGUAGE sql
 STABLE
AS $function$
    select d.document
      from headcount.response_documents d
     where d.account_id = response.account_id and d.event_id = response.event_id and d.response_id = response.id
  $function$

function headcount_internal.stored_amount(value jsonb) -- A field of a document as its numeric column had it; NULL when it was set aside.
CREATE OR REPLACE FUNCTION headcount_internal.stored_amount(value jsonb)
 RETURNS numeric
 LANGUAGE sql
 IMMUTABLE
AS $function$
    select case
             when jsonb_typeof(value) = 'string' and value #>> '{}' ~ '^-?[0-9]+(?:\.[0-9]+)?$'
              and length(ltrim(split_part(value #>> '{}', '.', 1), '-0')) <= 131072
              and length(split_part(value #>> '{}', '.', 2)) <= 16383
             then (value #>> '{}')::numeric
           end
  $function$

function headcount_internal.stored_bigint(value jsonb) -- A field of a document as its bigint column had it; NULL when it was set aside.
CREATE OR REPLACE FUNCTION headcount_internal.stored_bigint(value jsonb)
 RETURNS bigint
 LANGUAGE sql
 IMMUTABLE
AS $function$
    select case
             when jsonb_typeof(value) = 'number'
             then case
                    when value::numeric = trunc(value::numeric)
                     and value::numeric between -9223372036854775808 and 9223372036854775807
                    then value::bigint
                  end
           end
  $function$

function headcount_internal.stored_instant(value jsonb) -- A field of a document as its timestamptz column had it; NULL when it was set aside.
CREATE OR REPLACE FUNCTION headcount_internal.stored_instant(value jsonb)
 RETURNS timestamp with time zone
 LANGUAGE plpgsql
 STABLE
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
      utc := sent::timestamptz at time zone 'UTC';
      return case when utc >= timestamp '0001-01-01' and utc < timestamp '10000-01-01' then sent end;
    end
  $function$

function headcount_internal.stored_slots(value jsonb) -- The slots of a document that had rows of their own; NULL when they were set aside.
CREATE OR REPLACE FUNCTION headcount_internal.stored_slots(value jsonb)
 RETURNS jsonb
 LANGUAGE sql
 IMMUTABLE
AS $function$
    select case
             when jsonb_typeof(value) = 'array'
             then case when not jsonb_path_exists(value, 'strict $[*] ? (@.type() != "object")') then value end
           end
  $function$

function headcount_internal.stored_text(value jsonb) -- A field of a document as its text column had it; NULL when it was set aside.
CREATE OR REPLACE FUNCTION headcount_internal.stored_text(value jsonb)
 RETURNS text
 LANGUAGE sql
 IMMUTABLE
AS $function$
    select case when jsonb_typeof(value) = 'string' then value #>> '{}' end
  $function$

function payments_at(account text, instant timestamp with time zone) -- The payments of an account at a moment, as runs saw it; a moment before the first run or before the horizon of prune is an error.
CREATE OR REPLACE FUNCTION headcount.payments_at(account text, instant timestamp with time zone)
 RETURNS SETOF headcount.past_payment
 LANGUAGE sql
 STABLE
AS $function$
    select p.account_id, p.event_id, p.response_id, p.amount, p.processing_fee
      from headcount.payments p
      join headcount.responses r on r.account_id = p.account_id and r.event_id = p.event_id and r.id = p.response_id
     where headcount_internal.account_at(account, instant) is not null
       and p.account_id = (select headcount_internal.account_at(account, instant))
       and r._changed_at <= instant
    union all
    select h.account_id, h.event_id, h.response_id, headcount_internal.stored_amount(h.document->'amount'),
           headcount_internal.stored_amount(h.document->'processing_fee')
      from headcount.response_history h
     where headcount_internal.account_at(account, instant) is not null
       and h.account_id = (select headcount_internal.account_at(account, instant))
       and h.valid_from <= instant and instant < h.valid_to
       and headcount_internal.is_paid(h.document)
  $function$

function payments_at(instant timestamp with time zone) -- The payments of the account at a moment, as runs saw it; a moment before the first run or before the horizon of prune is an error. The account is that of the setting headcount.account, else default, else the only one.
CREATE OR REPLACE FUNCTION headcount.payments_at(instant timestamp with time zone)
 RETURNS SETOF headcount.past_payment
 LANGUAGE sql
 STABLE
AS $function$
      select * from headcount.payments_at(headcount_internal.default_account(), instant)
    $function$

function responses_at(account text, instant timestamp with time zone) -- The responses of an account at a moment, as runs saw it; a moment before the first run or before the horizon of prune is an error.
CREATE OR REPLACE FUNCTION headcount.responses_at(account text, instant timestamp with time zone)
 RETURNS SETOF headcount.past_response
 LANGUAGE sql
 STABLE
AS $function$
    select r.account_id, r.event_id, r.id, r.kind, r.name, r.email, r.message, r.quantity, r.rsvp,
           r.created_at, r.updated_at, r._extra, r._changed_at
      from headcount.responses r
     where headcount_internal.account_at(account, instant) is not null
       and r.account_id = (select headcount_internal.account_at(account, instant))
       and r._changed_at <= instant
    union all
    select h.account_id, h.event_id, h.response_id, headcount_internal.kind_of(h.document), f.name, f.email, f.message,
           f.quantity, f.rsvp, f.created_at, f.updated_at,
           nullif(h.document - array[
             'id',
             case when f.name is not null then 'name' end,
             case when f.email is not null then 'email' end,
             case when f.message is not null then 'message' end,
             case when f.quantity is not null then 'quantity' end,
             case when f.rsvp is not null then 'rsvp' end,
             case when f.created_at is not null then 'created_at' end,
             case when f.updated_at is not null then 'updated_at' end,
             case when headcount_internal.stored_amount(h.document->'amount') is not null then 'amount' end,
             case when headcount_internal.stored_amount(h.document->'processing_fee') is not null then 'processing_fee' end,
             case when headcount_internal.stored_slots(h.document->'slots') is not null then 'slots' end
           ], '{}'), h.valid_from
      from headcount.response_history h
     cross join lateral (
       select headcount_internal.stored_text(h.document->'name') as name,
              headcount_internal.stored_text(h.document->'email') as email,
              headcount_internal.stored_text(h.document->'message') as message,
              headcount_internal.stored_bigint(h.document->'quantity') as quantity,
              headcount_internal.stored_text(h.document->'rsvp') as rsvp,
              headcount_internal.stored_instant(h.document->'created_at') as created_at,
              headcount_internal.stored_instant(h.document->'updated_at') as updated_at
       offset 0
     ) f
     where headcount_internal.account_at(account, instant) is not null
       and h.account_id = (select headcount_internal.account_at(account, instant))
       and h.valid_from <= instant and instant < h.valid_to
  $function$

function responses_at(instant timestamp with time zone) -- The responses of the account at a moment, as runs saw it; a moment before the first run or before the horizon of prune is an error. The account is that of the setting headcount.account, else default, else the only one.
CREATE OR REPLACE FUNCTION headcount.responses_at(instant timestamp with time zone)
 RETURNS SETOF headcount.past_response
 LANGUAGE sql
 STABLE
AS $function$
      select * from headcount.responses_at(headcount_internal.default_account(), instant)
    $function$

function slots_at(account text, instant timestamp with time zone) -- The slots of an account at a moment, as runs saw it; a moment before the first run or before the horizon of prune is an error.
CREATE OR REPLACE FUNCTION headcount.slots_at(account text, instant timestamp with time zone)
 RETURNS SETOF headcount.past_slot
 LANGUAGE sql
 STABLE
AS $function$
    select s.account_id, s.event_id, s.response_id, s.position, s.name, s.start_date, s.end_date,
           s.start_local, s.end_local, s._extra
      from headcount.slots s
      join headcount.responses r on r.account_id = s.account_id and r.event_id = s.event_id and r.id = s.response_id
     where headcount_internal.account_at(account, instant) is not null
       and s.account_id = (select headcount_internal.account_at(account, instant))
       and r._changed_at <= instant
    union all
    select h.account_id, h.event_id, h.response_id, slot.position::int, f.name, f.start_date::timestamptz,
           f.end_date::timestamptz, left(f.start_date, -6)::timestamp, left(f.end_date, -6)::timestamp,
           nullif(slot.document - array[
             case when f.name is not null then 'name' end,
             case when f.start_date is not null then 'start_date' end,
             case when f.end_date is not null then 'end_date' end
           ], '{}')
      from headcount.response_history h
     cross join lateral jsonb_array_elements(headcount_internal.stored_slots(h.document->'slots'))
                        with ordinality slot (document, position)
     cross join lateral (
       select headcount_internal.stored_text(slot.document->'name') as name,
              headcount_internal.stored_slot_time(slot.document->'start_date') as start_date,
              headcount_internal.stored_slot_time(slot.document->'end_date') as end_date
       offset 0
     ) f
     where headcount_internal.account_at(account, instant) is not null
       and h.account_id = (select headcount_internal.account_at(account, instant))
       and h.valid_from <= instant and instant < h.valid_to
  $function$

function slots_at(instant timestamp with time zone) -- The slots of the account at a moment, as runs saw it; a moment before the first run or before the horizon of prune is an error. The account is that of the setting headcount.account, else default, else the only one.
CREATE OR REPLACE FUNCTION headcount.slots_at(instant timestamp with time zone)
 RETURNS SETOF headcount.past_slot
 LANGUAGE sql
 STABLE
AS $function$
      select * from headcount.slots_at(headcount_internal.default_account(), instant)
    $function$
