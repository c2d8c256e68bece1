/** Earlier events to compare with; and, beside it, the values of `rsvp`. */
import { compareBytes } from './documents.ts'
import { micros } from './instants.ts'
import type { EventRow, ViewRow } from './rows.ts'
import { ofAccount, order, type World } from './world.ts'

const MOST = 3

export function similarEvents(world: World): ViewRow[] {
  const answered = new Set(world.responses.map(({ row }) => row.event_id))
  const candidates = [...world.events.values()].filter(({ id }) => answered.has(id))
  return [...world.events.values()].flatMap((event) =>
    candidates
      .filter((other) => isSimilar(event, other))
      .toSorted(latestFirst)
      .slice(0, MOST)
      .map((similar, index) => ({
        ...ofAccount(world),
        event_id: event.id,
        similar_event_id: similar.id,
        similar_event_title: similar.title,
        similar_event_at: similar.event_at,
        rank: index + 1,
      })),
  )
}

function isSimilar(event: EventRow, other: EventRow): boolean {
  return (
    event.event_at !== null &&
    other.event_at !== null &&
    micros(other.event_at) < micros(event.event_at) &&
    other.event_type === event.event_type &&
    event.title !== null &&
    other.title !== null &&
    series(other.title) === series(event.title)
  )
}

function series(title: string): string {
  return title.replace(/[0-9 \t\n\r\f\v]/g, '')
}

function latestFirst(one: EventRow, other: EventRow): number {
  const [a, b] = [micros(one.event_at ?? ''), micros(other.event_at ?? '')]
  return order(b, a) || compareBytes(one.id, other.id)
}

export function rsvpValues(world: World): ViewRow[] {
  const rows: ViewRow[] = []
  for (const [value, responses] of Map.groupBy(world.responses, ({ row }) => row.rsvp)) {
    if (value === null) continue
    rows.push({
      ...ofAccount(world),
      value,
      responses: String(responses.length),
      meaning: world.meaningOf(value),
    })
  }
  return rows
}
