/** Writes the values of an item as fields in the binary format of COPY. */
import type { JsonObject } from '../common/json/exact.ts'
import type { SqlType } from '../common/schema/live-tables.ts'
import { writeDigits, MAX_DIGITS } from './integers.ts'
import { jsonbText } from './jsonb.ts'
import { Decimal, maxNumericBytes } from './numeric.ts'
import type { RowBuffer } from './row-buffer.ts'
import { ParsedTimestamp } from './timestamps.ts'

/** Length and value of an integer or an instant. */
export const FIELD8_BYTES = 12
/** Room for the fields of a row that have a fixed size, and for the lengths of the others. */
export const FIXED_BYTES = 160
/** jsonb has a version before its text. */
const JSONB_VERSION = 1
/** A character of UTF-16 takes at most three bytes of UTF-8. */
const MAX_BYTES_PER_CHARACTER = 3

// One of each serves for all rows.
const timestamp = new ParsedTimestamp()
const decimal = new Decimal()
let scratch = Buffer.allocUnsafeSlow(64)

/** Writes a value as the next field. @param value of a column of this type; jsonb as an object, all else as text */
export function writeValue(rows: RowBuffer, type: SqlType, value: string | JsonObject | null): void {
  if (value === null) rows.null()
  else if (typeof value !== 'string') writeJsonb(rows, value)
  else if (type === 'bigint') writeInteger(rows, value)
  else if (type === 'numeric') writeNumeric(rows, value)
  else if (type === 'timestamptz' || type === 'timestamp') writeInstant(rows, type, value)
  else writeText(rows, value)
}

function writeText(rows: RowBuffer, value: string): void {
  rows.reserve(FIXED_BYTES + value.length * MAX_BYTES_PER_CHARACTER)
  const start = rows.end + 4
  // Also of the shortest texts: a loop over their characters was tried, and costs more.
  const written = rows.bytes.write(value, start)
  rows.view.setInt32(rows.end, written)
  rows.end = start + written
}

/** @param digits of an integer that fits into 64 bits */
export function writeInteger(rows: RowBuffer, digits: string): void {
  rows.reserve(FIXED_BYTES)
  rows.view.setInt32(rows.end, 8)
  if (digits.length > MAX_DIGITS) rows.view.setBigInt64(rows.end + 4, BigInt(digits))
  else writeDigits(rows.view, rows.end + 4, toScratch(digits), 0, digits.length)
  rows.end += FIELD8_BYTES
}

/** @param text with an offset, or a wall clock without one */
function writeInstant(rows: RowBuffer, type: 'timestamptz' | 'timestamp', text: string): void {
  rows.reserve(FIXED_BYTES)
  const iso = type === 'timestamptz' ? text : `${text}Z`
  timestamp.read(toScratch(iso), 0, iso.length)
  rows.view.setInt32(rows.end, 8)
  rows.end = timestamp.write(rows.view, rows.end + 4)
}

/** @param text of a decimal number, with or without an exponent, within the bounds of numeric */
function writeNumeric(rows: RowBuffer, text: string): void {
  rows.reserve(FIXED_BYTES + maxNumericBytes(text.length))
  const end = decimal.read(toScratch(text), 0, text.length)
  if (end < text.length) decimal.shift(Number(text.slice(end + 1)))
  const next = decimal.write(rows.view, rows.end + 4)
  rows.view.setInt32(rows.end, next - rows.end - 4)
  rows.end = next
}

function writeJsonb(rows: RowBuffer, value: JsonObject): void {
  const text = jsonbText(value)
  rows.reserve(FIXED_BYTES + text.length * MAX_BYTES_PER_CHARACTER)
  const start = rows.end + 4
  rows.bytes[start] = JSONB_VERSION
  const written = 1 + rows.bytes.write(text, start + 1)
  rows.view.setInt32(rows.end, written)
  rows.end = start + written
}

/** The bytes of a text of ASCII, until the next call. */
function toScratch(text: string): Buffer {
  if (text.length > scratch.length) scratch = Buffer.allocUnsafeSlow(2 * text.length)
  scratch.write(text, 'latin1')
  return scratch
}
