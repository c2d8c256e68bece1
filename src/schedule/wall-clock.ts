const DAY_MS = 86_400_000
const WEEK_MS = 7 * DAY_MS
const FIVE_YEARS_MS = 5 * 366 * DAY_MS

/** How far a wall clock is ahead of UTC, written so that it is the name of a time zone too: `+01:00`. */
export type Offset = string

/** The offset of a time zone at an instant (ms since 1970). */
export function offsetAt(timeZone: string, instant: number): Offset {
  const parts = offsetFormat(timeZone).formatToParts(instant)
  const name = parts.find(({ type }) => type === 'timeZoneName')?.value ?? 'GMT'
  return name === 'GMT' ? '+00:00' : name.slice('GMT'.length)
}

const formats = new Map<string, Intl.DateTimeFormat>()

function offsetFormat(timeZone: string): Intl.DateTimeFormat {
  const known = formats.get(timeZone)
  if (known) return known
  const made = new Intl.DateTimeFormat('en-US', { timeZone, timeZoneName: 'longOffset' })
  formats.set(timeZone, made)
  return made
}

/** Every offset that the zone has in the five years from an instant on; a week is shorter than any summer time. */
export function upcomingOffsets(timeZone: string, instant: number): readonly Offset[] {
  const offsets = new Set<Offset>()
  for (let at = instant; at < instant + FIVE_YEARS_MS; at += WEEK_MS) offsets.add(offsetAt(timeZone, at))
  return [...offsets]
}

export function offsetMs(offset: Offset): number {
  const [hours = 0, minutes = 0] = offset.slice(1).split(':').map(Number)
  return (offset.startsWith('-') ? -1 : 1) * (hours * 60 + minutes) * 60_000
}

/**
 * The instant that a wall clock's reading (its digits as ms since 1970) means: of two the first one, and where the
 * clock leaps over it, the reading of a clock that had not been changed.
 */
export function instantOfWallClock(timeZone: string, reading: number): number {
  const before = reading - offsetMs(offsetAt(timeZone, reading - DAY_MS))
  const after = reading - offsetMs(offsetAt(timeZone, reading + DAY_MS))
  const isRead = (instant: number) => instant + offsetMs(offsetAt(timeZone, instant)) === reading
  return isRead(before) || !isRead(after) ? before : after
}
