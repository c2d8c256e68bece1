/** Exact sums of decimal texts. */

interface Scaled {
  readonly units: bigint
  readonly scale: number
}

/** Takes an exponent, too: numbers of JSON may have one. */
function scaled(text: string): Scaled {
  const [mantissa = '', exponent = '0'] = text.toLowerCase().split('e')
  const [whole = '', fraction = ''] = mantissa.replace('+', '').split('.')
  const scale = fraction.length - Number(exponent)
  const units = BigInt(whole + fraction)
  return scale < 0 ? { units: units * 10n ** BigInt(-scale), scale: 0 } : { units, scale }
}

function atScale(value: Scaled, scale: number): bigint {
  return value.units * 10n ** BigInt(scale - value.scale)
}

function textOf({ units, scale }: Scaled): string {
  const digits = String(units < 0n ? -units : units).padStart(scale + 1, '0')
  const whole = digits.slice(0, digits.length - scale)
  const fraction = digits.slice(digits.length - scale).replace(/0+$/, '')
  return `${units < 0n ? '-' : ''}${whole}${fraction === '' ? '' : `.${fraction}`}`
}

/** Without an exponent and without final zeros behind the point. */
export function plainDecimal(text: string): string {
  return textOf(scaled(text))
}

export function compareDecimals(one: string, other: string): number {
  const [a, b] = [scaled(one), scaled(other)]
  const scale = Math.max(a.scale, b.scale)
  const difference = atScale(a, scale) - atScale(b, scale)
  return difference < 0n ? -1 : Number(difference > 0n)
}

export function add(one: string, other: string): string {
  const [a, b] = [scaled(one), scaled(other)]
  const scale = Math.max(a.scale, b.scale)
  return textOf({ units: atScale(a, scale) + atScale(b, scale), scale })
}

export function subtract(one: string, other: string): string {
  const { units, scale } = scaled(other)
  return add(one, textOf({ units: -units, scale }))
}

/** NULL when there is no value to add. */
export function sumOrNull(values: readonly (string | null)[]): string | null {
  return values.reduce<string | null>((sum, value) => (value === null ? sum : add(sum ?? '0', value)), null)
}

export function isNegative(text: string | null): boolean {
  return text !== null && compareDecimals(text, '0') < 0
}
