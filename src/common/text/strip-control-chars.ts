import { stripVTControlCharacters } from 'node:util'

/**
 * What a terminal would obey instead of show: control characters (C0 but tab and line feed, DEL, C1) and the
 * marks that turn the direction of text around. Joiners and plain direction marks stay: names need them.
 */
const unprintable = /[\0-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\u2028\u2029]/g

/** Text from elsewhere (a name, a message of a server), safe to print: nothing in it moves the cursor or colours. */
export function stripControlChars(text: string): string {
  // guard: terminal escapes
  return stripVTControlCharacters(text).replace(unprintable, escaped)
}

/** The same on one line, for a cell or a list. */
export function stripControlCharsInLine(text: string): string {
  return stripControlChars(text).replace(/[\t\n]/g, (character) => (character === '\n' ? '\\n' : '\\t'))
}

/** JSON in which every such character is written as an escape: the same value, safe to print. */
export function escapeControlCharsInJson(json: string): string {
  return json.replace(unprintable, (character) => `\\u${hex(character, 4)}`)
}

function escaped(character: string): string {
  return character < '\u0100' ? `\\x${hex(character, 2)}` : `\\u${hex(character, 4)}`
}

function hex(character: string, digits: number): string {
  return character.charCodeAt(0).toString(16).padStart(digits, '0')
}
