/** How the service writes time. Instants are milliseconds since 1970 (UTC); a local date is its midnight as if in UTC. */
import { instantOfWallClock, offsetAt, offsetMs } from '../../../orchestration/schedule/wall-clock.ts'

export const minute = 60_000
export const hour = 60 * minute
export const day = 24 * hour

/** An instant as the service writes it: `YYYY-MM-DDTHH:MM:SSZ`. */
export function utcText(instant: number): string {
  return `${new Date(instant).toISOString().slice(0, 19)}Z`
}

/** An instant on the wall clock of a zone, as the service writes it for slots: `YYYY-MM-DDTHH:MM:SS+HH:MM`. */
export function zonedText(instant: number, timeZone: string): string {
  const offset = offsetAt(timeZone, instant)
  return `${new Date(instant + offsetMs(offset)).toISOString().slice(0, 19)}${offset}`
}

/** The instant at which the clocks of the zone show this time; `hours` count from local midnight. */
export function toInstant(date: number, hours: number, timeZone: string): number {
  return instantOfWallClock(timeZone, date + hours * hour)
}

export function localDate(instant: number, timeZone: string): number {
  const local = instant + offsetMs(offsetAt(timeZone, instant))
  return local - (local % day)
}

/** The first such weekday (0 is Sunday) on or after the date. */
export function nextWeekday(date: number, weekday: number): number {
  return date + ((weekday - new Date(date).getUTCDay() + 7) % 7) * day
}

/** `YYYY-MM-DD`. */
export function dateText(date: number): string {
  return utcText(date).slice(0, 10)
}
