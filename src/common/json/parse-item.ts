import type { InvalidResponseError } from '../errors.ts'
import { isObject, MAX_ITEM_DEPTH, needsSourceText, parsePlain, parseWithSource } from './exact.ts'
import type { JsonValue } from './exact.ts'

/**
 * Parses the text of one item.
 *
 * @param fault makes the error for a text that is not JSON, from the byte of the text, if that is known. `JSON.parse` quotes
 * the text in its message, so only the position is taken over from it: items hold personal data.
 * @returns integers and amounts exact, except in an item nested deeper than `MAX_ITEM_DEPTH`
 */
export function parseItem(text: string, fault: (at: number | null) => InvalidResponseError): JsonValue {
  const value = parseOrThrow(text, fault)
  // The reviver behind it recurses, and a deeper item is rejected in any case.
  return /* guard: large integers */ needsSourceText(text) && !isDeeperThan(MAX_ITEM_DEPTH, value)
    ? parseWithSource(text)
    : value
}

export function parseOrThrow(text: string, fault: (at: number | null) => InvalidResponseError): JsonValue {
  try {
    return parsePlain(text)
  } catch (error) {
    const position = error instanceof Error ? /JSON at position (\d+)/.exec(error.message)?.[1] : undefined
    throw fault(position === undefined ? null : Buffer.byteLength(text.slice(0, Number(position))))
  }
}

function isDeeperThan(levels: number, value: JsonValue): boolean {
  if (!Array.isArray(value) && !isObject(value)) return false
  return levels === 0 || Object.values(value).some((inner) => isDeeperThan(levels - 1, inner))
}
