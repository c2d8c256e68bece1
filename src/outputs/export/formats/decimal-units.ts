/** The largest value of a DECIMAL with 38 digits. */
const MAX_UNITS = 10n ** 38n - 1n

/**
 * A decimal number in units of its last place, for a column with so many places: `12.5` with 6 is 12500000. Further digits are rounded,
 * half away from zero, as Postgres rounds.
 *
 * @returns null for what such a column cannot hold: more than 38 digits, NaN, infinity
 */
export function decimalUnits(text: string, scale: number): bigint | null {
  const [, sign, whole = '', fraction = ''] = /^(-?)(\d+)(?:\.(\d+))?$/.exec(text) ?? []
  if (sign === undefined) return null
  const isRoundedUp = (fraction[scale] ?? '0') >= '5'
  const units = BigInt(whole + fraction.slice(0, scale).padEnd(scale, '0')) + (isRoundedUp ? 1n : 0n)
  if (units > MAX_UNITS) return null
  return sign === '' ? units : -units
}
