/**
 * What the mirror must give back of an item, told from its text alone and without the mirror's own readers: its
 * id or the reason why it cannot be stored, and a form that is equal for two texts which mean the same. It says
 * again, in another way, what design and docs say of bad items.
 */
import { isObject, isRawNumber } from '../../../src/common/json/exact.ts'
import type { JsonObject, JsonValue } from '../../../src/common/json/exact.ts'

export type Kind = 'event' | 'response'

/** The digits of an integer that a bigint holds, or the usable id of an event; null when there is none. */
export function idOf(kind: Kind, item: JsonValue): string | null {
  const id = isObject(item) && Object.hasOwn(item, 'id') ? item['id'] : null
  if (kind === 'response') return bigint(id)
  const name = typeof id === 'string' ? id : (toIntegerText(id) ?? '')
  const length = Array.from(name).length
  const isUsable = length > 0 && length <= 255 && name !== '.' && name !== '..' && mended(name) === name
  return isUsable ? name : null
}

/** Whether an item with a usable id cannot be stored all the same: too deep, or with a number beyond numeric. */
export function hasFlaw(item: JsonValue): boolean {
  return isTooDeep(item) || numbersOf(item).some((source) => /e[+-]?\d{5,}$/i.test(source))
}

export function isTooDeep(item: JsonValue): boolean {
  return depthOf(item) > 64
}

function depthOf(value: JsonValue): number {
  if (typeof value !== 'object' || value === null || isRawNumber(value)) return 0
  return 1 + Math.max(0, ...Object.values(value).map(depthOf))
}

function numbersOf(value: JsonValue): string[] {
  if (typeof value !== 'object' || value === null || isRawNumber(value)) return [numberText(value) ?? '']
  return Object.values(value).flatMap(numbersOf)
}

/** The instant of a time stamp in microseconds since 1970; null for what is none. */
export function toMicroseconds(value: JsonValue | undefined): bigint | null {
  const parts =
    typeof value === 'string'
      ? /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.(\d{1,6}))?(Z|[+-](0\d|1[0-5]):[0-5]\d)$/.exec(value)
      : null
  if (parts === null) return null
  const [, wall = '', fraction = '', zone = ''] = parts
  const clock = new Date(`${wall}Z`)
  // 30 February becomes 1 March, 24:00 the next day: the clock no longer says what was sent.
  if (Number.isNaN(clock.getTime()) || !clock.toISOString().startsWith(wall)) return null
  const instant = new Date(wall + zone)
  const isWithinYears = instant.getTime() >= firstInstant && instant.getTime() <= lastInstant
  if (wall.startsWith('0000') || !isWithinYears) return null
  return BigInt(instant.getTime()) * 1000n + BigInt(fraction.padEnd(6, '0'))
}

const firstInstant = new Date('0001-01-01T00:00:00Z').getTime()
const lastInstant = new Date('9999-12-31T23:59:59Z').getTime()

/** Equal for two items that mean the same, but for what the mirror states that it does not keep. */
export function meaningOf(kind: Kind, item: JsonObject): string {
  const read = kind === 'event' ? eventFields : responseFields
  return inOrder(item, (key, value) => {
    if (!Object.hasOwn(read, key)) return plain(value)
    if (value === null) return null
    if (key === 'slots' && Array.isArray(value) && value.length === 0 && hasMark(item)) return null
    return read[key]?.(value) ?? plain(value)
  })
}

type Reading = (value: JsonValue) => string | null

const text: Reading = (value) => (typeof value === 'string' ? plain(value) : null)
const instant: Reading = (value) => {
  const at = toMicroseconds(value)
  return at === null ? null : `@${at}`
}
/** The instant and the wall clock, which show the offset. */
const localInstant: Reading = (value) => {
  const at = instant(value)
  return at === null || typeof value !== 'string' ? null : `${at} ${withoutOffset(value)}`
}

function withoutOffset(timestamp: string): string {
  const [, wall = '', fraction = ''] = /^(.{19})(?:\.(\d+))?/.exec(timestamp) ?? []
  return `${wall}.${fraction.replace(/0+$/, '')}`
}

const integer: Reading = (value) => {
  const digits = bigint(value)
  return digits === null ? null : `#${digits}`
}
const amount: Reading = (value) => {
  const source = typeof value === 'string' ? value : numberText(value)
  if (source === null || (typeof value === 'string' && !/^-?\d+(\.\d+)?$/.test(source))) return null
  const { digits, scale } = decimalOf(source)
  return `$${digits}/${scale}`
}
const slots: Reading = (value) => {
  if (!Array.isArray(value) || !value.every(isObject)) return null
  const each = value.map((slot) =>
    inOrder(slot, (key, field) => {
      if (!Object.hasOwn(slotFields, key)) return plain(field)
      return field === null ? null : (slotFields[key]?.(field) ?? plain(field))
    }),
  )
  return `[${each.join(',')}]`
}

const slotFields: Readonly<Record<string, Reading>> = {
  name: text,
  start_date: localInstant,
  end_date: localInstant,
}
const eventFields: Readonly<Record<string, Reading>> = {
  id: (value) => text(value) ?? plain(String(toIntegerText(value))),
  title: text,
  event_at: instant,
  description: text,
  event_type: text,
  location: text,
}
const responseFields: Readonly<Record<string, Reading>> = {
  id: integer,
  name: text,
  email: text,
  message: text,
  created_at: instant,
  updated_at: instant,
  quantity: integer,
  rsvp: text,
  amount,
  processing_fee: amount,
  slots,
}

function hasMark(item: JsonObject): boolean {
  return ['rsvp', 'amount', 'processing_fee'].some((key) => (item[key] ?? null) !== null)
}

/** A value that stands in no column: texts mended, keys in order, fractions as doubles. */
function plain(value: JsonValue): string {
  if (typeof value === 'string') return JSON.stringify(mended(value))
  if (Array.isArray(value)) return `[${value.map(plain).join(',')}]`
  if (isObject(value)) return inOrder(value, (_, inner) => plain(inner))
  const source = numberText(value)
  return source === null ? JSON.stringify(value) : (toIntegerText(value) ?? String(Number(source)))
}

/** The fields that are there, in order; a key that was lengthened so as not to swallow another is the shorter one. */
function inOrder(object: JsonObject, read: (key: string, value: JsonValue) => string | null): string {
  const fields = Object.entries(object).flatMap(([key, value]) => {
    const shown = read(key, value)
    return shown === null ? [] : [`${JSON.stringify(mended(key).replace(/\uFFFD+$/, '\uFFFD'))}:${shown}`]
  })
  return `{${fields.toSorted((a, b) => (a < b ? -1 : 1)).join(',')}}`
}

function mended(value: string): string {
  return value.replaceAll(/\0|\p{Surrogate}/gu, '\uFFFD')
}

function numberText(value: JsonValue | undefined): string | null {
  if (typeof value === 'number') return Object.is(value, -0) ? '0' : String(value)
  return isRawNumber(value) ? value.rawJSON : null
}

function bigint(value: JsonValue | undefined): string | null {
  const digits =
    typeof value === 'string' ? (/^(0|-?[1-9]\d{0,19})$/.exec(value)?.[0] ?? null) : toIntegerText(value)
  return digits !== null && digits.length <= 20 && BigInt.asIntN(64, BigInt(digits)) === BigInt(digits)
    ? digits
    : null
}

/** The digits of a JSON number that is an integer, however it is written; null for any other value. */
function toIntegerText(value: JsonValue | undefined): string | null {
  const source = numberText(value)
  if (source === null) return null
  const { digits, scale } = decimalOf(source)
  const unit = 10n ** BigInt(scale)
  return digits % unit === 0n ? String(digits / unit) : null
}

/** A decimal as all its digits and how many of them stand behind the point. */
function decimalOf(source: string): { digits: bigint; scale: number } {
  const [, whole = '', fraction = '', power = '0'] =
    /^(-?\d+)(?:\.(\d+))?(?:e([+-]?\d+))?$/i.exec(source) ?? []
  const scale = fraction.length - Number(power)
  return { digits: BigInt(whole + fraction) * 10n ** BigInt(Math.max(0, -scale)), scale: Math.max(0, scale) }
}
