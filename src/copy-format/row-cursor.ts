import { incompleteCopy } from './copy-framing.ts'

/** Field of the event's id in each table; the account stands before it. */
const EVENT_ID = 1

/**
 * Goes through rows in the binary format of COPY, one after the other. `next` moves to the next row; all other members are
 * about the current row.
 */
export class RowCursor {
  readonly #bytes: Buffer
  /** The same bytes; it reads numbers quicker than a Buffer. */
  readonly #view: DataView
  /** Of each field of the row: where its length stands. */
  readonly #fields: number[] = []
  #start = 0
  #end = 0
  #index = -1
  #filled = 0

  /** @param bytes whole rows, without header and trailer */
  constructor(bytes: Buffer) {
    this.#bytes = bytes
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length)
  }

  /**
   * Goes to the next row.
   *
   * @returns false behind the last one
   * @throws DatabaseError for a row without its end
   */
  next(): boolean {
    this.#index += 1
    this.#start = this.#end
    if (this.#start === this.#bytes.length) return false
    if (this.#start + 2 > this.#bytes.length) throw incompleteCopy()
    const view = this.#view
    const fields = this.#fields
    const count = view.getInt16(this.#start)
    let at = this.#start + 2
    let filled = 0
    for (let field = 0; field < count; field += 1) {
      if (at + 4 > this.#bytes.length) throw incompleteCopy()
      fields[field] = at
      const length = view.getInt32(at)
      at += 4
      if (length < 0) continue
      filled |= 1 << field
      at += length
      // guard: end of a copy
      if (at > this.#bytes.length) throw incompleteCopy()
    }
    this.#filled = filled
    this.#end = at
    return true
  }

  /**
   * Skips the next row without decoding it, if its bytes equal those of the current row of the other decoder: then its
   * values are those of that row.
   *
   * @returns whether it did
   */
  skipIfEqual(other: RowCursor): boolean {
    const length = other.#end - other.#start
    if (!this.#hasBytes(this.#end, other, length)) return false
    this.#index += 1
    this.#start = this.#end
    this.#end += length
    return true
  }

  /** Which row it is, from 0. */
  get index(): number {
    return this.#index
  }

  /** One bit for each field that is not null, the first field's the lowest. */
  get nonNullMask(): number {
    return this.#filled
  }

  /** Whether a field holds this text, as UTF-8. */
  isText(field: number, text: Buffer): boolean {
    const at = this.#at(field)
    if (this.#view.getInt32(at) !== text.length) return false
    return this.#bytes.compare(text, 0, text.length, at + 4, at + 4 + text.length) === 0
  }

  text(field: number): string {
    const at = this.#at(field)
    return this.#bytes.toString('utf8', at + 4, at + 4 + this.#view.getInt32(at))
  }

  int8(field: number): bigint {
    return this.#view.getBigInt64(this.#at(field) + 4)
  }

  /** Whether both rows have the same bytes in every field. */
  isEqual(other: RowCursor): boolean {
    const length = this.#end - this.#start
    return other.#end - other.#start === length && this.#hasBytes(this.#start, other, length)
  }

  /** Which row comes first by its key: the event (by the bytes of UTF-8), then `integers` columns of integers. */
  compareKey(other: RowCursor, integers: number): number {
    const bytes = this.#compareBytes(other, EVENT_ID)
    if (bytes !== 0) return bytes
    for (let field = EVENT_ID + 1; field <= EVENT_ID + integers; field += 1) {
      const difference = this.#compareIntegers(other, field)
      if (difference !== 0) return difference
    }
    return 0
  }

  /** Whether so many bytes from `at` on are those of the row where the other stands. */
  #hasBytes(at: number, other: RowCursor, length: number): boolean {
    if (at + length > this.#bytes.length) return false
    const [ours, theirs] = [this.#view, other.#view]
    let offset = 0
    for (; offset + 4 <= length; offset += 4)
      if (ours.getInt32(at + offset) !== theirs.getInt32(other.#start + offset)) return false
    for (; offset < length; offset += 1)
      if (ours.getUint8(at + offset) !== theirs.getUint8(other.#start + offset)) return false
    return true
  }

  #compareBytes(other: RowCursor, field: number): number {
    const [at, otherAt] = [this.#at(field), other.#at(field)]
    const [length, otherLength] = [this.#view.getInt32(at), other.#view.getInt32(otherAt)]
    return this.#bytes.compare(other.#bytes, otherAt + 4, otherAt + 4 + otherLength, at + 4, at + 4 + length)
  }

  /** Of four or of eight bytes, the first with the sign. */
  #compareIntegers(other: RowCursor, field: number): number {
    const [at, otherAt] = [this.#at(field), other.#at(field)]
    const high = this.#view.getInt32(at + 4) - other.#view.getInt32(otherAt + 4)
    if (high !== 0 || this.#view.getInt32(at) === 4) return high
    return this.#view.getUint32(at + 8) - other.#view.getUint32(otherAt + 8)
  }

  #at(field: number): number {
    const at = this.#fields[field]
    if (at === undefined) throw new RangeError(`The row has no field ${field}.`)
    return at
  }
}
