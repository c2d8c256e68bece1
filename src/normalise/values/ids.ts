import type { IntegerText } from '../../common/schema/tables.ts'
import type { JsonValue } from '../../common/json/exact.ts'
import { integerOf, sourceOf } from './decimals.ts'
import { isStorable } from './postgres-text.ts'

const LONGEST_EVENT_ID = 255
const BIGINT_DIGITS = 19
/** Digits as text mean the same as a number only in the form that a number would have. */
const INTEGER_TEXT = /^(?:0|-?[1-9]\d*)$/

/**
 * An integer that a bigint holds, sent as a JSON integer or as its digits in a text; null for anything else.
 * A number is read by its source text: a double that may have been rounded is none.
 */
export function bigintOf(value: JsonValue): IntegerText | null {
  const digits = typeof value === 'string' ? digitsOf(value) : exactIntegerOf(value, BIGINT_DIGITS)
  if (digits === null || digits.length < BIGINT_DIGITS) return digits
  const integer = BigInt(digits)
  return BigInt.asIntN(64, integer) === integer ? digits : null
}

/** The id of an event: text that can stand in a path and be stored, or an integer, which is stored as its digits. */
export function eventIdOf(value: JsonValue): string | null {
  const id = typeof value === 'string' ? value : exactIntegerOf(value, LONGEST_EVENT_ID)
  if (id === null || id === '' || id === '.' || id === '..' || !isStorable(id)) return null
  return isAtMost(LONGEST_EVENT_ID, id) ? id : null
}

function digitsOf(text: string): IntegerText | null {
  return text.length <= BIGINT_DIGITS + 1 && INTEGER_TEXT.test(text) ? text : null
}

function exactIntegerOf(value: JsonValue, most: number): IntegerText | null {
  if (typeof value === 'number') return Number.isSafeInteger(value) ? String(value) : null
  const source = sourceOf(value)
  return source === null ? null : integerOf(source, most)
}

/** Lengths count code points: a character beyond U+FFFF is one. */
function isAtMost(length: number, text: string): boolean {
  if (text.length <= length) return true
  return text.length <= 2 * length && Array.from(text).length <= length
}
