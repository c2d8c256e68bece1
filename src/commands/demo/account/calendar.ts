/** How the service writes time. Instants are milliseconds since 1970 (UTC); a local date is its midnight as if in UTC. */

export const minute = 60_000
export const hour = 60 * minute
export const day = 24 * hour

/** An instant as the service writes it: `YYYY-MM-DDTHH:MM:SSZ`. */
export function utcText(instant: number): string {
  return `${new Date(instant).toISOString().slice(0, 19)}Z`
}

/** An instant on the wall clock of a zone, as the service writes it for slots: `YYYY-MM-DDTHH:MM:SS+HH:MM`. */
export function zonedText(instant: number, timeZone: string): string {
  const offset = offsetAt(instant, timeZone)
  const wallClock = new Date(instant + offset).toISOString().slice(0, 19)
  return `${wallClock}${offset < 0 ? '-' : '+'}${new Date(Math.abs(offset)).toISOString().slice(11, 16)}`
}

/** The instant at which the clocks of the zone show this time; `hours` count from local midnight. */
export function toInstant(date: number, hours: number, timeZone: string): number {
  const wallClock = date + hours * hour
  // The first guess reads the offset some hours off, which matters near a change of the clocks.
  const guess = wallClock - offsetAt(wallClock, timeZone)
  return wallClock - offsetAt(guess, timeZone)
}

export function localDate(instant: number, timeZone: string): number {
  const local = instant + offsetAt(instant, timeZone)
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

const formats = new Map<string, Intl.DateTimeFormat>()

/** The zone's offset from UTC at this instant, in milliseconds, by the time-zone data of the platform. */
function offsetAt(instant: number, timeZone: string): number {
  const format =
    formats.get(timeZone) ??
    new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short', timeStyle: 'medium' })
  formats.set(timeZone, format)
  const second = Math.floor(instant / 1000) * 1000
  return Date.parse(`${format.format(second).replace(' ', 'T')}Z`) - second
}
