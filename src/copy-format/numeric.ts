/** Decimal numbers in the binary form of `numeric`, read from their bytes. */

/** A word of numeric holds four decimal digits. */
const DIGITS_PER_WORD = 4
const BYTES_PER_WORD = 2
/** How many words there are, the weight of the first, the sign, and how many digits are shown behind the point. */
const HEAD = 4 * BYTES_PER_WORD
const NEGATIVE = 0x4000

const MINUS = 0x2d
const POINT = 0x2e
const ZERO = 0x30
const NINE = 0x39

/** Room for a number of so many characters: a digit takes half a byte, and at either end a word may hold but one. */
export function maxNumericBytes(length: number): number {
  return HEAD + 2 * BYTES_PER_WORD + length
}

/** A decimal number that was read. One object serves for all, so that none is made for each. */
export class Decimal {
  #bytes: Uint8Array = new Uint8Array()
  #isNegative = false
  /** Where its digits begin. */
  #start = 0
  /** How many of its digits stand before the point as written. */
  #whole = 0
  /** How many digits it has. */
  #count = 0
  /** How many of them stand before the point once the exponent has moved it; may lie outside of them. */
  #point = 0
  /** How many digits are shown behind the point. */
  #scale = 0

  /**
   * Reads digits with an optional sign and point: `-12.50`.
   *
   * @returns where they end; -1 when there are none, or none before or behind the point
   */
  read(bytes: Uint8Array, start: number, end: number): number {
    this.#bytes = bytes
    this.#isNegative = bytes[start] === MINUS
    this.#start = this.#isNegative ? start + 1 : start
    let at = digitsEnd(bytes, this.#start, end)
    this.#whole = at - this.#start
    if (this.#whole === 0) return -1
    let fraction = 0
    if (bytes[at] === POINT && at < end) {
      const from = at + 1
      at = digitsEnd(bytes, from, end)
      fraction = at - from
      if (fraction === 0) return -1
    }
    this.#count = this.#whole + fraction
    this.#point = this.#whole
    this.#scale = fraction
    return at
  }

  /** Moves the point, as an exponent does. */
  shift(exponent: number): void {
    this.#scale = Math.max(0, this.#count - this.#whole - exponent)
    this.#point = this.#whole + exponent
  }

  /**
   * Writes its head, then words of four digits. Zeros at either end are left out of the words; those behind the point are
   * remembered by their number, so that 12.50 stays 12.50.
   *
   * @param view has room for it
   * @returns where the next byte goes
   */
  write(view: DataView, at: number): number {
    // The first word begins where the distance to the point is a multiple of four.
    const ahead = mod(-this.#point, DIGITS_PER_WORD)
    const first = at + HEAD
    let weight = (this.#point + ahead) / DIGITS_PER_WORD - 1
    let next = first
    let end = first
    for (let from = -ahead; from < this.#count; from += DIGITS_PER_WORD) {
      const word = this.#word(from)
      if (word === 0 && next === first) {
        weight -= 1
        continue
      }
      view.setUint16(next, word)
      next += BYTES_PER_WORD
      if (word !== 0) end = next
    }
    const isZero = end === first
    view.setUint16(at, (end - first) / BYTES_PER_WORD)
    view.setInt16(at + 2, isZero ? 0 : weight)
    view.setUint16(at + 4, this.#isNegative && !isZero ? NEGATIVE : 0)
    view.setUint16(at + 6, this.#scale)
    return end
  }

  #word(from: number): number {
    let word = 0
    for (let index = from; index < from + DIGITS_PER_WORD; index += 1) word = word * 10 + this.#digit(index)
    return word
  }

  /** The digit at an index, from 0 and without the point; zeros stand around them. */
  #digit(index: number): number {
    if (index < 0 || index >= this.#count) return 0
    return (this.#bytes[this.#start + index + (index < this.#whole ? 0 : 1)] ?? ZERO) - ZERO
  }
}

function digitsEnd(bytes: Uint8Array, start: number, end: number): number {
  let at = start
  while (at < end && (bytes[at] ?? 0) >= ZERO && (bytes[at] ?? 0) <= NINE) at += 1
  return at
}

function mod(value: number, by: number): number {
  return ((value % by) + by) % by
}
