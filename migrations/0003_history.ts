import { comments } from './0003_comments.ts'
import { responseChanges } from './0003_response_changes.ts'
import { storedValues } from './0003_stored_values.ts'

/**
 * History one can use: the mirror as it was at a moment, and what changed when.
 *
 * The four functions are single selects without side effects: Postgres puts them in the place of the call, so that
 * `where event_id = …` reaches the indexes of the live table and of history. For that their rows have types of their
 * own, with event ids `collate "C"` as in the tables: a comparison by another collation would find no index.
 * `offset 0` keeps a subquery whole, so that each field of a document is read once, and only when it is asked for.
 * A field that went into a column leaves what `_extra` was; a NULL in the array takes nothing away.
 */
export const history: readonly string[] = [
  // Both for `prune`, and for what changed since some moment; not led by account_id, for most mirrors have one.
  `create index event_history_ended on headcount.event_history (valid_to)`,
  `create index response_history_ended on headcount.response_history (valid_to)`,

  ...storedValues,

  `create type headcount.past_event as (
    account_id int,
    id text collate "C",
    title text,
    event_at timestamptz,
    description text,
    event_type text,
    location text,
    _extra jsonb,
    _changed_at timestamptz
  )`,

  `create type headcount.past_response as (
    account_id int,
    event_id text collate "C",
    id bigint,
    kind text,
    name text,
    email text,
    message text,
    quantity bigint,
    rsvp text,
    created_at timestamptz,
    updated_at timestamptz,
    _extra jsonb,
    _changed_at timestamptz
  )`,

  `create type headcount.past_payment as (
    account_id int,
    event_id text collate "C",
    response_id bigint,
    amount numeric,
    processing_fee numeric
  )`,

  `create type headcount.past_slot as (
    account_id int,
    event_id text collate "C",
    response_id bigint,
    position int,
    name text,
    start_date timestamptz,
    end_date timestamptz,
    start_local timestamp,
    end_local timestamp,
    _extra jsonb
  )`,

  `create function headcount.account_at(account text, instant timestamptz) returns int
    language plpgsql stable as $$
    declare
      known headcount.accounts;
      first_run timestamptz;
      asked text := headcount.iso_utc(instant);
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
                           account, headcount.iso_utc(greatest(first_run, known._history_from)), asked);
      elsif instant < first_run then
        raise exception using errcode = '22023',
          message = format('the first run of account "%s" began at %s: that is the earliest moment that its mirror can tell of, not %s',
                           account, headcount.iso_utc(first_run), asked);
      elsif instant > clock_timestamp() then
        raise exception using errcode = '22023',
          message = format('%s is yet to come (the database''s clock says %s): for the present ask the live tables',
                           asked, headcount.iso_utc(clock_timestamp()));
      end if;
      return known.id;
    end
  $$`,

  // The first condition is evaluated once and before any row is looked at, also where there are no rows: it raises.
  `create function headcount.events_at(account text, instant timestamptz) returns setof headcount.past_event
    language sql stable as $$
    select e.account_id, e.id, e.title, e.event_at, e.description, e.event_type, e.location, e._extra, e._changed_at
      from headcount.events e
     where headcount.account_at(account, instant) is not null
       and e.account_id = (select headcount.account_at(account, instant))
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
       select headcount.stored_text(h.document->'title') as title,
              headcount.stored_instant(h.document->'event_at') as event_at,
              headcount.stored_text(h.document->'description') as description,
              headcount.stored_text(h.document->'event_type') as event_type,
              headcount.stored_text(h.document->'location') as location
       offset 0
     ) f
     where headcount.account_at(account, instant) is not null
       and h.account_id = (select headcount.account_at(account, instant))
       and h.valid_from <= instant and instant < h.valid_to
  $$`,

  `create function headcount.responses_at(account text, instant timestamptz) returns setof headcount.past_response
    language sql stable as $$
    select r.account_id, r.event_id, r.id, r.kind, r.name, r.email, r.message, r.quantity, r.rsvp,
           r.created_at, r.updated_at, r._extra, r._changed_at
      from headcount.responses r
     where headcount.account_at(account, instant) is not null
       and r.account_id = (select headcount.account_at(account, instant))
       and r._changed_at <= instant
    union all
    select h.account_id, h.event_id, h.response_id, headcount.kind_of(h.document), f.name, f.email, f.message,
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
             case when headcount.stored_amount(h.document->'amount') is not null then 'amount' end,
             case when headcount.stored_amount(h.document->'processing_fee') is not null then 'processing_fee' end,
             case when headcount.stored_slots(h.document->'slots') is not null then 'slots' end
           ], '{}'), h.valid_from
      from headcount.response_history h
     cross join lateral (
       select headcount.stored_text(h.document->'name') as name,
              headcount.stored_text(h.document->'email') as email,
              headcount.stored_text(h.document->'message') as message,
              headcount.stored_bigint(h.document->'quantity') as quantity,
              headcount.stored_text(h.document->'rsvp') as rsvp,
              headcount.stored_instant(h.document->'created_at') as created_at,
              headcount.stored_instant(h.document->'updated_at') as updated_at
       offset 0
     ) f
     where headcount.account_at(account, instant) is not null
       and h.account_id = (select headcount.account_at(account, instant))
       and h.valid_from <= instant and instant < h.valid_to
  $$`,

  `create function headcount.payments_at(account text, instant timestamptz) returns setof headcount.past_payment
    language sql stable as $$
    select p.account_id, p.event_id, p.response_id, p.amount, p.processing_fee
      from headcount.payments p
      join headcount.responses r on r.account_id = p.account_id and r.event_id = p.event_id and r.id = p.response_id
     where headcount.account_at(account, instant) is not null
       and p.account_id = (select headcount.account_at(account, instant))
       and r._changed_at <= instant
    union all
    select h.account_id, h.event_id, h.response_id, headcount.stored_amount(h.document->'amount'),
           headcount.stored_amount(h.document->'processing_fee')
      from headcount.response_history h
     where headcount.account_at(account, instant) is not null
       and h.account_id = (select headcount.account_at(account, instant))
       and h.valid_from <= instant and instant < h.valid_to
       and headcount.is_paid(h.document)
  $$`,

  `create function headcount.slots_at(account text, instant timestamptz) returns setof headcount.past_slot
    language sql stable as $$
    select s.account_id, s.event_id, s.response_id, s.position, s.name, s.start_date, s.end_date,
           s.start_local, s.end_local, s._extra
      from headcount.slots s
      join headcount.responses r on r.account_id = s.account_id and r.event_id = s.event_id and r.id = s.response_id
     where headcount.account_at(account, instant) is not null
       and s.account_id = (select headcount.account_at(account, instant))
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
     cross join lateral jsonb_array_elements(headcount.stored_slots(h.document->'slots'))
                        with ordinality slot (document, position)
     cross join lateral (
       select headcount.stored_text(slot.document->'name') as name,
              headcount.stored_slot_time(slot.document->'start_date') as start_date,
              headcount.stored_slot_time(slot.document->'end_date') as end_date
       offset 0
     ) f
     where headcount.account_at(account, instant) is not null
       and h.account_id = (select headcount.account_at(account, instant))
       and h.valid_from <= instant and instant < h.valid_to
  $$`,

  ...responseChanges,
  ...comments,
]
