/** The rows of the tables of a mirror, as the oracle of the views takes them, and what it makes of values. */
import { createHash } from 'node:crypto'
import type { Row } from './read-views.ts'

export const tables = [
  'accounts',
  'sync_runs',
  'sync_state',
  'events',
  'responses',
  'payments',
  'slots',
  'event_history',
  'response_history',
  'rejects',
  'accepted_rejects',
  'rsvp_meanings',
  'slot_targets',
] as const

export interface Moment {
  readonly table: (name: (typeof tables)[number]) => readonly Row[]
  /** The document of a live response. */
  readonly document: (account: number, event: string, response: string) => unknown
  /** The clock of the database. */
  readonly now: string
  /** The settings headcount.account and headcount.time_zone. */
  readonly account: string | null
  readonly timeZone: string | null
  readonly secret: Buffer
}

export interface ShownAccount {
  readonly id: number
  readonly name: string
  readonly zone: string
  readonly row: Row
}

export const text = (value: unknown): string | null => (typeof value === 'string' ? value : null)

/** Microseconds since 1970 of a time stamp as the parsers give it. */
export function microseconds(instant: string): bigint {
  const [, seconds = '', fraction = ''] = /^(.{19})(?:\.(\d+))?Z$/.exec(instant) ?? []
  return BigInt(Date.parse(`${seconds}Z`)) * 1000n + BigInt(fraction.padEnd(6, '0'))
}

export const HOUR = 3_600_000_000n
export const DAY = 24n * HOUR

/** Order by time, NULL first. */
export function byTime(a: string | null, b: string | null): number {
  if (a === null || b === null) return Number(a !== null) - Number(b !== null)
  return Number(microseconds(a) - microseconds(b) > 0n) - Number(microseconds(a) - microseconds(b) < 0n)
}

export function earliest(instants: readonly (string | null)[]): string | null {
  return instants.filter((instant) => instant !== null).toSorted(byTime)[0] ?? null
}

export function lastOf(instants: readonly (string | null)[]): string | null {
  return (
    instants
      .filter((instant) => instant !== null)
      .toSorted(byTime)
      .at(-1) ?? null
  )
}

const formats = new Map<string, Intl.DateTimeFormat>()

/** The day `YYYY-MM-DD` on which an instant falls in a zone. */
export function dayIn(zone: string, instant: string | null): string | null {
  if (instant === null) return null
  const format =
    formats.get(zone) ??
    new Intl.DateTimeFormat('en-CA', { timeZone: zone, year: 'numeric', month: '2-digit', day: '2-digit' })
  formats.set(zone, format)
  // The milliseconds below 1970-free years: a floor, as the day ends at its last microsecond.
  const ms = microseconds(instant)
  return format.format(new Date(Number(ms >= 0n ? ms / 1000n : (ms - 999n) / 1000n)))
}

export function daysBetween(day: string | null, other: string | null): number | null {
  if (day === null || other === null) return null
  return Math.round((Date.parse(day) - Date.parse(other)) / 86_400_000)
}

/** Decimal fractions of any size: an integer and how many of its digits stand behind the point. */
const SCALE = 30

export function parseDecimal(value: string): bigint {
  const [, sign = '', whole = '', fraction = ''] = /^(-?)(\d+)(?:\.(\d+))?$/.exec(value) ?? []
  const digits = BigInt(whole + fraction.padEnd(SCALE, '0'))
  return sign === '-' ? -digits : digits
}

export function decimalText(value: bigint): string {
  const digits = (value < 0n ? -value : value).toString().padStart(SCALE + 1, '0')
  const fraction = digits.slice(-SCALE).replace(/0+$/, '')
  return `${value < 0n ? '-' : ''}${digits.slice(0, -SCALE)}${fraction === '' ? '' : `.${fraction}`}`
}

/** The sum of the amounts that are known, NULL without one. */
export function sumOf(amounts: readonly (string | null)[]): string | null {
  const known = amounts.filter((amount) => amount !== null)
  return known.length === 0
    ? null
    : decimalText(known.reduce((sum, amount) => sum + parseDecimal(amount), 0n))
}

export function afterFee(amount: string | null, fee: string | null): string | null {
  if (amount === null && fee === null) return null
  return decimalText(parseDecimal(amount ?? '0') - parseDecimal(fee ?? '0'))
}

export function money(payments: readonly { amount: string | null; processing_fee: string | null }[]) {
  const amount = sumOf(payments.map((payment) => payment.amount))
  const processing_fee = sumOf(payments.map((payment) => payment.processing_fee))
  return { amount, processing_fee, amount_after_fee: afterFee(amount, processing_fee) }
}

export function emailKey(email: string | null): string | null {
  if (email === null) return null
  const trimmed = email.replace(/^[ \t\n\r\f\v]+/, '').replace(/[ \t\n\r\f\v]+$/, '')
  const key = trimmed.normalize('NFC').replace(/[A-Z]/g, (letter) => letter.toLowerCase())
  if (key === '') return null
  return Buffer.byteLength(key) <= 1000 ? key : `sha256:${createHash('sha256').update(key).digest('hex')}`
}

export function personId(secret: Buffer, account: number, key: string | null): string | null {
  if (key === null) return null
  const inner = createHash('sha256')
    .update(Buffer.concat([secret, Buffer.from(String(account)), Buffer.from([0]), Buffer.from(key)]))
    .digest()
  return createHash('sha256')
    .update(Buffer.concat([secret, inner]))
    .digest('hex')
    .slice(0, 32)
}
