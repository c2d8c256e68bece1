/** Finds where the fields of an ordinary object of JSON stand in its bytes. Strict: what it takes is JSON. */
import {
  BACKSLASH,
  CLOSE_BRACE,
  COLON,
  COMMA,
  OPEN_BRACE,
  OPEN_BRACKET,
  QUOTE,
  SPACE,
} from '../../common/json/characters.ts'
import { INCOMPLETE, skipSpace, valueEnd } from '../../common/json/scan.ts'

/** Stands in place of an end: the object is not ordinary, or not all of it is there. */
export const DECLINED = INCOMPLETE

/** The forms of a value. The first two are those of a field mask (observe/field-states.ts). */
const ABSENT = 0
export const NULL = 1
/** A text without a backslash; its span is what stands between the quotes. */
export const PLAIN_TEXT = 2
/** A text with a backslash. */
export const ESCAPED_TEXT = 3
/** Digits, with a sign or without. */
export const INTEGER = 4
/** An array; only where it ends is known of it. */
export const ARRAY = 5

const MINUS = 0x2d
const POINT = 0x2e
const ZERO = 0x30
const NINE = 0x39
const LETTER_E = 0x45
const LETTER_e = 0x65
const NULL_WORD = new TextEncoder().encode('null')

/** The fields of one object, by their place in the list of names. One object serves for all items. */
export class FieldSpans {
  /** The form of each field's value. */
  readonly forms: Uint8Array
  readonly starts: Int32Array
  readonly ends: Int32Array
  /** The names with their closing quotes. */
  readonly #names: readonly Uint8Array[]
  /** Which field came behind each field when it was last seen; at 0 which came first. Objects mostly have the same order. */
  readonly #next: Uint8Array

  constructor(names: readonly string[]) {
    this.forms = new Uint8Array(names.length)
    this.starts = new Int32Array(names.length)
    this.ends = new Int32Array(names.length)
    this.#names = names.map((name) => new TextEncoder().encode(`${name}"`))
    this.#next = new Uint8Array(names.length + 1)
  }

  /**
   * Reads an object that begins at `start`. Declines one with a name that is not in the list, a name twice, and any
   * value that has another form than those above.
   *
   * @returns the place behind its closing brace, or DECLINED
   */
  read(bytes: Buffer, start: number): number {
    this.forms.fill(ABSENT)
    if (bytes[start] !== OPEN_BRACE) return DECLINED
    let at = skipSpace(bytes, start + 1)
    if (bytes[at] === CLOSE_BRACE) return at + 1
    let field = DECLINED
    for (;;) {
      field = bytes[at] === QUOTE ? this.#fieldAt(bytes, at + 1, field + 1) : DECLINED
      if (field === DECLINED || this.forms[field] !== ABSENT) return DECLINED
      at = skipSpace(bytes, at + 1 + (this.#names[field] ?? bytes).length)
      if (bytes[at] !== COLON) return DECLINED
      at = this.#readValue(bytes, skipSpace(bytes, at + 1), field)
      if (at === DECLINED) return DECLINED
      at = skipSpace(bytes, at)
      if (bytes[at] === CLOSE_BRACE) return at + 1
      if (bytes[at] !== COMMA) return DECLINED
      at = skipSpace(bytes, at + 1)
    }
  }

  /** Which fields the object has (observe/field-states.ts). */
  mask(): number {
    let mask = 0
    for (let field = 0; field < this.forms.length; field += 1)
      mask = (mask << 2) | Math.min(this.forms[field] ?? 0, PLAIN_TEXT)
    return mask
  }

  /** The field whose name stands at `start`, with the quote behind it. @param place in `#next` */
  #fieldAt(bytes: Buffer, start: number, place: number): number {
    const expected = this.#next[place] ?? 0
    if (isAt(bytes, start, this.#names[expected] ?? bytes)) return expected
    // A closure would be made for each field of each item.
    for (let field = 0; field < this.#names.length; field += 1) {
      if (!isAt(bytes, start, this.#names[field] ?? bytes)) continue
      this.#next[place] = field
      return field
    }
    return DECLINED
  }

  #readValue(bytes: Buffer, start: number, field: number): number {
    const first = bytes[start]
    if (first === QUOTE) return this.#readText(bytes, start + 1, field)
    if (first === OPEN_BRACKET) return this.#set(field, ARRAY, start, valueEnd(bytes, start))
    if (first === NULL_WORD[0])
      return this.#set(
        field,
        NULL,
        start,
        isAt(bytes, start, NULL_WORD) ? start + NULL_WORD.length : DECLINED,
      )
    return this.#set(field, INTEGER, start, integerEnd(bytes, start))
  }

  #readText(bytes: Buffer, start: number, field: number): number {
    let at = start
    let form = PLAIN_TEXT
    for (;;) {
      const byte = bytes[at] ?? 0
      if (byte === QUOTE) break
      if (byte < SPACE) return DECLINED
      if (byte === BACKSLASH) {
        form = ESCAPED_TEXT
        at += 1
      }
      at += 1
    }
    this.#set(field, form, start, at)
    return at + 1
  }

  #set(field: number, form: number, start: number, end: number): number {
    this.forms[field] = form
    this.starts[field] = start
    this.ends[field] = end
    return end
  }
}

function isAt(bytes: Uint8Array, start: number, wanted: Uint8Array): boolean {
  for (let index = 0; index < wanted.length; index += 1)
    if (bytes[start + index] !== wanted[index]) return false
  return true
}

/** JSON has no leading zeros, and an integer has neither point nor exponent. */
function integerEnd(bytes: Buffer, start: number): number {
  const first = bytes[start] === MINUS ? start + 1 : start
  let at = first
  while ((bytes[at] ?? 0) >= ZERO && (bytes[at] ?? 0) <= NINE) at += 1
  const next = bytes[at]
  const isWhole = next !== POINT && next !== LETTER_E && next !== LETTER_e && next !== undefined
  return at > first && isWhole && (bytes[first] !== ZERO || at === start + 1) ? at : DECLINED
}
