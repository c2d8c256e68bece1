/** Bytes to text: strictly UTF-8, as JSON between systems must be (RFC 8259, section 8.1). */
import { isUtf8 } from 'node:buffer'

const byteOrderMark = Buffer.from([0xef, 0xbb, 0xbf])
/** A character has at most so many bytes. */
const LONGEST_CHARACTER = 4

/** Whether a body is UTF-8, told while its pieces come: a character may begin in one and end in the next. */
export class Utf8Check {
  #isUtf8 = true
  /** The beginning of a character whose end has not come yet. */
  #begun = Buffer.alloc(0)

  add(piece: Buffer): void {
    if (!this.#isUtf8) return
    const bytes = this.#begun.length === 0 ? piece : Buffer.concat([this.#begun, piece])
    const whole = bytes.length - lengthOfBegun(bytes)
    this.#isUtf8 = isUtf8(bytes.subarray(0, whole))
    this.#begun = Buffer.from(bytes.subarray(whole))
  }

  /** The verdict, when the last piece has come. */
  end(): boolean {
    return this.#isUtf8 && this.#begun.length === 0
  }
}

/** How many bytes at the end are the beginning of a character that goes on behind them. */
function lengthOfBegun(bytes: Buffer): number {
  for (let length = 1; length < LONGEST_CHARACTER && length <= bytes.length; length += 1) {
    const byte = bytes[bytes.length - length] ?? 0
    if (byte < 0x80) return 0
    if (byte >= 0xc0) return length < lengthFrom(byte) ? length : 0
  }
  return 0
}

/** How many bytes a character has, from its first one. */
function lengthFrom(first: number): number {
  if (first >= 0xf0) return 4
  return first >= 0xe0 ? 3 : 2
}

/** How many bytes of a byte order mark there are at the beginning: three or none. */
export function markLength(bytes: Buffer): number {
  return bytes.subarray(0, byteOrderMark.length).equals(byteOrderMark) ? byteOrderMark.length : 0
}

/** The text without its byte order mark. */
export function textOf(bytes: Buffer): string {
  return bytes.toString('utf8', markLength(bytes))
}
