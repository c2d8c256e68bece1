const DAYS = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
const MINUTES_OF_DAY = 24 * 60
/** Postgres rejects offsets of 16 hours and more. */
const MAX_OFFSET_HOUR = 15
const MAX_FRACTION_DIGITS = 6

const DASH = 0x2d
const PLUS = 0x2b
const POINT = 0x2e
const COLON = 0x3a
const ZERO = 0x30
const NINE = 0x39
const T = 0x54
const Z = 0x5a

/** Where the fraction or the zone begins. */
const SECONDS_END = 'YYYY-MM-DDTHH:MM:SS'.length
const UTC_LENGTH = SECONDS_END + 'Z'.length
const OFFSET = '+HH:MM'.length
/** Stands for two characters that are not two digits: far below whatever is made of it. */
const NO_PAIR = -1_000_000
const NO_OFFSET = Infinity

/**
 * Whether the text is an RFC 3339 time stamp that Postgres takes as it is: with `T`, with `Z` or an offset, up to
 * six fraction digits, a real date and time (no leap second), its instant in the years 1 to 9999 of UTC.
 * Strict, for Postgres itself reads `now`, `infinity` and times without a zone.
 *
 * Character by character: a pattern that finds the form and a second look at the digits take twice as long, for three
 * time stamps a response.
 */
export function isTimestamp(text: string): boolean {
  if (text.length <= SECONDS_END || !hasSeparators(text)) return false
  const year = pair(text, 0) * 100 + pair(text, 2)
  const month = pair(text, 5)
  const day = pair(text, 8)
  const hour = pair(text, 11)
  const minute = pair(text, 14)
  const second = pair(text, 17)
  if (year < 1 || day < 1 || /* guard: real dates */ day > daysIn(year, month)) return false
  if (hour < 0 || hour > 23 || minute < 0 || minute > 59 || second < 0 || second > 59) return false
  // Most are in UTC, to the second.
  if (text.length === UTC_LENGTH) return text.charCodeAt(SECONDS_END) === Z
  const offset = offsetMinutes(text, endOfFraction(text))
  return /* guard: form of times */ offset !== NO_OFFSET && isWithinYears(text, hour * 60 + minute - offset)
}

function hasSeparators(text: string): boolean {
  return (
    text.charCodeAt(4) === DASH &&
    text.charCodeAt(7) === DASH &&
    text.charCodeAt(10) === T &&
    text.charCodeAt(13) === COLON &&
    text.charCodeAt(16) === COLON
  )
}

/** The wall clock of a time stamp as sent: all but its offset. */
export function withoutOffset(timestamp: string): string {
  return timestamp.slice(0, zoneStart(timestamp))
}

/**
 * Microseconds since 1970 of a time stamp that `isTimestamp` has accepted. A bigint: a double holds
 * microseconds only up to the year 2255.
 */
export function toMicroseconds(timestamp: string): bigint {
  const wholeSeconds = timestamp.slice(0, 19) + timestamp.slice(zoneStart(timestamp))
  const fraction = withoutOffset(timestamp).slice(20).padEnd(6, '0')
  return BigInt(Date.parse(wholeSeconds)) * 1000n + BigInt(fraction)
}

function zoneStart(timestamp: string): number {
  return timestamp.length - (timestamp.endsWith('Z') ? 1 : '+00:00'.length)
}

/** Where the zone begins; where it would be cannot be one when the fraction is none. */
function endOfFraction(text: string): number {
  if (text.charCodeAt(SECONDS_END) !== POINT) return SECONDS_END
  const start = SECONDS_END + 1
  let at = start
  while (at < start + MAX_FRACTION_DIGITS && isDigit(text.charCodeAt(at))) at += 1
  return at === start ? text.length : at
}

/** Minutes that the wall clock is ahead of UTC; `NO_OFFSET` where there is none, or one that Postgres rejects. */
function offsetMinutes(text: string, at: number): number {
  const sign = text.charCodeAt(at)
  if (sign === Z) return at + 1 === text.length ? 0 : NO_OFFSET
  if (sign !== PLUS && sign !== DASH) return NO_OFFSET
  if (at + OFFSET !== text.length || text.charCodeAt(at + 3) !== COLON) return NO_OFFSET
  const hours = pair(text, at + 1)
  const minutes = pair(text, at + 4)
  if (hours < 0 || hours > MAX_OFFSET_HOUR || minutes < 0 || minutes > 59) return NO_OFFSET
  return (hours * 60 + minutes) * (sign === DASH ? -1 : 1)
}

/** An offset can carry the first and the last day of the calendar out of it. */
function isWithinYears(text: string, minuteOfDay: number): boolean {
  if (minuteOfDay < 0) return !text.startsWith('0001-01-01')
  return minuteOfDay < MINUTES_OF_DAY || !text.startsWith('9999-12-31')
}

function daysIn(year: number, month: number): number {
  if (month < 1 || month > 12) return 0
  const isLeap = year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0)
  return month === 2 && isLeap ? 29 : (DAYS[month - 1] ?? 0)
}

function pair(text: string, at: number): number {
  const tens = text.charCodeAt(at) - ZERO
  const units = text.charCodeAt(at + 1) - ZERO
  return tens >= 0 && tens <= 9 && units >= 0 && units <= 9 ? tens * 10 + units : NO_PAIR
}

function isDigit(code: number): boolean {
  return code >= ZERO && code <= NINE
}
