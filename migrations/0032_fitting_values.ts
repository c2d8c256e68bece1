/**
 * Documents of history hold the originals of fields that were set aside, which may be anything: a name where a number should be.
 * The twins of the views of changes show only values that fit the column of their field, as the live twins do.
 */
import { eventChangesQuery, eventTransitions } from './0020_changes.ts'
import { namedFields } from './0021_without_personal.ts'

/** @param changes of events, each with its documents */
export const fittingTransitions = (changes: string) => `
        select t.account_id, t.event_id, t.changed_at, t.change, headcount_internal.item_without_personal(t.former) as former,
               headcount_internal.item_without_personal(t.document) as document, t.run_id
          from (${changes}
          ) t`
export const fittingEventTransitions = fittingTransitions(eventTransitions)

export const fittingValues: readonly string[] = [
  `create or replace function headcount_internal.slots_without_personal(value jsonb) returns jsonb
    language sql stable parallel safe as $$
    select jsonb_agg(
             (select coalesce(jsonb_object_agg(field.key, field.value), '{}')
                from jsonb_each(slot.document) field
               where case
                       when field.key not in ('name', 'start_date', 'end_date') then false
                       when field.value = 'null' then true
                       when field.key = 'name' then headcount_internal.stored_text(field.value) is not null
                       else headcount_internal.stored_slot_time(field.value) is not null
                     end)
             order by slot.position)
      from jsonb_array_elements(headcount_internal.stored_slots(value)) with ordinality slot (document, position)
  $$`,
  `comment on function headcount_internal.slots_without_personal(jsonb) is
    'Slots of a document with the fields that the specification names, and of these the values that fit; NULL of what is no list of slots.'`,
  `create or replace function headcount_internal.item_without_personal(item jsonb) returns jsonb
    language sql stable strict parallel safe as $$
    select coalesce(
             jsonb_object_agg(
               field.key,
               case when field.key = 'slots' then headcount_internal.slots_without_personal(field.value) else field.value end),
             '{}')
      from jsonb_each(item) field
     where case
             when field.key <> all (${namedFields}) then false
             when field.key = 'slots' or field.value = 'null' then true
             when field.key = 'id' then jsonb_typeof(field.value) in ('string', 'number')
             when field.key = 'quantity' then headcount_internal.stored_bigint(field.value) is not null
             when field.key in ('amount', 'processing_fee') then headcount_internal.stored_amount(field.value) is not null
             when field.key in ('event_at', 'created_at', 'updated_at') then headcount_internal.stored_instant(field.value) is not null
             else headcount_internal.stored_text(field.value) is not null
           end
  $$`,
  `comment on function headcount_internal.item_without_personal(jsonb) is
    'A document with the fields that the specification names and that hold no personal data, and of these the values that fit.'`,
  `create or replace view headcount.event_changes_without_personal as${eventChangesQuery(fittingEventTransitions)}`,
]
