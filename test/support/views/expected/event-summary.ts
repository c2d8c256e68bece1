import { daysBetween, dayOf, dayOrNull, days, earliest, latest, micros, microsOrNull } from './instants.ts'
import { expectedPeople, repliesInPeople } from './respondents.ts'
import { money } from './payments.ts'
import { sumOf } from './people.ts'
import type { EventRow, ViewRow } from './rows.ts'
import { slotKey } from './slots.ts'
import { ofEvent, responseKey, type LiveResponse, type World } from './world.ts'

export function eventSummary(world: World): ViewRow[] {
  return [...world.events.values()].map((event) => summaryOf(world, event))
}

function summaryOf(world: World, event: EventRow): ViewRow {
  const responses = world.responses.filter(({ row }) => row.event_id === event.id)
  const day = dayOrNull(event.event_at, world.zone)
  const paid = responses.filter(({ payment }) => payment !== undefined)
  const made = responses.map(({ row }) => row.created_at)
  const slots = new Set(responses.flatMap((response) => response.slots.map(slotKey)))
  return {
    ...ofEvent(world, event),
    event_type: event.event_type,
    event_day: day,
    days_until: day === null ? null : daysBetween(day, dayOf(world.nowText, world.zone)),
    responses: String(responses.length),
    respondents: String(new Set(responses.map(({ person }) => person)).size),
    without_email: String(responses.filter(({ key }) => key === null).length),
    replies: String(responses.filter(({ isReply }) => isReply).length),
    ...repliesInPeople(responses),
    not_coming: String(responses.filter(({ meaning }) => meaning === 'not_coming').length),
    payments: String(paid.length),
    ...money(paid),
    sign_ups: String(responses.filter((response) => response.slots.length > 0).length),
    slots: String(slots.size),
    people: String(sumOf(responses.map(({ people }) => people))),
    expected: String(sumOf([...Map.groupBy(responses, ({ person }) => person).values()].map(expectedPeople))),
    first_response_at: earliest(made),
    last_response_at: latest(made),
    ...activity(world, event, responses),
    checked_at: world.states.get(event.id)?.checked_at ?? null,
    complete: isComplete(world, event),
  }
}

function activity(world: World, event: EventRow, responses: readonly LiveResponse[]) {
  const isRecent = (at: bigint | null) => at !== null && at > world.now - days(7n) && at <= world.now
  const live = new Set(responses.map(({ row }) => responseKey(row.event_id, row.id)))
  const edited = new Set<string>()
  const withdrawn = new Set<string>()
  for (const version of world.responseVersions) {
    if (version.event_id !== event.id || !isRecent(micros(version.valid_to))) continue
    const key = responseKey(version.event_id, version.response_id)
    if (version.operation === 'update' && live.has(key)) edited.add(key)
    if (version.operation === 'delete' && !live.has(key)) withdrawn.add(key)
  }
  return {
    new_7d: String(responses.filter(({ row }) => isRecent(microsOrNull(row.created_at))).length),
    edited_7d: String(edited.size),
    withdrawn_7d: String(withdrawn.size),
  }
}

function isComplete(world: World, event: EventRow): boolean {
  const state = world.states.get(event.id)
  return (
    state !== undefined &&
    state.checked_at !== null &&
    state.error_code === null &&
    state.held_deletion_count === 0 &&
    !world.openRejects.some((reject) => reject.event_id === event.id)
  )
}
