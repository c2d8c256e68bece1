/** The values of a result as text: numbers and times as the database wrote them. */
import { nonFiniteAsText } from '../../../common/json/exact.ts'
import { offsetAt, offsetMs } from '../../../orchestration/schedule/wall-clock.ts'

/** Object ids of the types whose digits line up when they are aligned to the right. */
const numericTypes = new Set([20, 21, 23, 26, 700, 701, 1700])
const TIMESTAMPTZ = 1184
const TIMESTAMP = 1114

export const isNumericType = (type: number): boolean => numericTypes.has(type)

export const isTimestampType = (type: number): boolean => type === TIMESTAMPTZ || type === TIMESTAMP

/** A value as text; null for NULL. */
export function textOf(value: unknown, change: ((text: string) => string) | null = null): string | null {
  if (value === null || value === undefined) return null
  if (typeof value === 'string') return change?.(value) ?? value
  return typeof value === 'number' ? String(value) : JSON.stringify(value, nonFiniteAsText)
}

/** Makes of the texts of a column what is written in this zone; null where they stay as they are. */
export function inZone(type: number, timeZone: string | null): ((text: string) => string) | null {
  if (timeZone === null || type !== TIMESTAMPTZ) return null
  return (text) => instantInZone(text, timeZone)
}

const instantForm = /^(\d{4,})(-\d\d-\d\dT\d\d:\d\d:\d\d)(\.\d+)?Z( BC)?$/
/** The calendar and the rules of a zone repeat every so many years. */
const CYCLE = 400
const MAX_YEAR = 9999

/**
 * `2026-07-01T12:30:00.5+02:00` of `2026-07-01T10:30:00.5Z`, and `0001-12-31T19:03:58-04:56:02 BC` of `0001-01-01T00:00:00Z`. What is no
 * instant (infinity) stays.
 */
function instantInZone(text: string, timeZone: string): string {
  const [, digits, rest = '', fraction = '', era = ''] = instantForm.exec(text) ?? []
  if (digits === undefined) return text
  const year = era === '' ? Number(digits) : 1 - Number(digits)
  // Postgres knows later years than a Date does.
  const cycles = Math.max(0, Math.ceil((year - MAX_YEAR) / CYCLE)) * CYCLE
  const instant = Date.parse(`${isoYear(year - cycles)}${rest}Z`)
  const offset = offsetAt(timeZone, instant)
  const local = new Date(instant + offsetMs(offset))
  const localYear = local.getUTCFullYear() + cycles
  const isBefore = localYear < 1
  const shown = String(isBefore ? 1 - localYear : localYear).padStart(4, '0')
  return `${shown}${local.toISOString().slice(-'-mm-ddThh:mm:ss.000Z'.length, -'.000Z'.length)}${fraction}${offset}${isBefore ? ' BC' : ''}`
}

/** As `Date.parse` takes any year: `+000001`, `-000043`. */
function isoYear(year: number): string {
  return `${year < 0 ? '-' : '+'}${String(Math.abs(year)).padStart(6, '0')}`
}
