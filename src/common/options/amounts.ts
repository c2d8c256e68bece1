/** Checks the numbers among the options of a program. */
import { UsageError } from '../errors.ts'

/**
 * The number as it is, or undefined for an option that was not given.
 *
 * @param why the end of the message: what the least number is for
 * @throws UsageError naming the option and its range
 */
export function requireWholeNumber<Amount extends number | undefined>(
  name: string,
  value: Amount,
  min: number,
  max = Infinity,
  why = '',
): Amount {
  if (value === undefined || (Number.isSafeInteger(value) && value >= min && value <= max)) return value
  const range = max === Infinity ? `from ${min} on` : `from ${min} to ${max}`
  throw new UsageError(`The option \`${name}\` must be a whole number ${range}, not ${value}${why}.`)
}

/** Of a time or a size: no whole number is asked for, but a sensible one. @throws UsageError naming the option and its range */
export function requirePositive(name: string, value: number | undefined, max = Infinity): void {
  if (value === undefined || (Number.isFinite(value) && value > 0 && value <= max)) return
  const range = max === Infinity ? '' : `, and at most ${max}`
  throw new UsageError(`The option \`${name}\` must be a number above 0${range}, not ${value}.`)
}
