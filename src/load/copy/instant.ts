import { writeSafeInteger } from './safe-integer.ts'

/** Postgres counts from 2000-01-01, by one calendar for all years. */
const DAYS_TO_2000 = 730_426
const SECONDS_OF_DAY = 86_400
/** Up to so many seconds their microseconds are integers that a double holds: the years 1715 to 2284. */
const MOST_SECONDS = 9_000_000_000

/**
 * Writes a time stamp as `timestamptz`, or a wall clock without zone as `timestamp`. The text has the form that
 * `normalise` gives: `YYYY-MM-DDTHH:MM:SS`, up to six digits of a fraction, then `Z`, an offset or nothing.
 *
 * @returns where the next byte goes
 */
export function writeInstant(bytes: Buffer, text: string, at: number): number {
  const days = daysBefore(digits(text, 0, 4), digits(text, 5, 2), digits(text, 8, 2)) - DAYS_TO_2000
  const wall = digits(text, 11, 2) * 3600 + digits(text, 14, 2) * 60 + digits(text, 17, 2)
  let place = 19
  let micros = 0
  if (text.charCodeAt(place) === 46 /* . */) {
    let unit = 100_000
    for (place += 1; isDigit(text.charCodeAt(place)); place += 1, unit /= 10)
      micros += (text.charCodeAt(place) - 48) * unit
  }
  const seconds = days * SECONDS_OF_DAY + wall - offsetSeconds(text, place)
  if (Math.abs(seconds) <= MOST_SECONDS) return writeSafeInteger(bytes, seconds * 1_000_000 + micros, at)
  return bytes.writeBigInt64BE(BigInt(seconds) * 1_000_000n + BigInt(micros), at)
}

/** Days from 0000-03-01 to this one, both counted: a year that begins in March has its leap day at its end. */
function daysBefore(year: number, month: number, day: number): number {
  const years = month <= 2 ? year - 1 : year
  const months = (month + 9) % 12
  return (
    years * 365 +
    Math.floor(years / 4) -
    Math.floor(years / 100) +
    Math.floor(years / 400) +
    Math.floor((months * 153 + 2) / 5) +
    day
  )
}

function offsetSeconds(text: string, place: number): number {
  const sign = text.charCodeAt(place)
  if (sign !== 43 /* + */ && sign !== 45 /* - */) return 0
  const seconds = digits(text, place + 1, 2) * 3600 + digits(text, place + 4, 2) * 60
  return sign === 45 ? -seconds : seconds
}

function digits(text: string, at: number, count: number): number {
  let value = 0
  for (let place = at; place < at + count; place += 1) value = value * 10 + text.charCodeAt(place) - 48
  return value
}

function isDigit(code: number): boolean {
  return code >= 48 && code <= 57
}
