/** The key in the items of a list: a service may echo it, and what is stored is read by others than its owner. */
import { isObject, MAX_ITEM_DEPTH, type JsonValue } from './exact.ts'
import { createRedactor } from '../redact.ts'

/** A shorter key may be an ordinary word or a number: removed from items, it would change what was meant. */
export const MIN_KEY_LENGTH_IN_ITEMS = 16

export interface KeyRemover {
  /**
   * Whether it may stand in these bytes. Nearly always no, at the cost of one search. Not looked at are texts with an
   * escape by number (`\u002d`): who takes items from their bytes leaves such an item to `isIn`.
   */
  mayBeIn(bytes: Buffer): boolean
  /** Whether it stands in the text of an item. */
  isIn(source: string): boolean
  /** The value without the key in its texts and in the names of its fields. */
  removeFrom(value: JsonValue): JsonValue
}

/** Of lists that are read without a key. */
export const noKeyRemover: KeyRemover = {
  mayBeIn: () => false,
  isIn: () => false,
  removeFrom: (value) => value,
}

export function createKeyRemover(key: string): KeyRemover {
  if (key.length < MIN_KEY_LENGTH_IN_ITEMS) return noKeyRemover
  const { text } = createRedactor(key)
  // A part that no encoder of JSON, addresses, Markdown or HTML has a reason to write in another way.
  const plain = (key.match(/[A-Za-z0-9]+/g) ?? []).reduce((a, b) => (b.length > a.length ? b : a), '')
  return {
    mayBeIn: (bytes) => bytes.includes(plain),
    isIn: (source) => {
      const decoded = decodeAscii(source)
      return decoded.includes(plain) && text(decoded) !== decoded
    },
    removeFrom: (value) => removeKey(value, text, 1),
  }
}

/** The source with the ASCII characters that JSON may write by number: any part of the key may be written so. */
function decodeAscii(source: string): string {
  if (!source.includes('\\u00')) return source
  return /* guard: key written by numbers */ source.replace(/\\u00([0-7][\da-f])/gi, (_, hex: string) =>
    String.fromCharCode(parseInt(hex, 16)),
  )
}

/** An item that is nested deeper than may be stored is rejected as a whole. */
function removeKey(value: JsonValue, text: (given: string) => string, depth: number): JsonValue {
  // guard: key in items
  if (typeof value === 'string') return text(value)
  if (depth > MAX_ITEM_DEPTH) return value
  if (Array.isArray(value)) return value.map((element) => removeKey(element, text, depth + 1))
  if (!isObject(value)) return value
  const fields = Object.entries(value)
  return Object.fromEntries(fields.map(([name, field]) => [text(name), removeKey(field, text, depth + 1)]))
}
