import { dateText, day, localDate, nextWeekday, toInstant, utcText, zonedText } from './calendar.ts'
import type { SampleEvent, SampleResponse, SampleSlot } from './items.ts'
import type { Person } from './people.ts'
import { timeZones, type Series } from './programme.ts'

/** One event with its list: what is offered, who has not replied yet, and who has. */
export interface EventState {
  readonly series: Series
  readonly startsAt: number
  event: SampleEvent
  readonly offered: readonly (readonly [slot: SampleSlot, weight: number])[]
  /** Slots for which nobody has signed up yet. */
  readonly unclaimed: SampleSlot[]
  readonly guests: Person[]
  readonly responses: SampleResponse[]
}

/** The events of a series around `now`, with empty lists. `invite` gives each its guests. */
export function createEventStates(series: Series, now: number, invite: () => Person[]): EventState[] {
  const timeZone = timeZones[series.place]
  const today = localDate(now, timeZone)
  return series.days.map((days, index) => {
    const date = today + days * day
    const moved = series.weekday === undefined ? date : nextWeekday(date, series.weekday)
    return createEventState(series, moved, index, invite())
  })
}

function createEventState(series: Series, date: number, index: number, guests: Person[]): EventState {
  const timeZone = timeZones[series.place]
  const startsAt = toInstant(date, series.startsAt, timeZone)
  const at = (hours: number) => zonedText(toInstant(date, hours, timeZone), timeZone)
  const offered = (series.slots ?? []).map(
    ([name, from, to, weight]) => [{ name, start_date: at(from), end_date: at(to) }, weight] as const,
  )
  return {
    series,
    startsAt,
    event: {
      id: `${series.slug}-${dateText(date)}`,
      title: series.titles[index % series.titles.length] ?? series.slug,
      event_at: utcText(startsAt),
      description: series.description,
      event_type: series.eventType,
      location: series.location,
    },
    offered,
    unclaimed: offered.map(([slot]) => slot),
    guests,
    responses: [],
  }
}
