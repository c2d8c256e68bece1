import type { IntegerText } from '../../common/schema/tables.ts'
import type { JsonValue } from '../../common/json/exact.ts'
import { toIntegerText, numberText } from './decimals.ts'
import { isValidPostgresText } from '../../common/text/postgres-text.ts'

const MAX_EVENT_ID_LENGTH = 255
const BIGINT_DIGITS = 19
/** Digits as text mean the same as a number only in the form that a number would have. */
const INTEGER_TEXT = /^(?:0|-?[1-9]\d*)$/

/**
 * An integer that a bigint holds, sent as a JSON integer or as its digits in a text; null for anything else.
 * A number is read by its source text: a double that may have been rounded is none.
 */
export function readBigint(value: JsonValue): IntegerText | null {
  const digits = typeof value === 'string' ? digitsOf(value) : exactIntegerText(value, BIGINT_DIGITS)
  if (digits === null || digits.length < BIGINT_DIGITS) return digits
  const integer = BigInt(digits)
  // guard: range of ids
  return BigInt.asIntN(64, integer) === integer ? digits : null
}

/** The id of an event: text that can stand in a path and be stored, or an integer, which is stored as its digits. */
export function readEventId(value: JsonValue): string | null {
  const id = typeof value === 'string' ? value : exactIntegerText(value, MAX_EVENT_ID_LENGTH)
  if (
    id === null ||
    id === '' ||
    id === '.' ||
    /* guard: ids of events */ id === '..' ||
    !isValidPostgresText(id)
  )
    return null
  return isAtMost(MAX_EVENT_ID_LENGTH, id) ? id : null
}

function digitsOf(text: string): IntegerText | null {
  return text.length <= BIGINT_DIGITS + 1 && INTEGER_TEXT.test(text) ? text : null
}

function exactIntegerText(value: JsonValue, maxDigits: number): IntegerText | null {
  if (typeof value === 'number') return Number.isSafeInteger(value) ? String(value) : null
  const source = numberText(value)
  return source === null ? null : toIntegerText(source, maxDigits)
}

/** Lengths count code points: a character beyond U+FFFF is one. */
function isAtMost(length: number, text: string): boolean {
  if (text.length <= length) return true
  return text.length <= 2 * length && Array.from(text).length <= length
}
