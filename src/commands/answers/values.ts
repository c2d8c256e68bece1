/** Values of the views as people read them. */
import { formatNumber } from '../output/format/number.ts'

/** Whether the rows are of more than one account, so that each must name its own. */
export function isOfMany(rows: readonly { readonly account: string }[]): boolean {
  return new Set(rows.map(({ account }) => account)).size > 1
}

/** `12,345.60` of `12345.60`, as it was sent: money is exact. Blank without an amount. */
export function moneyText(amount: string | null): string {
  if (amount === null) return ''
  const [, sign = '', whole = '', fraction = ''] = /^(-?)(\d+)(\.\d+)?$/.exec(amount) ?? []
  return `${sign}${formatNumber(whole)}${fraction}`
}

/** `Sat 5 Dec 2026 18:30 UTC` of an instant. */
export function momentText(instant: string | null): string {
  if (instant === null) return 'no time'
  const at = new Date(instant)
  if (Number.isNaN(at.getTime())) return instant
  return at.toUTCString().replace(/^(\w+), 0?(\d+ \w+ \d+) (\d+:\d+):\d+ GMT$/, '$1 $2 $3 UTC')
}

/** `Sat 5 Dec 18:30` of a wall clock. */
export function wallClockText(wall: string | null): string {
  if (wall === null) return ''
  const at = new Date(`${wall}Z`)
  if (Number.isNaN(at.getTime())) return wall
  return at.toUTCString().replace(/^(\w+), 0?(\d+ \w+) \d+ (\d+:\d+):\d+ GMT$/, '$1 $2 $3')
}

/** `in 3 days`, `today`, `5 days ago`. */
export function daysText(days: number | null): string {
  if (days === null) return ''
  if (days === 0) return 'today'
  const count = `${formatNumber(Math.abs(days))} day${Math.abs(days) === 1 ? '' : 's'}`
  return days > 0 ? `in ${count}` : `${count} ago`
}

const meanings: Readonly<Record<string, string>> = { not_coming: 'not coming' }

export function meaningText(meaning: string | null): string {
  return meaning === null ? '' : (meanings[meaning] ?? meaning)
}
