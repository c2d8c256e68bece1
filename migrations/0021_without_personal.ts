/**
 * What may be shown to whoever must not see names, addresses and messages: twins of tables and views without these columns. The
 * declaration of personal columns is in src/common/schema/personal-data.ts; a test compares the twins with it.
 */
import { isShown } from './0012_account_setting.ts'
import { personId, view } from './0020_view.ts'

const only = 'For readers who must not see names, addresses and messages.'

/** Fields of an item that the specification names and that hold no personal data. */
export const namedFields = `array['id', 'title', 'event_at', 'description', 'event_type', 'location', 'quantity', 'rsvp',
                     'created_at', 'updated_at', 'amount', 'processing_fee', 'slots']`

const columnComments = {
  kind: 'Shape of the item: reply, payment, signup, mixed or bare.',
  quantity: 'Number of people or units.',
  rsvp: 'The reply as the service spells it.',
  created_at: 'When the response was made, by the service.',
  updated_at: 'When the response was last changed, by the service.',
  _first_seen_at: 'When a run first stored this row; a row that comes back begins anew.',
  _changed_at: 'When a run last changed this row.',
  _run_id: 'The run that stored the present version (sync_runs.id).',
}

const events = view({
  name: 'events_without_personal',
  comment: `The table events without personal data. ${only} Titles, descriptions and locations may contain a name.`,
  columns: {
    ...columnComments,
    id: 'Event identifier of the service.',
    title: 'Event title.',
    description: 'Free text.',
    location: 'Free text.',
  },
  query: `
    select e.account_id, a.name as account, e.id, e.title, e.event_at, e.description, e.event_type, e.location,
           e._first_seen_at, e._changed_at, e._run_id
      from headcount.events e
      join headcount.accounts a on a.id = e.account_id
     where ${isShown('e')}`,
})

const responses = view({
  name: 'responses_without_personal',
  comment: `The table responses without personal data, with a pseudonym of the person. ${only}`,
  columns: { ...columnComments, id: 'Response identifier of the service, unique within its event.' },
  query: `
    select r.account_id, a.name as account, r.event_id, r.id, r.kind, r.quantity, r.rsvp, r.created_at, r.updated_at,
           r._first_seen_at, r._changed_at, r._run_id,
           ${personId('r.account_id', 'headcount.email_key(r.email)')} as person_id
      from headcount.responses r
      join headcount.accounts a on a.id = r.account_id
     where ${isShown('r')}`,
})

const slots = view({
  name: 'slots_without_personal',
  comment: `The table slots without personal data. ${only} The name of a slot may contain a name.`,
  columns: {
    position: "Place in the response's list of slots, from 1.",
    name: 'Slot label.',
    start_local: 'Start on the wall clock as sent.',
    end_local: 'End on the wall clock as sent.',
  },
  query: `
    select s.account_id, a.name as account, s.event_id, s.response_id, s.position, s.name, s.start_date, s.end_date,
           s.start_local, s.end_local
      from headcount.slots s
      join headcount.accounts a on a.id = s.account_id
     where ${isShown('s')}`,
})

const responseDetails = view({
  name: 'response_details_without_personal',
  comment: `The view response_details without personal data. ${only}`,
  columns: {
    ...columnComments,
    amount: 'Amount paid.',
    processing_fee: 'Processing fee.',
    slot_count: 'Number of slots.',
  },
  query: `
    select d.account_id, a.name as account, d.event_id, d.event_title, d.event_at, d.response_id, d.kind, d.quantity, d.rsvp,
           d.amount, d.processing_fee, d.slot_count, d.created_at, d.updated_at,
           ${personId('d.account_id', 'headcount.email_key(d.email)')} as person_id
      from headcount.response_details d
      join headcount.accounts a on a.id = d.account_id`,
})

const eventRespondents = view({
  name: 'event_respondents_without_personal',
  comment: `The view event_respondents without personal data. ${only}`,
  columns: {
    response_id: 'The response (responses.id), only of a person without an e-mail key.',
    responses: 'Responses of the person to the event.',
    meaning: 'What the latest reply means: coming, maybe, not_coming or unknown; NULL without a reply.',
    slots: 'Slots that the person takes.',
    expected: 'People to expect of this person: the most of yes-replies, payments and sign-ups.',
  },
  query: `
    select account_id, account, event_id, event_title, event_at, response_id, person_id, responses, meaning, coming, maybe,
           unknown, payments, amount, processing_fee, amount_after_fee, sign_ups, slots, expected,
           first_response_at, last_response_at
      from headcount.event_respondents`,
})

const respondents = view({
  name: 'respondents_without_personal',
  comment: `The view respondents without personal data. ${only}`,
  columns: {
    responses: 'Live responses of the person.',
    events: 'Different events that the person answered.',
    events_coming: 'Events for which the person is expected. Answers, not attendance.',
    people: 'People of all responses of the person.',
  },
  query: `
    select account_id, account, person_id, responses, events, events_coming, people, sign_ups, payments, amount,
           processing_fee, amount_after_fee, first_response_at, last_response_at
      from headcount.respondents`,
})

const eventChanges = view({
  name: 'event_changes_without_personal',
  comment: `The view event_changes without personal data: only fields that the specification names. ${only}`,
  columns: {
    event_title: 'Title of the event now, else the last one known.',
    event_at: 'When the event takes place, else the last time known.',
    what: 'announced, returned, moved, renamed, relocated, edited or removed.',
    field: 'The field that changed. NULL for insert and delete.',
    old_value: 'What it was. Of a delete, the event as JSON.',
    new_value: 'What it became. Of an insert, the event as JSON.',
  },
  query: `
    select c.account_id, c.account, c.event_id, c.event_title, c.event_at, c.changed_at, c.run_id, c.change, c.what, c.field,
           case c.change when 'update' then c.old_value
                else headcount_internal.item_without_personal(c.old_value::jsonb)::text end as old_value,
           case c.change when 'update' then c.new_value
                else headcount_internal.item_without_personal(c.new_value::jsonb)::text end as new_value,
           c.initial
      from headcount.event_changes c
     where c.field is null or c.field = any (${namedFields})`,
})

const responseChanges = view({
  name: 'response_changes_without_personal',
  comment: `The view response_changes without personal data: only fields that the specification names, and of inserts and deletes no values. ${only}`,
  columns: {
    field: 'The field that changed; slots as a whole. NULL for insert and delete.',
    old_value: 'What it was: text as it is, all else as JSON; NULL for insert and delete.',
    new_value: 'What it became; NULL for insert and delete.',
    event_title: 'Title of the event now, else the last one known.',
  },
  query: `
    select c.account_id, c.account, c.event_id, c.response_id, c.changed_at, c.change, field.name as field,
           item.former->>field.name as old_value, item.record->>field.name as new_value,
           c.event_title, c.initial, c.run_id
      from headcount.changes c
     cross join lateral (
       select headcount_internal.item_without_personal(case when c.change = 'update' then c.former end) as former,
              headcount_internal.item_without_personal(case when c.change = 'update' then c.record end) as record
       offset 0
     ) item
      left join lateral unnest(c.fields) field (name) on field.name = any (${namedFields})
     where c.entity = 'response'
       and (c.change <> 'update' or item.former->>field.name is distinct from item.record->>field.name)`,
})

const changes = view({
  name: 'changes_without_personal',
  comment: `The view changes without personal data: only fields that the specification names. ${only}`,
  columns: {
    run_finished_at: 'When the run ended; NULL while it goes on: skip such rows.',
    entity: 'event or response; payments and slots are fields of their response.',
    response_id: 'The response (responses.id); NULL for an event.',
    event_title: 'Title of the event now, else the last one known.',
    event_at: 'When the event takes place, else the last time known.',
    person_id: 'Pseudonym of the person whose e-mail address the record has; NULL without one.',
    fields:
      'The changed fields that may be shown, sorted; empty when only others changed. NULL unless update.',
    record: 'The item after the change; of a delete the last one known.',
    former: 'Former values of these fields, JSON null where one was absent; NULL unless update.',
  },
  query: `
    select c.account_id, c.account, c.run_id, c.run_finished_at, c.changed_at, c.entity, c.event_id, c.response_id, c.change,
           c.initial, c.event_title, c.event_at, c.person_id,
           case when c.fields is not null
                then array(select f from unnest(c.fields) f where f = any (${namedFields}) order by f collate "C") end as fields,
           headcount_internal.item_without_personal(c.record) as record,
           headcount_internal.item_without_personal(c.former) as former
      from headcount.changes c`,
})

const listStatus = view({
  name: 'list_status_without_personal',
  comment: 'The view list_status without error messages, which may quote what the service sent.',
  columns: {
    checked_at: 'When the service last answered for the list: in full, or with "not modified".',
    next_check_at: 'When it is due again; NULL means at the next run.',
    held: 'Deletions kept back.',
    held_since: 'Since when the oldest of them.',
    rejected: 'Items that cannot be stored and were not accepted.',
    set_aside: 'Fields that could not be stored in their column.',
    failing: 'Whether the last reading failed.',
    failed_at: 'When it failed.',
    error_code: 'Why it failed.',
    accepted: 'Items that cannot be stored, accepted by the owner (rejects accept).',
  },
  query: `
    select account_id, account, event_id, event_title, checked_at, next_check_at, held, held_since, rejected, set_aside,
           failing, failed_at, error_code, accepted
      from headcount.list_status`,
})

const count = (path: string) => `(r.report #>> '{${path}}')::bigint`

const runSummary = view({
  name: 'run_summary',
  comment: 'The runs with their counts, without what they say of single items.',
  columns: {
    run_id: 'Number of the run.',
    mode: 'sync or backfill.',
    status:
      'running, succeeded, partial, held, failed, interrupted, or abandoned (taken over by a later run).',
    started_at: 'When it started.',
    finished_at: 'When it ended.',
    events_listed: 'Events that the service listed.',
    events_due: 'Events whose list was due.',
    events_changed: 'Events whose rows changed.',
    events_failed: 'Events whose list could not be read or stored.',
    responses_inserted: 'Responses that came.',
    responses_updated: 'Responses that changed.',
    responses_deleted: 'Responses that the service no longer returned.',
    held: 'Deletions kept back.',
    rejected: 'Items that cannot be stored.',
    set_aside: 'Fields that could not be stored in their column.',
  },
  query: `
    select r.account_id, a.name as account, r.id as run_id, r.mode, r.status, r.started_at, r.finished_at,
           ${count('events,listed')} as events_listed, ${count('events,due')} as events_due,
           ${count('events,changed')} as events_changed, ${count('events,failed')} as events_failed,
           ${count('rows,responses,inserted')} as responses_inserted, ${count('rows,responses,updated')} as responses_updated,
           ${count('rows,responses,deleted')} as responses_deleted,
           ${count('held')} as held, ${count('rejected')} as rejected, ${count('set_aside')} as set_aside
      from headcount.sync_runs r
      join headcount.accounts a on a.id = r.account_id
     where r.mode in ('sync', 'backfill') and ${isShown('r')}`,
})

/**
 * The functions of the past read accounts and runs, which readers may not. Those who may read responses may call these two; nobody
 * else learns the names of accounts from them.
 */
const functionsForReaders = ['account_at(text, timestamptz)', 'default_account()'].flatMap((signature) => [
  `alter function headcount_internal.${signature} security definer set search_path = pg_catalog`,
  `revoke execute on function headcount_internal.${signature} from public`,
  `do $$
   declare
     reader oid;
   begin
     for reader in
       select distinct granted.grantee
         from pg_class c, aclexplode(c.relacl) granted
        where c.oid = 'headcount.responses'::regclass and granted.privilege_type = 'SELECT' and granted.grantee <> c.relowner
     loop
       execute format('grant execute on function headcount_internal.${signature} to %s',
                      case reader when 0 then 'public' else reader::regrole::text end);
     end loop;
   end $$`,
])

export const withoutPersonal: readonly string[] = [
  ...functionsForReaders,
  `create or replace function headcount_internal.slots_without_personal(value jsonb) returns jsonb
    language sql immutable parallel safe as $$
    select jsonb_agg(
             (select coalesce(jsonb_object_agg(field.key, field.value), '{}')
                from jsonb_each(slot.document) field
               where field.key in ('name', 'start_date', 'end_date')
                 and jsonb_typeof(field.value) not in ('object', 'array'))
             order by slot.position)
      from jsonb_array_elements(headcount_internal.stored_slots(value)) with ordinality slot (document, position)
  $$`,
  `comment on function headcount_internal.slots_without_personal(jsonb) is
    'Slots of a document with the fields that the specification names; NULL of what is no list of slots.'`,
  `create or replace function headcount_internal.item_without_personal(item jsonb) returns jsonb
    language sql immutable strict parallel safe as $$
    select coalesce(
             jsonb_object_agg(
               field.key,
               case when field.key = 'slots' then headcount_internal.slots_without_personal(field.value) else field.value end),
             '{}')
      from jsonb_each(item) field
     where field.key = any (${namedFields}) and (field.key = 'slots' or jsonb_typeof(field.value) not in ('object', 'array'))
  $$`,
  `comment on function headcount_internal.item_without_personal(jsonb) is
    'A document with the fields that the specification names and that hold no personal data.'`,
  ...events,
  ...responses,
  ...slots,
  ...responseDetails,
  ...eventRespondents,
  ...respondents,
  ...eventChanges,
  ...responseChanges,
  ...changes,
  ...listStatus,
  ...runSummary,
]
