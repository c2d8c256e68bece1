const FORM = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,6})?(?:Z|[+-]\d\d:\d\d)$/
const DAYS = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
const MINUTES_OF_DAY = 24 * 60
/** Postgres refuses offsets of 16 hours and more. */
const LARGEST_OFFSET_HOUR = 15

/**
 * Whether the text is an RFC 3339 time stamp that Postgres takes as it is: with `T`, with `Z` or an offset, up to
 * six fraction digits, a real date and time (no leap second), its instant in the years 1 to 9999 of UTC.
 * Strict, for Postgres itself reads `now`, `infinity` and times without a zone.
 */
export function isTimestamp(text: string): boolean {
  if (!FORM.test(text)) return false
  const year = twoDigits(text, 0) * 100 + twoDigits(text, 2)
  const month = twoDigits(text, 5)
  const day = twoDigits(text, 8)
  const hour = twoDigits(text, 11)
  const minute = twoDigits(text, 14)
  if (year < 1 || day < 1 || day > daysIn(year, month)) return false
  if (hour > 23 || minute > 59 || twoDigits(text, 17) > 59) return false
  const offset = offsetMinutes(text)
  return offset !== null && isWithinYears(text, hour * 60 + minute - offset)
}

/** The wall clock of a time stamp as sent: all but its offset. */
export function wallClockOf(timestamp: string): string {
  return timestamp.slice(0, zoneStart(timestamp))
}

/**
 * Microseconds since 1970 of a time stamp that `isTimestamp` has accepted. A bigint: a double holds
 * microseconds only up to the year 2255.
 */
export function instantOf(timestamp: string): bigint {
  const wholeSeconds = timestamp.slice(0, 19) + timestamp.slice(zoneStart(timestamp))
  const fraction = wallClockOf(timestamp).slice(20).padEnd(6, '0')
  return BigInt(Date.parse(wholeSeconds)) * 1000n + BigInt(fraction)
}

function zoneStart(timestamp: string): number {
  return timestamp.length - (timestamp.endsWith('Z') ? 1 : '+00:00'.length)
}

/** Minutes that the wall clock is ahead of UTC; null for an offset that Postgres refuses. */
function offsetMinutes(text: string): number | null {
  if (text.endsWith('Z')) return 0
  const hours = twoDigits(text, text.length - 5)
  const minutes = twoDigits(text, text.length - 2)
  if (hours > LARGEST_OFFSET_HOUR || minutes > 59) return null
  return (hours * 60 + minutes) * (text.at(-6) === '-' ? -1 : 1)
}

/** An offset can carry the first and the last day of the calendar out of it. */
function isWithinYears(text: string, minuteOfDay: number): boolean {
  if (text.startsWith('0001-01-01')) return minuteOfDay >= 0
  if (text.startsWith('9999-12-31')) return minuteOfDay < MINUTES_OF_DAY
  return true
}

function daysIn(year: number, month: number): number {
  const isLeap = year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0)
  return month === 2 && isLeap ? 29 : (DAYS[month - 1] ?? 0)
}

function twoDigits(text: string, at: number): number {
  return (text.charCodeAt(at) - 48) * 10 + text.charCodeAt(at + 1) - 48
}
