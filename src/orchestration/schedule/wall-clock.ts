const DAY_MS = 86_400_000
const WEEK_MS = 7 * DAY_MS
const FIVE_YEARS_MS = 5 * 366 * DAY_MS

/** An offset from UTC, in a form that is also the name of a time zone: `+01:00`. */
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

/** Every offset of the zone in the five years after an instant. Steps of a week find every daylight-saving period. */
export function upcomingOffsets(timeZone: string, instant: number): readonly Offset[] {
  const offsets = new Set<Offset>()
  for (let at = instant; at < instant + FIVE_YEARS_MS; at += WEEK_MS) offsets.add(offsetAt(timeZone, at))
  return [...offsets]
}

export function offsetMs(offset: Offset): number {
  // Seconds are local mean time, of more than a hundred years ago.
  const [hours = 0, minutes = 0, seconds = 0] = offset.slice(1).split(':').map(Number)
  return (offset.startsWith('-') ? -1 : 1) * (hours * 3600 + minutes * 60 + seconds) * 1000
}

/**
 * The instant of a wall-clock reading (its digits as ms since 1970). Of two instants it is the first one. For a missing
 * reading, the offset before the change applies.
 */
export function instantOfWallClock(timeZone: string, reading: number): number {
  const before = reading - offsetMs(offsetAt(timeZone, reading - DAY_MS))
  const after = reading - offsetMs(offsetAt(timeZone, reading + DAY_MS))
  const isRead = (instant: number) => instant + offsetMs(offsetAt(timeZone, instant)) === reading
  return isRead(before) || !isRead(after) ? before : after
}
