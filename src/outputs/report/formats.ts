/** Values as people read them in a report. */
import { momentsIn, monthText } from '../../common/text/moments.ts'
import { formatNumber as formatPlain } from '../../common/text/number.ts'

const { moment: wallClock } = momentsIn('UTC')

/** `Thu 26 Nov 2026, 18:30` of a time without a zone. */
export function formatWallClock(local: string | null): string {
  return local === null ? '' : wallClock(`${local}Z`)
}

/** `Nov 2026` of `2026-11-01`. */
export function formatMonth(month: string | null): string {
  return month === null ? 'without a time' : monthText(month)
}

const MINUS = '\u2212'

/** `12,345.60` of `12345.60`: every digit as it was sent. */
export function formatNumber(value: string | number): string {
  return formatPlain(value).replace(/^-/, MINUS)
}

/** An exact sum with two decimals at least; `–` without one. */
export function formatMoney(amount: string | null): string {
  if (amount === null) return '–'
  const [whole = '', fraction = ''] = amount.split('.')
  return formatNumber(`${whole}.${fraction.padEnd(2, '0')}`)
}
