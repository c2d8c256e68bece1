import { DatabaseError } from '../common/errors.ts'

const MAX_CAPACITY = 2 ** 31 - 1
/** Enough for a field of a fixed size. */
const RESERVED_BYTES = 16
const NULL = -1
/** Up to so many bytes a loop is quicker than a call of the native copy. */
const MAX_LOOP_BYTES = 48

/**
 * Rows in the binary format of COPY, without header and trailer, in one growing buffer. Whoever writes a row reserves room
 * for it, writes at `end` through `bytes` or `view`, and moves `end`.
 */
export class RowBuffer {
  bytes: Buffer<ArrayBuffer>
  /** The same bytes; it writes numbers a third quicker than a Buffer. */
  view: DataView
  end = 0
  count = 0
  readonly #prefix: Buffer

  /** @param prefix how each row begins @param capacity about how many bytes will be written */
  constructor(prefix: Buffer, capacity: number) {
    this.bytes = Buffer.allocUnsafeSlow(capacity)
    this.view = new DataView(this.bytes.buffer)
    this.#prefix = prefix
  }

  /** Makes room for so many bytes behind `end`. Both `bytes` and `view` may be others afterwards. */
  reserve(bytes: number): void {
    const needed = this.end + bytes
    if (needed > this.bytes.length) this.#grow(needed)
  }

  /** Begins a row. The caller writes its other fields, all of them and in order, and counts it. */
  begin(): void {
    this.reserve(this.#prefix.length + RESERVED_BYTES)
    this.end = copyBytes(this.#prefix, 0, this.#prefix.length, this.bytes, this.end)
  }

  /** Writes NULL as the next field. */
  null(): void {
    this.reserve(RESERVED_BYTES)
    this.view.setInt32(this.end, NULL)
    this.end += 4
  }

  /** Adds the bytes of whole rows. */
  append(rows: Buffer): void {
    this.reserve(rows.length)
    this.end = copyBytes(rows, 0, rows.length, this.bytes, this.end)
  }

  #grow(needed: number): void {
    if (needed > MAX_CAPACITY) throw new DatabaseError('The rows of one batch take more than 2 GiB.')
    const larger = Buffer.allocUnsafeSlow(Math.min(MAX_CAPACITY, Math.max(needed, this.bytes.length * 2)))
    this.bytes.copy(larger, 0, 0, this.end)
    this.bytes = larger
    this.view = new DataView(larger.buffer)
  }
}

/** @returns the offset behind the copy */
export function copyBytes(from: Uint8Array, start: number, end: number, to: Uint8Array, at: number): number {
  const length = end - start
  if (length > MAX_LOOP_BYTES) to.set(from.subarray(start, end), at)
  else for (let index = 0; index < length; index += 1) to[at + index] = from[start + index] ?? 0
  return at + length
}
