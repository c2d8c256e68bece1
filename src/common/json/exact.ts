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
    parse(
      text: string,
      reviver: (key: string, value: unknown, context: { source?: string }) => unknown,
    ): unknown
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

/**
 * How deep an item may be nested (the item itself is the first level), and how long its source text may be in
 * bytes. PGlite loses a row with JSON nested some 6,400 deep without a word; the bounds keep far from that.
 */
export const MAX_ITEM_DEPTH = 64
export const MAX_ITEM_BYTES = 1024 * 1024

/**
 * A number that a double may not hold: sixteen digits or more, with or without a point, or an exponent.
 * A number follows the start of the text, a colon, a bracket or a comma, so digits inside words do not count.
 */
const mayLoseDigits = /(?:^|[:[,])\s*-?(?:\d{16}|[\d.]{17}|[\d.]+[eE])/
/**
 * An amount sent as a number: its final zeros are part of it. Ends of equal length let the engine skip most characters,
 * a third quicker than the whole names.
 */
const hasAmountNumber = /(?:amount|ng_fee)"\s*:\s*-?\d/
/** The name of a number with a letter or `_` written as an escape: it may be that of an amount. */
const hasEscapedNumberName = /\\u00[567][\da-f][\w\\]{0,80}"\s*:\s*-?\d/i

/** An exponent, or an end of a word that looks like one. */
const mayHaveExponent = /\d\.?[eE][-+\d]/
const LONG_RUN_LENGTH = 16
const POINT = 0x2e
const ZERO = 0x30
const NINE = 0x39

/** Whether `JSON.parse` might change a number of this text. Errs only on the side of caution. */
export function needsSourceText(text: string): boolean {
  // Most texts have no long run of digits anywhere, which is five times quicker to see than that none is a number.
  const looksOdd = hasLongDigitRun(text) || mayHaveExponent.test(text)
  if ((looksOdd && mayLoseDigits.test(text)) || hasAmountNumber.test(text)) return true
  return text.includes('\\u00') && hasEscapedNumberName.test(text)
}

/** Whether sixteen digits and points stand in a row: one of them stands at a place that is looked at. */
function hasLongDigitRun(text: string): boolean {
  for (let at = LONG_RUN_LENGTH - 1; at < text.length; at += LONG_RUN_LENGTH) {
    if (!isDigitOrPoint(text, at)) continue
    let start = at
    while (isDigitOrPoint(text, start - 1)) start -= 1
    let end = at + 1
    while (isDigitOrPoint(text, end)) end += 1
    if (end - start >= LONG_RUN_LENGTH) return true
  }
  return false
}

/** Of a place outside the text `charCodeAt` gives NaN. */
function isDigitOrPoint(text: string, at: number): boolean {
  const character = text.charCodeAt(at)
  return (character >= ZERO && character <= NINE) || character === POINT
}

/**
 * Parses JSON text; integers of any size, numbers beyond a double's range and amounts sent as numbers keep
 * their digits. Fractions elsewhere have double precision.
 *
 * @throws SyntaxError when the text is not JSON; RangeError when it is nested some thousands deep and
 * has a number that needs its source text.
 */
export function parseJson(text: string): JsonValue {
  return needsSourceText(text) ? parseWithSource(text) : parsePlain(text)
}

/** `JSON.parse` by its true type. Takes any depth. @throws SyntaxError */
export function parsePlain(text: string): JsonValue {
  return JSON.parse(text) as JsonValue
}

/** Parses as `parseJson` does where a number needs its source text: six times slower, and recursive. */
export function parseWithSource(text: string): JsonValue {
  return JSON.parse(text, keepDigits) as JsonValue
}

function keepDigits(key: string, value: unknown, context: { source?: string }): unknown {
  if (typeof value !== 'number' || context.source === undefined) return value
  const isAmount = key === 'amount' || key === 'processing_fee'
  return isAmount || losesDigits(value, context.source) ? JSON.rawJSON(context.source) : value
}

/** Out of range, or an integer that was not written as a plain safe one: 9007199254740993, 1e23, 1.00000000000000001. */
function losesDigits(value: number, source: string): boolean {
  if (!Number.isFinite(value)) return true
  return Number.isInteger(value) && !(Number.isSafeInteger(value) && /^-?\d+$/.test(source))
}

/** For `JSON.stringify`: NaN and the infinities as text, where it would write null. */
export function nonFiniteAsText(_: string, value: unknown): unknown {
  return typeof value === 'number' && !Number.isFinite(value) ? String(value) : value
}
