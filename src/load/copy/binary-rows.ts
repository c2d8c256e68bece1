import type { JsonObject } from '../../json.ts'
import { jsonbText } from './jsonb-text.ts'
import { writeInstant } from './instant.ts'
import { writeNumeric } from './numeric.ts'
import { writeSafeInteger } from './safe-integer.ts'

/** What every binary COPY begins with: the signature, no flags, no extension. */
const HEADER = Buffer.from('PGCOPY\n\xff\r\n\0\0\0\0\0\0\0\0\0', 'latin1')
/** Where the first row begins. */
export const HEADER_BYTES = HEADER.length
/** Stands where the number of a row's fields would, behind the last row. */
export const TRAILER = -1
const NULL = -1
/** jsonb has a version before its text. */
const JSONB_VERSION = 1

const FIRST_CAPACITY = 64 * 1024
/** Room for any field of a fixed size. */
const FIXED = 16
/** A character of UTF-16 takes at most three bytes of UTF-8. */
const BYTES_PER_CHARACTER = 3

/**
 * Rows in the binary form of COPY, written field by field into one buffer that grows. Nobody checks that a row
 * has its columns in order but the server: whoever writes rows writes all of each.
 */
export class BinaryRows {
  #bytes = Buffer.allocUnsafe(FIRST_CAPACITY)
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
    this.#reserve(FIXED)
    this.#end = this.#bytes.writeInt16BE(fields, this.#end)
  }

  text(value: string | null): void {
    if (value === null) return this.#null()
    this.#reserve(FIXED + value.length * BYTES_PER_CHARACTER)
    const written = this.#bytes.write(value, this.#end + 4)
    this.#bytes.writeInt32BE(written, this.#end)
    this.#end += 4 + written
  }

  int4(value: number): void {
    this.#reserve(FIXED)
    this.#end = this.#bytes.writeInt32BE(4, this.#end)
    this.#end = this.#bytes.writeInt32BE(value, this.#end)
  }

  /** @param digits of an integer that fits into 64 bits */
  int8(digits: string | null): void {
    if (digits === null) return this.#null()
    this.#reserve(FIXED)
    this.#end = this.#bytes.writeInt32BE(8, this.#end)
    // Up to fifteen digits a double holds every integer.
    if (digits.length > 15) this.#end = this.#bytes.writeBigInt64BE(BigInt(digits), this.#end)
    else this.#end = writeSafeInteger(this.#bytes, Number(digits), this.#end)
  }

  /** `timestamptz` of a time stamp with an offset, `timestamp` of a wall clock without one. */
  instant(text: string | null): void {
    if (text === null) return this.#null()
    this.#reserve(FIXED)
    this.#end = this.#bytes.writeInt32BE(8, this.#end)
    this.#end = writeInstant(this.#bytes, text, this.#end)
  }

  /** @param text of a decimal number, with or without an exponent, within the bounds of numeric */
  numeric(text: string | null): void {
    if (text === null) return this.#null()
    this.#reserve(FIXED)
    const start = this.#end
    this.#end += 4
    writeNumeric(text, (word) => {
      this.#reserve(FIXED)
      this.#end = this.#bytes.writeUInt16BE(word & 0xffff, this.#end)
    })
    this.#bytes.writeInt32BE(this.#end - start - 4, start)
  }

  jsonb(value: JsonObject | null): void {
    if (value === null) return this.#null()
    const text = jsonbText(value)
    this.#reserve(FIXED + text.length * BYTES_PER_CHARACTER)
    const start = this.#end
    this.#end = this.#bytes.writeInt8(JSONB_VERSION, start + 4)
    this.#end += this.#bytes.write(text, this.#end)
    this.#bytes.writeInt32BE(this.#end - start - 4, start)
  }

  /** All rows since the last call, as one COPY takes them. What comes after them is written into another buffer. */
  take(): Buffer<ArrayBuffer> {
    this.#reserve(FIXED)
    const end = this.#bytes.writeInt16BE(TRAILER, this.#end)
    const rows = this.#bytes.subarray(0, end)
    this.#bytes = Buffer.allocUnsafe(FIRST_CAPACITY)
    this.#end = HEADER.copy(this.#bytes)
    this.#count = 0
    return rows
  }

  #null(): void {
    this.#reserve(FIXED)
    this.#end = this.#bytes.writeInt32BE(NULL, this.#end)
  }

  #reserve(bytes: number): void {
    const needed = this.#end + bytes
    if (needed <= this.#bytes.length) return
    const larger = Buffer.allocUnsafe(Math.max(needed, this.#bytes.length * 2))
    this.#bytes.copy(larger, 0, 0, this.#end)
    this.#bytes = larger
  }
}
