/** Keys that stand twice in one object, which `JSON.parse` does not tell: the last one wins. */
import { BACKSLASH, CLOSE_BRACE, COLON, OPEN_BRACE, QUOTE, SPACE } from './characters.ts'

/**
 * How much of a list's items is looked at, in characters. A service that writes keys twice does so in every item of a
 * shape, so a few items of every list show it.
 */
export const SCANNED_CHARACTERS = 1024

/**
 * The keys that stand in one object more than once.
 *
 * @param beginning of JSON that `JSON.parse` has accepted; of anything else the result means nothing.
 */
export function duplicateKeys(beginning: string): string[] {
  const duplicates: string[] = []
  const open: string[][] = []
  for (let at = 0; at < beginning.length; at += 1) {
    const character = beginning.charCodeAt(at)
    if (character === OPEN_BRACE) open.push([])
    else if (character === CLOSE_BRACE) open.pop()
    if (character !== QUOTE) continue
    const start = at
    at = endOfString(beginning, at)
    if (at === -1) break
    const keys = open.at(-1)
    if (keys === undefined || !isKey(beginning, at + 1)) continue
    const key = unescapeKey(beginning.slice(start, at + 1))
    if (!keys.includes(key)) keys.push(key)
    else if (!duplicates.includes(key)) duplicates.push(key)
  }
  return duplicates
}

/** Index of the quote that ends the string whose first quote stands at `start`; -1 when the text ends before it. */
function endOfString(text: string, start: number): number {
  let at = text.indexOf('"', start + 1)
  while (at !== -1 && isEscaped(text, at)) at = text.indexOf('"', at + 1)
  return at
}

function isEscaped(text: string, at: number): boolean {
  let before = at
  while (text.charCodeAt(before - 1) === BACKSLASH) before -= 1
  return (at - before) % 2 === 1
}

/** Whether a colon follows: the string before it was a key. */
function isKey(text: string, from: number): boolean {
  let at = from
  while (text.charCodeAt(at) <= SPACE) at += 1
  return text.charCodeAt(at) === COLON
}

/** The key without its quotes, its escapes resolved: `"a"` and `"\u0061"` are one. */
function unescapeKey(source: string): string {
  return source.includes('\\') ? String(JSON.parse(source)) : source.slice(1, -1)
}
