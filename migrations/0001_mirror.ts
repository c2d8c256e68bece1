import { comments } from './0001_comments.ts'

/**
 * The mirror as of version 0.1: live tables, history, bookkeeping, two views and the functions that write an
 * item as the service would.
 *
 * Event ids are `collate "C"`: exact, and they load a quarter faster than with a linguistic collation.
 * No foreign keys and no sequences on mirrored tables: a load stays a load.
 */
export const mirror: readonly string[] = [
  `create table headcount.accounts (
    id int generated always as identity primary key,
    name text not null unique,
    email text,
    base_url text,
    _created_at timestamptz not null default now()
  )`,

  `create table headcount.events (
    account_id int not null,
    id text collate "C" not null,
    title text,
    event_at timestamptz,
    description text,
    event_type text,
    location text,
    _extra jsonb,
    _first_seen_at timestamptz not null default now(),
    _changed_at timestamptz not null default now(),
    _run_id bigint not null,
    primary key (account_id, id)
  )`,

  `create table headcount.responses (
    account_id int not null,
    event_id text collate "C" not null,
    id bigint not null,
    kind text not null,
    name text,
    email text,
    message text,
    quantity bigint,
    rsvp text,
    created_at timestamptz,
    updated_at timestamptz,
    _extra jsonb,
    _first_seen_at timestamptz not null default now(),
    _changed_at timestamptz not null default now(),
    _run_id bigint not null,
    primary key (account_id, event_id, id)
  )`,
  // A hash index: a btree refuses keys above 2,704 bytes, and the service bounds no e-mail address.
  `create index responses_email on headcount.responses using hash (email)`,
  // Not led by account_id: most mirrors have one account, and most questions do not name it.
  `create index responses_created_at on headcount.responses (created_at)`,

  `create table headcount.payments (
    account_id int not null,
    event_id text collate "C" not null,
    response_id bigint not null,
    amount numeric,
    processing_fee numeric,
    primary key (account_id, event_id, response_id)
  )`,

  `create table headcount.slots (
    account_id int not null,
    event_id text collate "C" not null,
    response_id bigint not null,
    position int not null,
    name text,
    start_date timestamptz,
    end_date timestamptz,
    start_local timestamp,
    end_local timestamp,
    _extra jsonb,
    primary key (account_id, event_id, response_id, position)
  )`,

  `create table headcount.event_history (
    account_id int not null,
    event_id text collate "C" not null,
    valid_from timestamptz not null,
    valid_to timestamptz not null,
    operation text not null check (operation in ('update', 'delete')),
    document jsonb not null,
    ended_by_run_id bigint not null
  )`,
  `create index event_history_key on headcount.event_history (account_id, event_id, valid_from)`,

  `create table headcount.response_history (
    account_id int not null,
    event_id text collate "C" not null,
    response_id bigint not null,
    valid_from timestamptz not null,
    valid_to timestamptz not null,
    operation text not null check (operation in ('update', 'delete')),
    document jsonb not null,
    ended_by_run_id bigint not null
  )`,
  `create index response_history_key
    on headcount.response_history (account_id, event_id, response_id, valid_from)`,

  `create table headcount.rejects (
    account_id int not null,
    event_id text collate "C",
    item_index int not null,
    reason text not null,
    path text not null,
    payload text not null,
    bytes bigint not null,
    sha256 text not null,
    run_id bigint not null,
    seen_at timestamptz not null default now(),
    unique nulls not distinct (account_id, event_id, item_index)
  )`,

  `create table headcount.sync_runs (
    id bigint generated always as identity primary key,
    account_id int not null,
    mode text not null check (mode in ('sync', 'backfill')),
    selective boolean not null default false,
    status text not null check (
      status in ('running', 'succeeded', 'partial', 'held', 'failed', 'interrupted', 'abandoned')
    ),
    holder jsonb,
    started_at timestamptz not null default now(),
    heartbeat_at timestamptz not null default now(),
    finished_at timestamptz,
    report jsonb
  ) with (fillfactor = 50)`,
  `create unique index sync_runs_one_running on headcount.sync_runs (account_id) where status = 'running'`,
  `create index sync_runs_by_account on headcount.sync_runs (account_id, id desc)`,

  `create table headcount.sync_state (
    account_id int not null,
    event_id text collate "C" not null,
    digest text,
    normaliser int,
    etag text,
    checked_at timestamptz,
    next_check_at timestamptz,
    step int,
    backfill_id bigint,
    held jsonb,
    held_count int not null default 0,
    held_since timestamptz,
    set_aside int not null default 0,
    error_code text,
    error_message text,
    failed_at timestamptz,
    primary key (account_id, event_id)
  ) with (fillfactor = 50)`,

  `create table headcount.api_observations (
    account_id int not null,
    subject text not null,
    fact text not null,
    value text not null,
    seen bigint not null,
    first_seen_at timestamptz not null default now(),
    last_seen_at timestamptz not null default now(),
    primary key (account_id, subject, fact, value)
  )`,

  `create table headcount.api_keys (
    id bigint generated always as identity primary key,
    account_id int not null,
    sha256 text not null unique,
    label text,
    created_at timestamptz not null default now(),
    expires_at timestamptz,
    last_used_on date,
    revoked_at timestamptz
  )`,

  `create view headcount.response_details as
    select r.account_id, r.event_id, e.title as event_title, e.event_at, r.id as response_id, r.kind,
           r.name, r.email, r.message, r.quantity, r.rsvp, p.amount, p.processing_fee,
           (select count(*)
              from headcount.slots s
             where s.account_id = r.account_id and s.event_id = r.event_id and s.response_id = r.id) as slot_count,
           r.created_at, r.updated_at
      from headcount.responses r
      left join headcount.events e on e.account_id = r.account_id and e.id = r.event_id
      left join headcount.payments p
        on p.account_id = r.account_id and p.event_id = r.event_id and p.response_id = r.id`,

  `create view headcount.freshness as
    select s.account_id, a.name as account, s.event_id, e.title as event_title, s.checked_at, s.next_check_at,
           s.held_count as held, s.held_since,
           (select count(*)
              from headcount.rejects j
             where j.account_id = s.account_id and j.event_id is not distinct from nullif(s.event_id, '')) as rejected,
           s.set_aside, s.error_code is not null as failing, s.failed_at, s.error_code, s.error_message
      from headcount.sync_state s
      join headcount.accounts a on a.id = s.account_id
      left join headcount.events e on e.account_id = s.account_id and e.id = s.event_id`,

  // Time stamps as the service writes them, with fractions of a second only when there are any.
  `create function headcount.iso_wall_clock(wall timestamp) returns text language sql stable strict as $$
    select to_char(wall, 'YYYY-MM-DD"T"HH24:MI:SS') || rtrim(rtrim(to_char(wall, '.US'), '0'), '.')
  $$`,

  `create function headcount.iso_utc(instant timestamptz) returns text language sql stable strict as $$
    select headcount.iso_wall_clock(instant at time zone 'UTC') || 'Z'
  $$`,

  `create function headcount.iso_offset(instant timestamptz, wall timestamp) returns text
    language sql stable strict as $$
    select headcount.iso_wall_clock(wall)
        || case when minutes < 0 then '-' else '+' end
        || lpad((abs(minutes) / 60)::text, 2, '0') || ':' || lpad((abs(minutes) % 60)::text, 2, '0')
      from (select (extract(epoch from wall - (instant at time zone 'UTC')) / 60)::int as minutes) as shift
  $$`,

  `create function headcount.event_document(event headcount.events) returns jsonb language sql stable as $$
    select jsonb_strip_nulls(jsonb_build_object(
             'id', event.id, 'title', event.title, 'event_at', headcount.iso_utc(event.event_at),
             'description', event.description, 'event_type', event.event_type, 'location', event.location))
        || coalesce(event._extra, '{}')
  $$`,

  `create function headcount.slots_document(account int, event text, response bigint) returns jsonb
    language sql stable as $$
    select jsonb_agg(
             jsonb_strip_nulls(jsonb_build_object(
               'name', s.name,
               'start_date', headcount.iso_offset(s.start_date, s.start_local),
               'end_date', headcount.iso_offset(s.end_date, s.end_local)))
             || coalesce(s._extra, '{}')
             order by s.position)
      from headcount.slots s
     where s.account_id = account and s.event_id = event and s.response_id = response
  $$`,

  `create function headcount.response_document(response headcount.responses) returns jsonb
    language sql stable as $$
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
  $$`,

  ...comments,
]
