import { invalidJson } from '../../common/json/array-reader.ts'
import { isObject, type JsonValue } from '../../common/json/exact.ts'
import type { KeyRemover } from '../../common/json/key-in-items.ts'
import { parseItem } from '../../common/json/parse-item.ts'

/** An item of a list as it was sent. */
export interface SentItem {
  /** Index in the list, from 0, over all its pages. */
  readonly index: number
  /** Integers and amounts are exact, except in an item nested deeper than `MAX_ITEM_DEPTH`. Without the key. */
  readonly value: JsonValue
  /** As it stood in the body. */
  readonly text: string
  /** Length of the text. */
  readonly bytes: number
  /** Whether the key stood in it. */
  readonly containedKey: boolean
}

/** The address of a response as it was sent, whatever is stored of it. */
export function emailIn({ value }: SentItem): string | null {
  const email = isObject(value) ? value['email'] : null
  return typeof email === 'string' ? email : null
}

/** What the items of a list are parsed with. */
export interface ParseOptions {
  /** The list's name for messages, like `GET /events`. */
  readonly what: string
  readonly keyRemover: KeyRemover
}

/**
 * Parses an item.
 *
 * @param offset of the first byte in the body, for messages
 * @throws InvalidResponseError when it is not JSON
 */
export function parseSent(
  bytes: Buffer,
  index: number,
  offset: number,
  { what, keyRemover }: ParseOptions,
): SentItem {
  const text = bytes.toString()
  const value = parseItem(text, (at) => invalidJson(what, offset + (at ?? bytes.length)))
  const containedKey = keyRemover.isIn(text)
  return {
    index,
    value: containedKey ? keyRemover.removeFrom(value) : value,
    text,
    bytes: bytes.length,
    containedKey,
  }
}
