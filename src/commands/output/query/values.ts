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

const instantForm = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(\.\d+)?Z$/

/** `2026-07-01T12:30:00.5+02:00` of `2026-07-01T10:30:00.5Z`. What is no such instant (infinity, a year BC) stays. */
function instantInZone(text: string, timeZone: string): string {
  const [, seconds, fraction = ''] = instantForm.exec(text) ?? []
  if (seconds === undefined) return text
  const instant = Date.parse(`${seconds}Z`)
  const offset = offsetAt(timeZone, instant)
  const local = new Date(instant + offsetMs(offset)).toISOString()
  // Beyond the year 9999 the year has a sign and six digits.
  return `${local.slice(0, -'.000Z'.length)}${fraction}${offset}`
}
