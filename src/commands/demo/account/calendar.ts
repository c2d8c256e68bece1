/** Days and hours of a place, and how the service writes them. Instants are milliseconds since 1970 (UTC). */

export const minute = 60_000
export const hour = 60 * minute
export const day = 24 * hour

/** A date in the calendar of a place; `month` counts from 1. */
export interface PlainDate {
  readonly year: number
  readonly month: number
  readonly day: number
}

/** An instant as the service writes it: `YYYY-MM-DDTHH:MM:SSZ`. */
export function utcText(instant: number): string {
  return `${new Date(instant).toISOString().slice(0, 19)}Z`
}

/** An instant on the wall clock of a zone, as the service writes it for slots: `YYYY-MM-DDTHH:MM:SS+HH:MM`. */
export function zonedText(instant: number, timeZone: string): string {
  const offset = offsetAt(instant, timeZone)
  const sign = offset < 0 ? '-' : '+'
  const minutes = Math.abs(offset) / minute
  const wallClock = new Date(instant + offset).toISOString().slice(0, 19)
  return `${wallClock}${sign}${twoDigits(Math.floor(minutes / 60))}:${twoDigits(minutes % 60)}`
}

/** The instant at which a clock on the wall shows this time; `minutes` counts from local midnight and may pass 24 h. */
export function toMicroseconds(date: PlainDate, minutes: number, timeZone: string): number {
  const wallClock = Date.UTC(date.year, date.month - 1, date.day) + minutes * minute
  const guess = wallClock - offsetAt(wallClock, timeZone)
  // The first guess reads the offset some hours off; near a change of the clocks the second look mends it.
  return wallClock - offsetAt(guess, timeZone)
}

/** The date in the zone's calendar at this instant. */
export function dateAt(instant: number, timeZone: string): PlainDate {
  const local = new Date(instant + offsetAt(instant, timeZone))
  return { year: local.getUTCFullYear(), month: local.getUTCMonth() + 1, day: local.getUTCDate() }
}

export function plusDays(date: PlainDate, days: number): PlainDate {
  const moved = new Date(Date.UTC(date.year, date.month - 1, date.day + days))
  return { year: moved.getUTCFullYear(), month: moved.getUTCMonth() + 1, day: moved.getUTCDate() }
}

/** 0 is Sunday, as in `Date`. */
export function weekdayOf(date: PlainDate): number {
  return new Date(Date.UTC(date.year, date.month - 1, date.day)).getUTCDay()
}

/** The first such weekday on or after the date. */
export function nextWeekday(date: PlainDate, weekday: number): PlainDate {
  return plusDays(date, (weekday - weekdayOf(date) + 7) % 7)
}

/** `YYYY-MM-DD`. */
export function dateText(date: PlainDate): string {
  return `${date.year}-${twoDigits(date.month)}-${twoDigits(date.day)}`
}

/** The last night before this date on which the zone's clocks changed in the given month: the Saturday of that night. */
export function lastClockChange(before: PlainDate, month: number, timeZone: string): PlainDate {
  for (let back = 1; back <= 366; back++) {
    const date = plusDays(before, -back)
    if (date.month !== month) continue
    const noon = toMicroseconds(date, 12 * 60, timeZone)
    if (offsetAt(noon, timeZone) !== offsetAt(noon + day, timeZone)) return date
  }
  throw new RangeError(
    `the clocks of ${timeZone} do not change in month ${month}: name another zone or month`,
  )
}

const formats = new Map<string, Intl.DateTimeFormat>()

/** The zone's offset from UTC at this instant, in milliseconds, by the time-zone data of the platform. */
function offsetAt(instant: number, timeZone: string): number {
  let format = formats.get(timeZone)
  if (format === undefined) {
    format = new Intl.DateTimeFormat('en-GB', { timeZone, timeZoneName: 'longOffset', hour: 'numeric' })
    formats.set(timeZone, format)
  }
  const name = format.formatToParts(instant).find((part) => part.type === 'timeZoneName')?.value ?? 'GMT'
  const found = /^GMT([+-])(\d{2}):(\d{2})$/.exec(name)
  if (found === null) return 0
  const [, sign, hours, minutes] = found
  return (sign === '-' ? -1 : 1) * (Number(hours) * hour + Number(minutes) * minute)
}

function twoDigits(number: number): string {
  return String(number).padStart(2, '0')
}
