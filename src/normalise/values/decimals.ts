import { isRawNumber, type JsonValue } from '../../common/json/exact.ts'
import type { DecimalText, IntegerText } from '../../common/schema/tables.ts'

/** Bounds of Postgres' numeric, in jsonb as well: digits before and after the point, and the exponent as written. */
const MAX_WHOLE_DIGITS = 131_072
const MAX_FRACTION_DIGITS = 16_383
const MAX_EXPONENT = 1_000_000_000

const AMOUNT = /^-?\d+(?:\.\d+)?$/
const NUMBER = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/

/**
 * An amount of money, exact as sent: text like `12.50`, or a JSON number by its source text (which may have an
 * exponent; Postgres reads it). Null for anything else and beyond the bounds of numeric.
 */
export function readAmount(value: JsonValue): DecimalText | null {
  const text =
    typeof value === 'string' && /* guard: form of amounts */ AMOUNT.test(value) ? value : numberText(value)
  return text !== null && fitsNumeric(text) ? text : null
}

/** The source text of a JSON number; null for any other value. */
export function numberText(value: JsonValue): string | null {
  if (typeof value === 'number') return String(value)
  return isRawNumber(value) ? value.rawJSON : null
}

/** Whether numeric holds this number, a JSON number's text or an amount's, digit for digit. */
export function fitsNumeric(text: string): boolean {
  if (text.length <= MAX_FRACTION_DIGITS && !/e/i.test(text)) return true
  const number = readNumber(text)
  if (number === null || Math.abs(number.exponent) > MAX_EXPONENT) return false
  const { digits, point, zeros } = number
  return (
    digits.length - point <= MAX_FRACTION_DIGITS &&
    (zeros === digits.length || point - zeros <= MAX_WHOLE_DIGITS)
  )
}

/**
 * The integer that a JSON number denotes, as digits: `17`, `1.0`, `1e2` and `100e-2` are integers, `1.5` is not.
 *
 * @param maxDigits how many digits are looked at; null when there are more.
 */
export function toIntegerText(source: string, maxDigits: number): IntegerText | null {
  const number = readNumber(source)
  if (number === null) return null
  const { sign, digits, point, zeros } = number
  if (zeros === digits.length) return '0'
  if (point - zeros > maxDigits || /[1-9]/.test(digits.slice(Math.max(point, 0)))) return null
  return sign + digits.slice(zeros, point).padEnd(point - zeros, '0')
}

interface WrittenNumber {
  readonly sign: string
  /** All digits without the point. */
  readonly digits: string
  /** How many digits stand before the point once the exponent has moved it; may lie outside of `digits`. */
  readonly point: number
  readonly exponent: number
  /** How many zeros the digits begin with. */
  readonly zeros: number
}

function readNumber(text: string): WrittenNumber | null {
  const parts = NUMBER.exec(text)
  if (parts === null) return null
  const [, sign = '', whole = '', fraction = '', power = '0'] = parts
  const digits = whole + fraction
  const exponent = Number(power)
  const zeros = /^0*/.exec(digits)?.[0].length ?? 0
  return { sign, digits, point: whole.length + exponent, exponent, zeros }
}
