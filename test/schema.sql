schema headcount -- Mirror of an event account: events, responses, payments and slots.

table accounts -- The owners of API keys whose data is mirrored here.
  id integer not null generated always as identity -- Key of the account inside this database.
  name text not null -- Name chosen by the user (default: default).
  email text -- E-mail address that the service gave on /ping.
  base_url text -- Base address of the service that the mirror was built from.
  _created_at timestamp with time zone not null default now() -- When the account was first seen here.
  _history_from timestamp with time zone -- Former versions that ended before this moment were pruned; NULL when history is whole.
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
  subject text not null -- What the fact is about, like response.rsvp.
  fact text not null -- Which kind of fact.
  value text not null -- What was seen.
  seen bigint not null -- How often.
  first_seen_at timestamp with time zone not null default now() -- First time.
  last_seen_at timestamp with time zone not null default now() -- Last time.
  constraint api_observations_pkey PRIMARY KEY (account_id, subject, fact, value)

table event_history -- Former versions of events.
  account_id integer not null -- The account (accounts.id).
  event_id text collate "C" not null -- The event (events.id).
  valid_from timestamp with time zone not null -- Since when this version was in the mirror.
  valid_to timestamp with time zone not null -- Until when (exclusive): the start of the next version, or the deletion.
  operation text not null -- How it ended: update (a next version followed) or delete (the service no longer returned it).
  document jsonb not null -- The whole former item in the shape of the API, with amounts and slots.
  ended_by_run_id bigint not null -- The run that ended this version (sync_runs.id).
  constraint event_history_operation_check CHECK ((operation = ANY (ARRAY['update'::text, 'delete'::text])))
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

table reject_acceptances -- Rejects that the owner can live with: until the item changes they are listed, but no cause for exit code 8.
  account_id integer not null -- The account (accounts.id).
  event_id text collate "C" -- The event whose list holds the item; NULL for the list of events.
  sha256 text not null -- SHA-256 of the item as it was accepted, in hexadecimal (rejects.sha256).
  accepted_at timestamp with time zone not null default now() -- When it was accepted.
  constraint reject_acceptances_account_id_event_id_sha256_key UNIQUE NULLS NOT DISTINCT (account_id, event_id, sha256)

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
  constraint response_history_operation_check CHECK ((operation = ANY (ARRAY['update'::text, 'delete'::text])))
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
  CREATE INDEX responses_created_at ON headcount.responses USING btree (created_at)
  CREATE INDEX responses_email ON headcount.responses USING hash (email)

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
  mode text not null -- sync or backfill.
  selective boolean not null default false -- Only named events were read (--event): such a run says nothing of the others.
  status text not null -- running, succeeded, partial, held, failed, interrupted, or abandoned (taken over by a later run).
  holder jsonb -- Which process runs it: host, boot, process namespace, process and its start time.
  started_at timestamp with time zone not null default now() -- When it started.
  heartbeat_at timestamp with time zone not null default now() -- Last sign of life while it runs.
  finished_at timestamp with time zone -- When it ended.
  report jsonb -- Report of the run, as printed by --json.
  backfill_id bigint -- Of a backfill of the whole account: its own id, or that of the interrupted backfill which it continues.
  constraint sync_runs_mode_check CHECK ((mode = ANY (ARRAY['sync'::text, 'backfill'::text])))
  constraint sync_runs_pkey PRIMARY KEY (id)
  constraint sync_runs_status_check CHECK ((status = ANY (ARRAY['running'::text, 'succeeded'::text, 'partial'::text, 'held'::text, 'failed'::text, 'interrupted'::text, 'abandoned'::text])))
  CREATE INDEX sync_runs_by_account ON headcount.sync_runs USING btree (account_id, id DESC)
  CREATE UNIQUE INDEX sync_runs_one_running ON headcount.sync_runs USING btree (account_id) WHERE (status = 'running'::text)

table sync_state with (fillfactor=50) -- What is known of each list: one row an event, and one for the list of events (event_id is empty).
  account_id integer not null -- The account (accounts.id).
  event_id text collate "C" not null -- The event (events.id), or empty for the list of events.
  digest text -- SHA-256 over our normaliser's version and the list's body; NULL unless the list was applied whole.
  normaliser integer -- Version of our normaliser that the digest was made with.
  etag text -- Validator that the service sent with the list.
  checked_at timestamp with time zone -- When the list was last read whole.
  next_check_at timestamp with time zone -- When it is due again; NULL means at the next run.
  step integer -- Seconds that the list of an older event waits while nothing changes.
  backfill_id bigint -- The backfill that last read the list.
  held jsonb -- Deletions kept back: groups of ids with the reason and the moment of their first sight.
  held_count integer not null default 0 -- How many deletions are kept back.
  held_since timestamp with time zone -- Since when the oldest of them.
  set_aside integer not null default 0 -- Fields of the list that could not be stored in their column.
  error_code text -- Why the last reading failed; NULL when it did not.
  error_message text -- The same in words.
  failed_at timestamp with time zone -- When it failed.
  read_at timestamp with time zone -- When the body of the list was last read whole; an answer "not modified" does not move it.
  constraint sync_state_pkey PRIMARY KEY (account_id, event_id)

view freshness -- How fresh each list is: one row an event, and one for the list of events (event_id is empty).
  account_id integer -- The account (accounts.id).
  account text -- Name of the account.
  event_id text collate "C" -- The event (events.id).
  event_title text -- Event title.
  checked_at timestamp with time zone -- When the list was last read whole.
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
    s.held_count AS held,
    s.held_since,
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
             LEFT JOIN headcount.reject_acceptances k ON k.account_id = j.account_id AND NOT k.event_id IS DISTINCT FROM j.event_id AND k.sha256 = j.sha256
          WHERE j.account_id = s.account_id AND NOT j.event_id IS DISTINCT FROM NULLIF(s.event_id, ''::text)) rejects;

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
     LEFT JOIN headcount.payments p ON p.account_id = r.account_id AND p.event_id = r.event_id AND p.response_id = r.id;

function event_document(event headcount.events) -- An event as the service would write it.
CREATE OR REPLACE FUNCTION headcount.event_document(event headcount.events)
 RETURNS jsonb
 LANGUAGE sql
 STABLE
AS $function$
    select jsonb_strip_nulls(jsonb_build_object(
             'id', event.id, 'title', event.title, 'event_at', headcount.iso_utc(event.event_at),
             'description', event.description, 'event_type', event.event_type, 'location', event.location))
        || coalesce(event._extra, '{}')
  $function$

function iso_offset(instant timestamp with time zone, wall timestamp without time zone) -- An instant and its wall clock as ISO 8601 text with the offset.
CREATE OR REPLACE FUNCTION headcount.iso_offset(instant timestamp with time zone, wall timestamp without time zone)
 RETURNS text
 LANGUAGE sql
 STABLE STRICT
AS $function$
    select headcount.iso_wall_clock(wall)
        || case when minutes < 0 then '-' else '+' end
        || lpad((abs(minutes) / 60)::text, 2, '0') || ':' || lpad((abs(minutes) % 60)::text, 2, '0')
      from (select (extract(epoch from wall - (instant at time zone 'UTC')) / 60)::int as minutes) as shift
  $function$

function iso_utc(instant timestamp with time zone) -- An instant as ISO 8601 text in UTC.
CREATE OR REPLACE FUNCTION headcount.iso_utc(instant timestamp with time zone)
 RETURNS text
 LANGUAGE sql
 STABLE STRICT
AS $function$
    select headcount.iso_wall_clock(instant at time zone 'UTC') || 'Z'
  $function$

function iso_wall_clock(wall timestamp without time zone) -- A wall clock as ISO 8601 text without zone.
CREATE OR REPLACE FUNCTION headcount.iso_wall_clock(wall timestamp without time zone)
 RETURNS text
 LANGUAGE sql
 STABLE STRICT
AS $function$
    select to_char(wall, 'YYYY-MM-DD"T"HH24:MI:SS') || rtrim(rtrim(to_char(wall, '.US'), '0'), '.')
  $function$

function response_document(response headcount.responses) -- A response as the service would write it, with its payment and slots.
CREATE OR REPLACE FUNCTION headcount.response_document(response headcount.responses)
 RETURNS jsonb
 LANGUAGE sql
 STABLE
AS $function$
    select jsonb_strip_nulls(jsonb_build_object(
             'id', response.id, 'name', response.name, 'email', response.email, 'message', response.message,
             'quantity', response.quantity, 'rsvp', response.rsvp,
             'created_at', headcount.iso_utc(response.created_at),
             'updated_at', headcount.iso_utc(response.updated_at),
             'amount', payment.amount, 'processing_fee', payment.processing_fee))
        || case
             when slots.document is not null then jsonb_build_object('slots', slots.document)
             when response.kind = 'signup' then '{"slots": []}'
             else '{}'
           end
        || coalesce(response._extra, '{}')
      from (select headcount.slots_document(response.account_id, response.event_id, response.id) as document) slots
      left join (
        select p.amount::text as amount, p.processing_fee::text as processing_fee
          from headcount.payments p
         where p.account_id = response.account_id
           and p.event_id = response.event_id
           and p.response_id = response.id
      ) payment on true
  $function$

function slots_document(account integer, event text, response bigint) -- The slots of a response as the service would write them; NULL when there are none.
CREATE OR REPLACE FUNCTION headcount.slots_document(account integer, event text, response bigint)
 RETURNS jsonb
 LANGUAGE sql
 STABLE
AS $function$
    select jsonb_agg(
             jsonb_strip_nulls(jsonb_build_object(
               'name', s.name,
               'start_date', headcount.iso_offset(s.start_date, s.start_local),
               'end_date', headcount.iso_offset(s.end_date, s.end_local)))
             || coalesce(s._extra, '{}')
             order by s.position)
      from headcount.slots s
     where s.account_id = account and s.event_id = event and s.response_id = response
  $function$
