/** What the entries of a calendar are made of, as SQL. */
import { literal } from '../../../db/quote.ts'
import type { LinkSource } from '../formats/format.ts'

export const CALENDAR_COLUMNS = [
  'event_id',
  'title',
  'slot',
  'start',
  'end',
  'location',
  'text',
  'names',
  'changed',
  'cancelled',
] as const

export type CalendarColumn = (typeof CALENDAR_COLUMNS)[number]

/** What can be shown as a calendar. */
export const CALENDAR_VIEWS = ['events', 'event_summary', 'slots', 'slot_summary', 'thin_slots'] as const

export type CalendarView = (typeof CALENDAR_VIEWS)[number]

/** What went is shown as cancelled while it is no older than this, and went no longer ago. */
const CANCELLED_FOR = `interval '2160 hours'`

type Scope = Pick<LinkSource, 'account' | 'event' | 'withPersonal'>

export const calendarQueries: Readonly<Record<CalendarView, (scope: Scope) => string>> = {
  events: (scope) => eventsQuery(scope, 'e.description', '', greatest('e._changed_at')),
  event_summary: (scope) =>
    eventsQuery(
      scope,
      `concat_ws(e'\\n', 'Expected: ' || s.expected, 'Replies: ' || s.replies || ', coming: ' || s.coming || ', maybe: ' || s.maybe,
                 'Payments: ' || s.payments || coalesce(', amount: ' || s.amount, ''), 'Sign-ups: ' || s.sign_ups, e.description)`,
      'join headcount.event_summary s on s.account_id = e.account_id and s.event_id = e.id',
      changeOfEvent(scope),
    ),
  slots: (scope) => slotsQuery(scope, 'slot_summary', scope.withPersonal ? names : 'null::text'),
  slot_summary: (scope) => slotsQuery(scope, 'slot_summary', 'null::text'),
  thin_slots: (scope) => slotsQuery(scope, 'thin_slots', 'null::text'),
}

/**
 * The last change of anything that is shown of the event `e`. An erasure counts for all events; the horizon of `prune` and the moment of
 * forgetting stand for the history that they removed, so that no moment comes before an earlier answer.
 */
function changeOfEvent({ account: { id } }: Scope): string {
  return greatest(
    'e._changed_at',
    '(select max(r._changed_at) from headcount.responses r where r.account_id = e.account_id and r.event_id = e.id)',
    '(select max(h.valid_to) from headcount.response_history h where h.account_id = e.account_id and h.event_id = e.id)',
    '(select s.forgotten_at from headcount.sync_state s where s.account_id = e.account_id and s.event_id = e.id)',
    `(select max(run.finished_at) from headcount.sync_runs run where run.account_id = ${id} and run.mode = 'erase')`,
    `(select account._history_from from headcount.accounts account where account.id = ${id})`,
  )
}

function greatest(...moments: readonly string[]): string {
  return `greatest(${moments.join(', ')})`
}

/** Who takes the slot `s`, in the order in which they signed up. */
const names = `(
  select string_agg(case when r.name ~ '\\S' then r.name else 'somebody' end || case when r.quantity > 1 then ' × ' || r.quantity else '' end, ', '
                    order by r.created_at, r.id)
    from headcount.responses r
   where r.account_id = s.account_id and r.event_id = s.event_id
     and exists (select from headcount.slots taken
                  where taken.account_id = r.account_id and taken.event_id = r.event_id and taken.response_id = r.id
                    and taken.name is not distinct from s.slot_name
                    and taken.start_date is not distinct from s.start_date
                    and taken.end_date is not distinct from s.end_date))`

function eventsQuery({ account, event }: Scope, text: string, join: string, changed: string): string {
  const one = (column: string) => (event === null ? '' : `and ${column} = ${literal(event)}`)
  return selected(`
    select e.id as event_id, e.title, null::text as slot, e.event_at as start, null::timestamptz as "end", e.location,
           ${text} as text, null::text as names, ${changed} as changed, false as cancelled
      from headcount.events e ${join}
     where e.account_id = ${account.id} ${one('e.id')}
    union all
    select h.event_id, headcount_internal.stored_text(h.document->'title'), null,
           headcount_internal.stored_instant(h.document->'event_at'), null,
           headcount_internal.stored_text(h.document->'location'), null, null, h.valid_to, true
      from (${formerEvents(account.id)}) h
     where h.valid_to > now() - ${CANCELLED_FOR} ${one('h.event_id')}`)
}

/** The last version of each event that the service no longer lists. */
function formerEvents(accountId: number): string {
  return `
    select distinct on (h.event_id) h.event_id, h.document, h.valid_to
      from headcount.event_history h
     where h.account_id = ${accountId}
       and not exists (select from headcount.events e where e.account_id = h.account_id and e.id = h.event_id)
     order by h.event_id, h.valid_to desc, h.ended_by_run_id desc`
}

function slotsQuery(scope: Scope, view: 'slot_summary' | 'thin_slots', people: string): string {
  const { account, event } = scope
  const one = (column: string) => (event === null ? '' : `and ${column} = ${literal(event)}`)
  const live = `
    select s.event_id, s.event_title as title, s.slot_name as slot, s.start_date as start, s.end_date as "end", e.location,
           'People: ' || s.people || ', wanted: ' || s.wanted as text, ${people} as names, ${changeOfEvent(scope)} as changed, false as cancelled
      from headcount.${view} s
      join headcount.events e on e.account_id = s.account_id and e.id = s.event_id
     where s.account_id = ${account.id} ${one('s.event_id')}`
  return selected(
    view === 'thin_slots' ? live : `${live} union all ${formerSlots(account.id, one('h.event_id'))}`,
  )
}

/** Slots that some former version of a response took, and none takes now. */
function formerSlots(accountId: number, condition: string): string {
  return `
    select former.event_id, coalesce(e.title, headcount_internal.stored_text(gone.document->'title')), former.slot,
           former.start, former."end", e.location, null, null, greatest(former.changed, gone.valid_to, e._changed_at), true
      from (
        select h.event_id, f.name as slot, f.start_date::timestamptz as start, f.end_date::timestamptz as "end",
               max(h.valid_to) as changed
          from headcount.response_history h
         cross join lateral jsonb_array_elements(headcount_internal.stored_slots(h.document->'slots')) slot (document)
         cross join lateral (
           select headcount_internal.stored_text(slot.document->'name') as name,
                  headcount_internal.stored_slot_time(slot.document->'start_date') as start_date,
                  headcount_internal.stored_slot_time(slot.document->'end_date') as end_date
           offset 0
         ) f
         where h.account_id = ${accountId} and h.valid_to > now() - ${CANCELLED_FOR} ${condition}
         group by h.event_id, f.name, f.start_date::timestamptz, f.end_date::timestamptz
      ) former
      left join headcount.events e on e.account_id = ${accountId} and e.id = former.event_id
      left join (${formerEvents(accountId)}) gone on gone.event_id = former.event_id
     where not exists (select from headcount.slots taken
                        where taken.account_id = ${accountId} and taken.event_id = former.event_id
                          and taken.name is not distinct from former.slot
                          and taken.start_date is not distinct from former.start
                          and taken.end_date is not distinct from former."end")`
}

/** In a fixed order, without what has no time, and without what is cancelled and long past. */
function selected(entries: string): string {
  return `
    select event_id, title, slot, to_json(start)#>>'{}', to_json("end")#>>'{}', location, text, names,
           to_json(changed)#>>'{}', cancelled::text
      from (${entries}) entry
     where start >= '1900-01-01' and (not cancelled or start > now() - ${CANCELLED_FOR})
     order by start, event_id, slot, "end"`
}
