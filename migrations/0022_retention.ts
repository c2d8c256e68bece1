/**
 * What is kept of an event whose personal data were forgotten: rows without names, addresses, messages and unknown fields, and the
 * marker that says so. The marker decides what is expected of the rows, not the clock.
 */
import { isShown } from './0012_account_setting.ts'

const forgottenAt =
  'When names, addresses and messages of the responses were forgotten: they are stored without since then. NULL where they were not.'

/** The views of lists say it, for a NULL alone says nothing. */
const listStatus: readonly string[] = [
  `create or replace view headcount.list_status as
    select s.account_id, a.name as account, s.event_id, e.title as event_title, s.checked_at, s.next_check_at,
           s.held_deletion_count as held, s.held_deletions_since as held_since, rejects.rejected,
           s.set_aside, s.error_code is not null as failing, s.failed_at, s.error_code, s.error_message,
           rejects.accepted, s.forgotten_at
      from headcount.sync_state s
      join headcount.accounts a on a.id = s.account_id
      left join headcount.events e on e.account_id = s.account_id and e.id = s.event_id
     cross join lateral (
       select count(*) filter (where k.sha256 is null) as rejected, count(k.sha256) as accepted
         from headcount.rejects j
         left join headcount.accepted_rejects k
           on k.account_id = j.account_id and k.event_id is not distinct from j.event_id and k.sha256 = j.sha256
        where j.account_id = s.account_id and j.event_id is not distinct from nullif(s.event_id, '')
     ) rejects
     where ${isShown('s')}`,
  `create or replace view headcount.list_status_without_personal as
    select account_id, account, event_id, event_title, checked_at, next_check_at, held, held_since, rejected, set_aside,
           failing, failed_at, error_code, accepted, forgotten_at
      from headcount.list_status`,
  ...['list_status', 'list_status_without_personal'].map(
    (view) => `comment on column headcount.${view}.forgotten_at is '${forgottenAt}'`,
  ),
]

export const retention: readonly string[] = [
  `alter table headcount.sync_state add column forgotten_at timestamptz`,
  `comment on column headcount.sync_state.forgotten_at is
    'When the personal data of the responses were forgotten: they are stored without since then. NULL where they were not. An event that is moved into the future loses this mark at its next reading.'`,
  `alter table headcount.event_history add column forgotten_at timestamptz`,
  `comment on column headcount.event_history.forgotten_at is
    'Of an event that was removed: when the personal data in former versions of its responses were forgotten; NULL where they were not.'`,
  `alter table headcount.rejects alter column payload drop not null`,
  `comment on column headcount.rejects.payload is
    'The item as it was sent, cut at 64 KiB; NULL when the personal data of the event were forgotten.'`,

  // Each value in the form that its column would give it. A value that was set aside stood in _extra, which is forgotten.
  `create or replace function headcount_internal.slots_without_extra(value jsonb) returns jsonb
    language sql stable parallel safe as $$
    select coalesce(
             jsonb_agg(
               jsonb_strip_nulls(jsonb_build_object(
                 'name', headcount_internal.stored_text(slot.document->'name'),
                 'start_date', headcount_internal.stored_slot_time(slot.document->'start_date'),
                 'end_date', headcount_internal.stored_slot_time(slot.document->'end_date')))
               order by slot.position),
             '[]')
      from jsonb_array_elements(headcount_internal.stored_slots(value)) with ordinality slot (document, position)
  $$`,
  `comment on function headcount_internal.slots_without_extra(jsonb) is
    'Slots of a document with the fields that the specification names, and of these the values that fit.'`,
  `create or replace function headcount_internal.forgotten_response(document jsonb) returns jsonb
    language sql stable strict parallel safe as $$
    select jsonb_strip_nulls(jsonb_build_object(
             'id', document->'id',
             'quantity', headcount_internal.stored_bigint(document->'quantity'),
             'rsvp', headcount_internal.stored_text(document->'rsvp'),
             'created_at', case when headcount_internal.stored_instant(document->'created_at') is not null then document->'created_at' end,
             'updated_at', case when headcount_internal.stored_instant(document->'updated_at') is not null then document->'updated_at' end,
             'amount', case when headcount_internal.stored_amount(document->'amount') is not null then document->'amount' end,
             'processing_fee', case when headcount_internal.stored_amount(document->'processing_fee') is not null
                                    then document->'processing_fee' end))
           || case
                   when headcount_internal.stored_slots(document->'slots') is not null
                   then jsonb_build_object('slots', headcount_internal.slots_without_extra(document->'slots'))
                   when headcount_internal.kind_of(document) = 'signup' then '{"slots": []}'
                   else '{}'
              end
  $$`,
  `comment on function headcount_internal.forgotten_response(jsonb) is
    'A document of a response without personal data: no name, e-mail, message or field that the specification does not name.'`,
  ...listStatus,
]
