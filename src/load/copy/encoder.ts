import type { JsonObject } from '../../common/json/exact.ts'
import { jsonbText } from './jsonb.ts'
import { writeInstant } from './timestamp.ts'
import { maxNumericBytes, writeNumeric } from './numeric.ts'
import { writeSafeInteger } from './int64.ts'

/** What every binary COPY begins with: the signature, no flags, no extension. */
const HEADER = Buffer.from('PGCOPY\n\xff\r\n\0\0\0\0\0\0\0\0\0', 'latin1')
/** Where the first row begins. */
export const HEADER_BYTES = HEADER.length
/** Stands where the number of a row's fields would, behind the last row. */
export const TRAILER = -1
const NULL = -1
/** jsonb has a version before its text. */
const JSONB_VERSION = 1

const INITIAL_CAPACITY = 64 * 1024
/** An upper bound for any field of a fixed size. */
const MAX_FIXED_BYTES = 16
/** A character of UTF-16 takes at most three bytes of UTF-8. */
const MAX_BYTES_PER_CHARACTER = 3

const TRAILER_BYTES = Buffer.from([0xff, 0xff])

/** Joins detached rows to one COPY. */
export function concatRows(rows: readonly Buffer[]): Buffer<ArrayBuffer> {
  return Buffer.concat([HEADER, ...rows, TRAILER_BYTES])
}

/**
 * Encodes rows in the binary format of COPY, field by field into one growing buffer. Only the server checks the columns of a
 * row: the caller must write all of them, in order.
 */
export class CopyEncoder {
  #bytes = Buffer.allocUnsafeSlow(INITIAL_CAPACITY)
  /** The same bytes; it writes numbers a third quicker than a Buffer. */
  #view = new DataView(this.#bytes.buffer)
  #end = HEADER.copy(this.#bytes)
  #count = 0

  get count(): number {
    return this.#count
  }

  get bytes(): number {
    return this.#end
  }

  /** Begins a row of so many fields. */
  row(fields: number): void {
    this.#count += 1
    this.#reserve(MAX_FIXED_BYTES)
    this.#view.setInt16(this.#end, fields)
    this.#end += 2
  }

  text(value: string | null): void {
    if (value === null) return this.#null()
    this.#reserve(MAX_FIXED_BYTES + value.length * MAX_BYTES_PER_CHARACTER)
    const start = this.#end + 4
    // Also of the shortest texts: a loop over their characters was tried, and costs more.
    const written = this.#bytes.write(value, start)
    this.#view.setInt32(this.#end, written)
    this.#end = start + written
  }

  int4(value: number): void {
    this.#reserve(MAX_FIXED_BYTES)
    this.#view.setInt32(this.#end, 4)
    this.#view.setInt32(this.#end + 4, value)
    this.#end += 8
  }

  /** @param digits of an integer that fits into 64 bits */
  int8(digits: string | null): void {
    if (digits === null) return this.#null()
    this.#reserve(MAX_FIXED_BYTES)
    this.#view.setInt32(this.#end, 8)
    // Up to fifteen digits a double holds every integer.
    if (digits.length <= 15) writeSafeInteger(this.#view, Number(digits), this.#end + 4)
    else this.#view.setBigInt64(this.#end + 4, BigInt(digits))
    this.#end += 12
  }

  /** `timestamptz` of a time stamp with an offset, `timestamp` of a wall clock without one. */
  instant(text: string | null): void {
    if (text === null) return this.#null()
    this.#reserve(MAX_FIXED_BYTES)
    this.#view.setInt32(this.#end, 8)
    this.#end = writeInstant(this.#view, text, this.#end + 4)
  }

  /** @param text of a decimal number, with or without an exponent, within the bounds of numeric */
  numeric(text: string | null): void {
    if (text === null) return this.#null()
    this.#reserve(MAX_FIXED_BYTES + maxNumericBytes(text))
    const start = this.#end + 4
    const end = writeNumeric(this.#view, text, start)
    this.#view.setInt32(this.#end, end - start)
    this.#end = end
  }

  jsonb(value: JsonObject | null): void {
    if (value === null) return this.#null()
    const text = jsonbText(value)
    this.#reserve(MAX_FIXED_BYTES + text.length * MAX_BYTES_PER_CHARACTER)
    const start = this.#end + 4
    this.#bytes[start] = JSONB_VERSION
    const written = 1 + this.#bytes.write(text, start + 1)
    this.#view.setInt32(this.#end, written)
    this.#end = start + written
  }

  /** All rows since the last call, as one COPY. Send them before adding rows: these overwrite the same buffer. */
  take(): Buffer<ArrayBuffer> {
    this.#reserve(MAX_FIXED_BYTES)
    this.#view.setInt16(this.#end, TRAILER)
    const rows = this.#bytes.subarray(0, this.#end + 2)
    this.#end = HEADER_BYTES
    this.#count = 0
    return rows
  }

  /** A copy of the rows since the last call, without header and trailer (`concatRows`). */
  detach(): Buffer<ArrayBuffer> {
    const rows = Buffer.allocUnsafeSlow(this.#end - HEADER_BYTES)
    this.#bytes.copy(rows, 0, HEADER_BYTES, this.#end)
    this.#end = HEADER_BYTES
    this.#count = 0
    return rows
  }

  #null(): void {
    this.#reserve(MAX_FIXED_BYTES)
    this.#view.setInt32(this.#end, NULL)
    this.#end += 4
  }

  #reserve(bytes: number): void {
    const needed = this.#end + bytes
    if (needed > this.#bytes.length) this.#grow(needed)
  }

  #grow(needed: number): void {
    const larger = Buffer.allocUnsafeSlow(Math.max(needed, this.#bytes.length * 2))
    this.#bytes.copy(larger, 0, 0, this.#end)
    this.#bytes = larger
    this.#view = new DataView(larger.buffer)
  }
}
