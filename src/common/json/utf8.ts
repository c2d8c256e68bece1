/** Bytes to text: strictly UTF-8, as JSON between systems must be (RFC 8259, section 8.1). */
import { isUtf8 } from 'node:buffer'

const byteOrderMark = Buffer.from([0xef, 0xbb, 0xbf])
/** A character has at most so many bytes. */
const MAX_CHARACTER_BYTES = 4

/** Checks chunk by chunk whether a body is UTF-8: a character may begin in one chunk and end in the next. */
export class Utf8Validator {
  #isUtf8 = true
  /** The beginning of a character that continues in the next chunk. */
  #tail = Buffer.alloc(0)

  add(piece: Buffer): void {
    if (!this.#isUtf8) return
    const bytes = this.#tail.length === 0 ? piece : Buffer.concat([this.#tail, piece])
    const whole = bytes.length - incompleteTailLength(bytes)
    this.#isUtf8 = isUtf8(bytes.subarray(0, whole))
    this.#tail = Buffer.from(bytes.subarray(whole))
  }

  /** Call it after the last chunk. */
  end(): boolean {
    return this.#isUtf8 && this.#tail.length === 0
  }
}

/** How many bytes at the end are the beginning of a character that goes on behind them. */
function incompleteTailLength(bytes: Buffer): number {
  for (let length = 1; length < MAX_CHARACTER_BYTES && length <= bytes.length; length += 1) {
    const byte = bytes[bytes.length - length] ?? 0
    if (byte < 0x80) return 0
    // guard: split characters
    if (byte >= 0xc0) return length < encodedLength(byte) ? length : 0
  }
  return 0
}

/** How many bytes a character has, from its first one. */
function encodedLength(first: number): number {
  if (first >= 0xf0) return 4
  return first >= 0xe0 ? 3 : 2
}

/** How many bytes of a byte order mark there are at the beginning: three or none. */
export function bomLength(bytes: Buffer): number {
  return bytes.subarray(0, byteOrderMark.length).equals(byteOrderMark) ? byteOrderMark.length : 0
}

/** The text without its byte order mark. */
export function decodeUtf8(bytes: Buffer): string {
  return bytes.toString('utf8', bomLength(bytes))
}
