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

/** Where an item of a list stands in the text of its page. */
export interface ItemRange {
  /** First character, and the one behind the last. */
  readonly start: number
  readonly end: number
  /** Levels of nesting: 0 for a number or a text, 1 for an object without objects or arrays in it. */
  readonly depth: number
}

/**
 * Finds the items of a list in its text, without recursion and without building values.
 *
 * @param text one JSON array that `JSON.parse` has accepted; of anything else the result means nothing.
 */
export function itemOffsets(text: string): ItemRange[] {
  const slices: ItemRange[] = []
  let level = 0
  let deepest = 0
  let start = -1
  let end = -1
  for (let at = text.indexOf('[') + 1; level >= 0 && at < text.length; at += 1) {
    const character = text.charCodeAt(at)
    if (character <= SPACE) continue
    const closes = character === CLOSE_BRACKET || character === CLOSE_BRACE
    if (closes) level -= 1
    if (level < 0 || (level === 0 && character === COMMA)) {
      if (start >= 0) slices.push({ start, end, depth: deepest })
      start = -1
      deepest = 0
      continue
    }
    if (start < 0) start = at
    if (character === QUOTE) at = endOfString(text, at)
    else if (character === OPEN_BRACE || character === OPEN_BRACKET) {
      level += 1
      if (level > deepest) deepest = level
    }
    end = at + 1
  }
  return slices
}

/** Index of the quote that ends the string whose first quote stands at `start`. */
function endOfString(text: string, start: number): number {
  let at = start + 1
  while (at < text.length && text.charCodeAt(at) !== QUOTE) {
    at += text.charCodeAt(at) === BACKSLASH ? 2 : 1
  }
  return at
}
