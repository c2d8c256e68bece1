import { DatabaseError } from '../../errors.ts'
import { HEADER_BYTES, TRAILER } from './binary-rows.ts'

/**
 * Rows in the binary form of COPY, read one after the other. `next` goes to a row; everything else tells of the row
 * where it stands.
 */
export class RowReader {
  readonly #bytes: Buffer
  /** Of each field of the row: where its length stands. */
  readonly #fields: number[] = []
  #start = HEADER_BYTES
  #end = HEADER_BYTES
  #place = -1
  #filled = 0

  /** @param bytes one whole COPY */
  constructor(bytes: Buffer) {
    this.#bytes = bytes
  }

  /**
   * Goes to the next row.
   *
   * @returns false behind the last one
   * @throws DatabaseError for a COPY without its end: rows that are not in it are not absent
   */
  next(): boolean {
    this.#place += 1
    this.#start = this.#end
    if (this.#start + 2 > this.#bytes.length) {
      throw new DatabaseError('The database ended a COPY before all of it was read. Run it again.')
    }
    const count = this.#bytes.readInt16BE(this.#start)
    if (count === TRAILER) return false
    let at = this.#start + 2
    let filled = 0
    for (let field = 0; field < count; field += 1) {
      this.#fields[field] = at
      const length = this.#bytes.readInt32BE(at)
      at += 4
      if (length < 0) continue
      filled |= 1 << field
      at += length
    }
    this.#filled = filled
    this.#end = at
    return true
  }

  /** Which row it is, from 0. */
  get place(): number {
    return this.#place
  }

  /** One bit for each field that is not null, the first field's the lowest. */
  get filled(): number {
    return this.#filled
  }

  /** Whether a field holds this text, as UTF-8. */
  isText(field: number, text: Buffer): boolean {
    const at = this.#at(field)
    if (this.#bytes.readInt32BE(at) !== text.length) return false
    return this.#bytes.compare(text, 0, text.length, at + 4, at + 4 + text.length) === 0
  }

  text(field: number): string {
    const at = this.#at(field)
    return this.#bytes.toString('utf8', at + 4, at + 4 + this.#bytes.readInt32BE(at))
  }

  int8(field: number): string {
    return String(this.#bytes.readBigInt64BE(this.#at(field) + 4))
  }

  /** Whether both rows have the same bytes in every field. */
  isEqual(other: RowReader): boolean {
    const length = this.#end - this.#start
    if (other.#end - other.#start !== length) return false
    return this.#bytes.compare(other.#bytes, other.#start, other.#end, this.#start, this.#end) === 0
  }

  /** Which row comes first by its key: a text (by the bytes of UTF-8), then `integers` columns of integers. */
  compareKey(other: RowReader, integers: number): number {
    const bytes = this.#compareBytes(other, 0)
    if (bytes !== 0) return bytes
    for (let field = 1; field <= integers; field += 1) {
      const difference = this.#compareIntegers(other, field)
      if (difference !== 0) return difference
    }
    return 0
  }

  #compareBytes(other: RowReader, field: number): number {
    const [at, otherAt] = [this.#at(field), other.#at(field)]
    const [length, otherLength] = [this.#bytes.readInt32BE(at), other.#bytes.readInt32BE(otherAt)]
    return this.#bytes.compare(other.#bytes, otherAt + 4, otherAt + 4 + otherLength, at + 4, at + 4 + length)
  }

  /** Of four or of eight bytes, the first with the sign. */
  #compareIntegers(other: RowReader, field: number): number {
    const [at, otherAt] = [this.#at(field), other.#at(field)]
    const high = this.#bytes.readInt32BE(at + 4) - other.#bytes.readInt32BE(otherAt + 4)
    if (high !== 0 || this.#bytes.readInt32BE(at) === 4) return high
    return this.#bytes.readUInt32BE(at + 8) - other.#bytes.readUInt32BE(otherAt + 8)
  }

  #at(field: number): number {
    const at = this.#fields[field]
    if (at === undefined) throw new RangeError(`The row has no field ${field}.`)
    return at
  }
}
