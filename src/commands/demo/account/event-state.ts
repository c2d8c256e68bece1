import {
  dateAt,
  dateText,
  toMicroseconds,
  lastClockChange,
  nextWeekday,
  plusDays,
  utcText,
  zonedText,
  type PlainDate,
} from './calendar.ts'
import type { SampleEvent, SampleResponse, SampleSlot } from './items.ts'
import type { Person } from './people/people.ts'
import { timeZones, type Series } from './series.ts'

/** One event with its list: what is offered, who has not replied yet, and who has. */
export interface EventState {
  readonly series: Series
  readonly startsAt: number
  event: SampleEvent
  readonly offered: readonly OfferedSlot[]
  /** Slots for which nobody has signed up yet. */
  readonly unclaimed: OfferedSlot[]
  readonly guests: Person[]
  readonly responses: SampleResponse[]
}

export interface OfferedSlot extends SampleSlot {
  readonly weight: number
}

/** The days of a series, counted from the day of `now` in its place. */
export function datesOf(series: Series, now: number): PlainDate[] {
  const timeZone = timeZones[series.place]
  const today = dateAt(now, timeZone)
  const { when } = series
  if ('clockChangesOf' in when)
    return when.clockChangesOf.map((month) => lastClockChange(today, month, timeZone))
  return when.days.map((days) => {
    const date = plusDays(today, days)
    return when.weekday === undefined ? date : nextWeekday(date, when.weekday)
  })
}

/** An empty sheet for the `turn`-th event of a series (from 0) on this date. */
export function createEventState(
  series: Series,
  date: PlainDate,
  turn: number,
  guests: Person[],
): EventState {
  const timeZone = timeZones[series.place]
  const startsAt = toMicroseconds(date, series.startsAt, timeZone)
  const offered = (series.slots ?? []).map(({ name, from, to, weight }) => ({
    name,
    start_date: zonedText(toMicroseconds(date, from, timeZone), timeZone),
    end_date: zonedText(toMicroseconds(date, to, timeZone), timeZone),
    weight,
  }))
  return {
    series,
    startsAt,
    event: {
      id: eventId(series, date),
      title: series.titles[turn % series.titles.length] ?? series.slug,
      event_at: utcText(startsAt),
      description: series.description,
      event_type: series.eventType,
      location: series.location,
    },
    offered,
    unclaimed: [...offered],
    guests,
    responses: [],
  }
}

export function eventId(series: Series, date: PlainDate): string {
  return `${series.slug}-${dateText(date)}`
}
