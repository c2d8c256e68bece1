import type { Shape } from './items.ts'
import type { Place } from './people/people.ts'

/**
 * A kind of event that one of the three houses of the Lantern network puts on. All of it is invented; dates
 * are counted from the day on which the account is made: there is always something behind and something ahead.
 */
export interface Series {
  /** The event ids are this and the date: `repair-cafe-2026-03-14`. */
  readonly slug: string
  readonly place: Place
  readonly eventType: string
  /** Taken in turn. */
  readonly titles: readonly string[]
  readonly description: string
  readonly location: string
  readonly when: Schedule
  /** Minutes from local midnight. */
  readonly startsAt: number
  /** Fewest and most responses, once everybody has replied. */
  readonly size: readonly [number, number]
  readonly shapes: readonly (readonly [Shape, number])[]
  /** Of one ticket, in hundredths. */
  readonly price?: number
  readonly slots?: readonly PlannedSlot[]
}

/** Days from today (each moved on to the weekday, when one is given), or the nights on which the clocks last changed. */
export type Schedule =
  | { readonly days: readonly number[]; readonly weekday?: number }
  | { readonly clockChangesOf: readonly number[] }

/** `from` and `to` in minutes from local midnight of the event's day; a slot of small weight stays thin. */
export interface PlannedSlot {
  readonly name: string
  readonly from: number
  readonly to: number
  readonly weight: number
}

export const timeZones: Record<Place, string> = {
  berlin: 'Europe/Berlin',
  brooklyn: 'America/New_York',
  kolkata: 'Asia/Kolkata',
}

export const lindenhof = 'Lindenhof, Ahornstraße 12, Berlin'
export const maple = 'Maple Street House, 48 Maple Street, Brooklyn, NY'
export const kadamtala = 'Kadamtala House, 7 Lake View Road, Kolkata'

export const weekdays = { sunday: 0, tuesday: 2, friday: 5, saturday: 6 } as const

/** Minutes from midnight. */
export const at = (hours: number, minutes = 0) => hours * 60 + minutes

export function slot(name: string, from: number, to: number, weight = 4): PlannedSlot {
  return { name, from, to, weight }
}
