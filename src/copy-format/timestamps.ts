/** Time stamps of RFC 3339, read from their bytes, as the microseconds since 2000 that Postgres keeps. */
import { writeSafeInteger } from './integers.ts'

/** Postgres counts from 2000-01-01, by one calendar for all years. */
const DAYS_TO_2000 = 730_426
const SECONDS_OF_DAY = 86_400
/** Up to so many seconds their microseconds are integers that a double holds: the years 1715 to 2284. */
const MAX_SAFE_SECONDS = 9_000_000_000
const FIRST_SECOND = secondsOf(1, 1, 1)
const END_SECOND = secondsOf(10_000, 1, 1)

const DAYS = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
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
const OFFSET = '+HH:MM'.length
/** Stands for two characters that are not two digits: far below whatever is made of it. */
const NO_PAIR = -1_000_000

/** A time stamp that was read. One object serves for all, so that none is made for each. */
export class ParsedTimestamp {
  /** Of its wall clock, since 2000-01-01. */
  seconds = 0
  micros = 0
  /** How far its wall clock is ahead of UTC. */
  offsetMinutes = 0
  /** Digits of its fraction. */
  fractionDigits = 0
  /** It ends with `Z`, not with an offset. */
  isUtc = true

  /**
   * Reads a time stamp that Postgres takes as it is: with `T`, with `Z` or an offset, up to six fraction digits, a real
   * date and time (no leap second), its instant in the years 1 to 9999 of UTC. Strict, for Postgres itself reads `now`,
   * `infinity` and times without a zone.
   *
   * @returns false for anything else; the members then mean nothing
   */
  read(bytes: Uint8Array, start: number, end: number): boolean {
    if (end - start <= SECONDS_END || !hasSeparators(bytes, start)) return false
    const year = pair(bytes, start) * 100 + pair(bytes, start + 2)
    const month = pair(bytes, start + 5)
    const day = pair(bytes, start + 8)
    const hour = pair(bytes, start + 11)
    const minute = pair(bytes, start + 14)
    const second = pair(bytes, start + 17)
    if (year < 1 || day < 1 || /* guard: real dates */ day > daysIn(year, month)) return false
    if (hour < 0 || hour > 23 || minute < 0 || minute > 59 || second < 0 || second > 59) return false
    this.seconds = secondsOf(year, month, day) + hour * 3600 + minute * 60 + second
    return (
      /* guard: form of times */ this.#readFraction(bytes, start + SECONDS_END, end) && this.#isWithinYears()
    )
  }

  /** Writes the instant, as `timestamptz`. @returns where the next byte goes */
  write(view: DataView, at: number): number {
    return writeMicros(view, this.seconds - this.offsetMinutes * 60, this.micros, at)
  }

  /** Writes the wall clock, as `timestamp`. @returns where the next byte goes */
  writeLocal(view: DataView, at: number): number {
    return writeMicros(view, this.seconds, this.micros, at)
  }

  #readFraction(bytes: Uint8Array, start: number, end: number): boolean {
    this.micros = 0
    this.fractionDigits = 0
    if (bytes[start] !== POINT) return this.#readZone(bytes, start, end)
    let at = start + 1
    for (let unit = 100_000; unit >= 1 && isDigit(bytes[at] ?? 0); unit /= 10, at += 1)
      this.micros += ((bytes[at] ?? 0) - ZERO) * unit
    this.fractionDigits = at - start - 1
    return at > start + 1 && this.fractionDigits <= MAX_FRACTION_DIGITS && this.#readZone(bytes, at, end)
  }

  #readZone(bytes: Uint8Array, at: number, end: number): boolean {
    const sign = bytes[at]
    this.isUtc = sign === Z
    this.offsetMinutes = 0
    if (this.isUtc) return at + 1 === end
    if ((sign !== PLUS && sign !== DASH) || at + OFFSET !== end || bytes[at + 3] !== COLON) return false
    const hours = pair(bytes, at + 1)
    const minutes = pair(bytes, at + 4)
    if (hours < 0 || hours > MAX_OFFSET_HOUR || minutes < 0 || minutes > 59) return false
    this.offsetMinutes = (hours * 60 + minutes) * (sign === DASH ? -1 : 1)
    return true
  }

  /** An offset can carry the first and the last day of the calendar out of it. */
  #isWithinYears(): boolean {
    const utc = this.seconds - this.offsetMinutes * 60
    return utc >= FIRST_SECOND && utc < END_SECOND
  }
}

function writeMicros(view: DataView, seconds: number, micros: number, at: number): number {
  if (Math.abs(seconds) <= MAX_SAFE_SECONDS) return writeSafeInteger(view, seconds * 1_000_000 + micros, at)
  view.setBigInt64(at, BigInt(seconds) * 1_000_000n + BigInt(micros))
  return at + 8
}

/** Seconds from 2000-01-01 to the beginning of this day. A year that begins in March has its leap day at its end. */
function secondsOf(year: number, month: number, day: number): number {
  const years = month <= 2 ? year - 1 : year
  const months = month <= 2 ? month + 9 : month - 3
  // `| 0` rounds to zero, which is down: none of it is negative.
  const leapDays = ((years / 4) | 0) - ((years / 100) | 0) + ((years / 400) | 0)
  return (years * 365 + leapDays + (((months * 153 + 2) / 5) | 0) + day - DAYS_TO_2000) * SECONDS_OF_DAY
}

function hasSeparators(bytes: Uint8Array, start: number): boolean {
  return (
    bytes[start + 4] === DASH &&
    bytes[start + 7] === DASH &&
    bytes[start + 10] === T &&
    bytes[start + 13] === COLON &&
    bytes[start + 16] === COLON
  )
}

function daysIn(year: number, month: number): number {
  if (month < 1 || month > 12) return 0
  const isLeap = year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0)
  return month === 2 && isLeap ? 29 : (DAYS[month - 1] ?? 0)
}

function pair(bytes: Uint8Array, at: number): number {
  const tens = (bytes[at] ?? 0) - ZERO
  const units = (bytes[at + 1] ?? 0) - ZERO
  return tens >= 0 && tens <= 9 && units >= 0 && units <= 9 ? tens * 10 + units : NO_PAIR
}

function isDigit(code: number): boolean {
  return code >= ZERO && code <= NINE
}
