/**
 * One set of parsers for the values of both drivers. The same query gives the same JavaScript values on a Postgres server
 * and on PGlite, and no value is rounded:
 *
 * - bigint, numeric: the digits as text; smallint, int, oid, real, double: a number; boolean: a boolean
 * - timestamptz: ISO 8601 text in UTC with up to 6 fraction digits and `Z` (`infinity` and a trailing ` BC`
 *   stay as Postgres writes them)
 * - timestamp: the same without zone; date, time, interval, bytea, uuid: Postgres's own text
 * - json, jsonb: parsed by json/exact.ts, large integers exact
 * - arrays of these: arrays; every other type: Postgres's own text
 */
import { DatabaseError } from '../common/errors.ts'
import { parseJson } from '../common/json/exact.ts'

type TypeParser = (text: string) => unknown

const text: TypeParser = (value) => value

const scalars: readonly { readonly type: number; readonly array: number; readonly read: TypeParser }[] = [
  { type: 16, array: 1000, read: (value) => value === 't' }, // bool
  { type: 17, array: 1001, read: text }, // bytea
  { type: 18, array: 1002, read: text }, // "char"
  { type: 19, array: 1003, read: text }, // name
  { type: 20, array: 1016, read: text }, // int8
  { type: 21, array: 1005, read: Number }, // int2
  { type: 23, array: 1007, read: Number }, // int4
  { type: 25, array: 1009, read: text }, // text
  { type: 26, array: 1028, read: Number }, // oid
  { type: 114, array: 199, read: parseJson }, // json
  { type: 700, array: 1021, read: Number }, // float4
  { type: 701, array: 1022, read: Number }, // float8
  { type: 1042, array: 1014, read: text }, // char(n)
  { type: 1043, array: 1015, read: text }, // varchar
  { type: 1082, array: 1182, read: text }, // date
  { type: 1083, array: 1183, read: text }, // time
  { type: 1114, array: 1115, read: readWallClock }, // timestamp
  { type: 1184, array: 1185, read: readInstant }, // timestamptz
  { type: 1186, array: 1187, read: text }, // interval
  { type: 1266, array: 1270, read: text }, // timetz
  { type: 1700, array: 1231, read: text }, // numeric
  { type: 2950, array: 2951, read: text }, // uuid
  { type: 3802, array: 3807, read: parseJson }, // jsonb
]

const readers = new Map<number, TypeParser>(
  scalars.flatMap(({ type, array, read }) => [
    [type, read],
    [array, (value: string) => readArray(value, read)],
  ]),
)

/** The parser for the text form of a type, by its object id. */
export function parserFor(type: number): TypeParser {
  return readers.get(type) ?? text
}

const wallClockForm = /^(\d{4,})-(\d\d)-(\d\d) (\d\d:\d\d:\d\d(?:\.\d{1,6})?)( BC)?$/
const instantForm =
  /^(\d{4,})-(\d\d)-(\d\d) (\d\d):(\d\d):(\d\d)(\.\d{1,6})?([+-])(\d\d)(?::(\d\d))?(?::(\d\d))?( BC)?$/

function readWallClock(value: string): string {
  if (isInfinite(value)) return value
  const match = wallClockForm.exec(value)
  if (match === null) throw unreadable(value)
  const [, year, month, day, time, era = ''] = match
  return `${year}-${month}-${day}T${time}${era}`
}

/** The fast path: ISO form in UTC with a year of four digits. A run reads tens of thousands of them. */
function usualInstant(value: string): boolean {
  return (
    value[4] === '-' && value[7] === '-' && value[10] === ' ' && value[13] === ':' && value.endsWith('+00')
  )
}

function readInstant(value: string): string {
  if (usualInstant(value)) return `${value.slice(0, 10)}T${value.slice(11, -3)}Z`
  if (isInfinite(value)) return value
  const match = instantForm.exec(value)
  if (match === null) throw unreadable(value)
  const [, year = '', month, day, hour, minute, second, fraction = '', sign, ...offset] = match
  const era = offset.pop() ?? ''
  const [offsetHours = 0, offsetMinutes = 0, offsetSeconds = 0] = offset.map((part) => Number(part ?? 0))
  const shift = (offsetHours * 3600 + offsetMinutes * 60 + offsetSeconds) * (sign === '-' ? -1 : 1)
  if (shift === 0) return `${year}-${month}-${day}T${hour}:${minute}:${second}${fraction}Z${era}`

  // The calendar repeats every 400 years: the shift is computed in years that a Date can hold.
  const counted = era === '' ? Number(year) : 1 - Number(year)
  const near = 2000 + (((counted % 400) + 400) % 400)
  const moved = new Date(
    Date.UTC(near, Number(month) - 1, Number(day), Number(hour), Number(minute), Number(second) - shift),
  )
  const movedYear = counted + (moved.getUTCFullYear() - near)
  const shownYear = String(movedYear > 0 ? movedYear : 1 - movedYear).padStart(4, '0')
  return `${shownYear}${moved.toISOString().slice(4, 19)}${fraction}Z${movedYear > 0 ? '' : ' BC'}`
}

function isInfinite(value: string): boolean {
  return value === 'infinity' || value === '-infinity'
}

/** On Postgres each statement sets how dates are written; on a PGlite of the caller transactions alone do. */
function unreadable(value: string): DatabaseError {
  return new DatabaseError(
    `The database writes time stamps as "${value}", not in ISO form. Set DateStyle of the given PGlite back: set datestyle to 'ISO'.`,
  )
}

/**
 * Reads Postgres's text form of an array, like `{1,NULL,"a,\"b"}` or `{{1,2},{3,4}}`.
 *
 * An explicit lower bound (`[0:1]={…}`) is dropped. All types read here separate elements by a comma.
 *
 * @see https://www.postgresql.org/docs/current/arrays.html#ARRAYS-IO
 */
export function readArray(text: string, read: (element: string) => unknown): unknown[] {
  const root: unknown[] = []
  const open = [root]
  const token = /[{}]|"((?:[^"\\]|\\.)*)"|[^{},"]+/gs
  token.lastIndex = text.startsWith('[') ? text.indexOf('=') + 1 : 0
  for (let match = token.exec(text); match !== null; match = token.exec(text)) {
    const [whole, quoted] = match
    const current = open.at(-1)
    if (whole === '{') {
      const nested: unknown[] = []
      current?.push(nested)
      open.push(nested)
    } else if (whole === '}') {
      open.pop()
    } else if (quoted !== undefined) {
      current?.push(read(quoted.replaceAll(/\\(.)/gs, '$1')))
    } else {
      current?.push(whole === 'NULL' ? null : read(whole))
    }
  }
  const [array] = root
  return Array.isArray(array) ? array : []
}
