/** How the responses of an event came and went, day by day. */
import { dayOf, dayOrNull, daysBetween, latest } from './instants.ts'
import { sumOf } from './people.ts'
import type { EventRow, ViewRow } from './rows.ts'
import { ofAccount, order, type World } from './world.ts'

interface Happening {
  readonly day: string
  readonly isNew: boolean
  readonly people: bigint
}

export function responsePace(world: World): ViewRow[] {
  return [...world.events.values()].flatMap((event) => paceOf(world, event))
}

function paceOf(world: World, event: EventRow): ViewRow[] {
  const eventDay = dayOrNull(event.event_at, world.zone)
  const rows: ViewRow[] = []
  let responses = 0n
  let people = 0n
  const byDay = Map.groupBy(happenings(world, event), ({ day }) => day)
  for (const [day, ofDay] of [...byDay].toSorted(([one], [other]) => (one < other ? -1 : 1))) {
    const came = ofDay.filter(({ isNew }) => isNew)
    const went = ofDay.filter(({ isNew }) => !isNew)
    const newPeople = sumOf(came.map((one) => one.people))
    const withdrawnPeople = sumOf(went.map((one) => one.people))
    responses += BigInt(came.length - went.length)
    people += newPeople - withdrawnPeople
    rows.push({
      ...ofAccount(world),
      event_id: event.id,
      event_title: event.title,
      event_day: eventDay,
      day,
      days_before: eventDay === null ? null : daysBetween(eventDay, day),
      new_responses: String(came.length),
      withdrawn_responses: String(went.length),
      new_people: String(newPeople),
      withdrawn_people: String(withdrawnPeople),
      responses_so_far: String(responses),
      people_so_far: String(people),
      known_since: knownSince(world),
    })
  }
  return rows
}

function happenings(world: World, event: EventRow): Happening[] {
  const found: Happening[] = []
  for (const { row, people } of world.responses) {
    if (row.event_id !== event.id) continue
    found.push({ day: dayOf(row.created_at ?? row._first_seen_at, world.zone), isNew: true, people })
  }
  for (const { eventId, last, people, earliestFrom, deletedAt } of world.gone) {
    if (eventId !== event.id) continue
    found.push({ day: dayOf(last.created_at ?? earliestFrom, world.zone), isNew: true, people })
    found.push({ day: dayOf(deletedAt, world.zone), isNew: false, people })
  }
  return found
}

/** The start of the account's first run, or the horizon of prune when that is later. */
function knownSince(world: World): string | null {
  const [first] = world.runs.toSorted((one, other) => order(BigInt(one.id), BigInt(other.id)))
  return dayOrNull(latest([first?.started_at ?? null, world.account._history_from]), world.zone)
}
