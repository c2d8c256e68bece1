/** Places in the bytes of JSON. */
import {
  BACKSLASH,
  CLOSE_BRACE,
  CLOSE_BRACKET,
  COMMA,
  OPEN_BRACE,
  OPEN_BRACKET,
  QUOTE,
  SPACE,
} from './characters.ts'

/** Stands in place of an end that the bytes do not have. */
export const INCOMPLETE = -1

const TAB = 0x09
const LINE_FEED = 0x0a
const CARRIAGE_RETURN = 0x0d

/** The place of the first byte that is no white space. */
export function skipSpace(bytes: Uint8Array, start: number): number {
  let at = start
  // Mostly there is none.
  while ((bytes[at] ?? QUOTE) <= SPACE) {
    const byte = bytes[at]
    if (byte !== SPACE && byte !== LINE_FEED && byte !== CARRIAGE_RETURN && byte !== TAB) break
    at += 1
  }
  return at
}

/**
 * The place behind the value that begins at `start`, as far as levels and texts tell: whether it is JSON is for
 * `JSON.parse` to say. Without recursion.
 */
export function valueEnd(bytes: Uint8Array, start: number): number {
  let level = 0
  for (let at = start; at < bytes.length; at += 1) {
    const byte = bytes[at] ?? 0
    if (byte === QUOTE) {
      at = closingQuote(bytes, at + 1)
      if (at === INCOMPLETE) return INCOMPLETE
      if (level === 0) return at + 1
    } else if (byte === OPEN_BRACKET || byte === OPEN_BRACE) level += 1
    else if (byte === CLOSE_BRACKET || byte === CLOSE_BRACE) {
      if (level === 0) return at
      level -= 1
      if (level === 0) return at + 1
    } else if (level === 0 && (byte === COMMA || byte <= SPACE)) return at
  }
  return level === 0 ? bytes.length : INCOMPLETE
}

/** The place of the quote that ends the text whose first character stands at `start`. */
function closingQuote(bytes: Uint8Array, start: number): number {
  let at = start
  while (at < bytes.length && bytes[at] !== QUOTE) at += bytes[at] === BACKSLASH ? 2 : 1
  return at < bytes.length ? at : INCOMPLETE
}
