import { writeSafeInteger } from './int64.ts'

/** Postgres counts from 2000-01-01, by one calendar for all years. */
const DAYS_TO_2000 = 730_426
const SECONDS_OF_DAY = 86_400
/** Up to so many seconds their microseconds are integers that a double holds: the years 1715 to 2284. */
const MAX_SAFE_SECONDS = 9_000_000_000

const END_OF_SECONDS = 'YYYY-MM-DDTHH:MM:SS'.length
const SHORT = END_OF_SECONDS + 'Z'.length

const POINT = 0x2e
const PLUS = 0x2b
const MINUS = 0x2d
const ZERO = 0x30
const NINE = 0x39

/**
 * Writes a time stamp as `timestamptz`, or a wall clock without zone as `timestamp`. The text has the form that
 * `normalise` gives: `YYYY-MM-DDTHH:MM:SS`, up to six digits of a fraction, then `Z`, an offset or nothing.
 *
 * @returns where the next byte goes
 */
export function writeInstant(view: DataView, text: string, at: number): number {
  const days = daysBefore(pair(text, 0) * 100 + pair(text, 2), pair(text, 5), pair(text, 8)) - DAYS_TO_2000
  let seconds = days * SECONDS_OF_DAY + pair(text, 11) * 3600 + pair(text, 14) * 60 + pair(text, 17)
  let micros = 0
  // Most end behind their seconds, with `Z` or nothing: there is nothing to look at then, which costs more than it seems.
  if (text.length > SHORT) {
    let index = END_OF_SECONDS
    if (text.charCodeAt(index) === POINT) {
      let unit = 100_000
      for (index += 1; isDigit(text, index); index += 1, unit /= 10)
        micros += (text.charCodeAt(index) - ZERO) * unit
    }
    seconds -= offsetSeconds(text, index)
  }
  if (Math.abs(seconds) <= MAX_SAFE_SECONDS) return writeSafeInteger(view, seconds * 1_000_000 + micros, at)
  view.setBigInt64(at, BigInt(seconds) * 1_000_000n + BigInt(micros))
  return at + 8
}

/** Days from 0000-03-01 to this one, both counted: a year that begins in March has its leap day at its end. */
function daysBefore(year: number, month: number, day: number): number {
  const years = month <= 2 ? year - 1 : year
  const months = month <= 2 ? month + 9 : month - 3
  // `| 0` rounds to zero, which is down: none of it is negative.
  const leapDays = ((years / 4) | 0) - ((years / 100) | 0) + ((years / 400) | 0)
  return years * 365 + leapDays + (((months * 153 + 2) / 5) | 0) + day
}

function offsetSeconds(text: string, index: number): number {
  const sign = text.charCodeAt(index)
  if (sign !== PLUS && sign !== MINUS) return 0
  const seconds = pair(text, index + 1) * 3600 + pair(text, index + 4) * 60
  return sign === MINUS ? -seconds : seconds
}

/** Two digits. */
function pair(text: string, at: number): number {
  return (text.charCodeAt(at) - ZERO) * 10 + text.charCodeAt(at + 1) - ZERO
}

/** For an index after the end `charCodeAt` gives NaN. */
function isDigit(text: string, at: number): boolean {
  const code = text.charCodeAt(at)
  return code >= ZERO && code <= NINE
}
