/**
 * JSON without loss: integers beyond 2^53 and amounts keep their source text.
 *
 * `JSON.parse` rounds every number to a double. Here a number that would change on the way is kept as a
 * raw JSON number (`JSON.rawJSON`), which `JSON.stringify` writes back exactly as it came.
 */

/** A number as its source text; made by `JSON.rawJSON`, written back unchanged by `JSON.stringify`. */
export interface RawNumber {
  readonly rawJSON: string
}

export type JsonObject = { [key: string]: JsonValue }
export type JsonValue = null | boolean | number | string | RawNumber | JsonValue[] | JsonObject

declare global {
  // TypeScript 7.0 has no types yet for the proposal that Node 22 and later ship (JSON.parse source text access).
  interface JSON {
    parse(text: string, reviver: (key: string, value: unknown, context: { source?: string }) => unknown): unknown
    rawJSON(text: string): RawNumber
    isRawJSON(value: unknown): value is RawNumber
  }
}

export function isRawNumber(value: unknown): value is RawNumber {
  return JSON.isRawJSON(value)
}

export function isObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !isRawNumber(value)
}

/** Sixteen digits in a row, an exponent, or an amount sent as a number: only then is the slow parse needed. */
const mayLoseDigits = /\d{16}|\d[eE]\+?\d|"(?:amount|processing_fee)"\s*:\s*-?\d/

/** Whether `JSON.parse` might change a number of this text. Errs only on the side of caution. */
export function needsSourceText(text: string): boolean {
  return mayLoseDigits.test(text)
}

/**
 * Parses JSON text; integers of any size, numbers beyond a double's range and amounts sent as numbers keep
 * their digits. Fractions elsewhere have double precision.
 *
 * @throws SyntaxError when the text is not JSON; RangeError when it is nested some ten thousand deep and
 * has a number that needs its source text.
 */
export function parseJson(text: string): JsonValue {
  // JSON.parse with and without a reviver gives exactly these types: there is nothing to check again.
  return (needsSourceText(text) ? JSON.parse(text, keepDigits) : JSON.parse(text)) as JsonValue
}

function keepDigits(key: string, value: unknown, context: { source?: string }): unknown {
  if (typeof value !== 'number' || context.source === undefined) return value
  if (key === 'amount' || key === 'processing_fee') return JSON.rawJSON(context.source)
  if (!Number.isFinite(value)) return JSON.rawJSON(context.source)
  const isLargeInteger = !Number.isSafeInteger(value) && /^-?\d+$/.test(context.source)
  return isLargeInteger ? JSON.rawJSON(context.source) : value
}
