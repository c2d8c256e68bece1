/** The document of a live row, what stands in the document of a version, and JSON as Postgres writes it. */
import { isObject, isRawNumber } from '../../../../src/common/json/exact.ts'
import type { JsonObject, JsonValue, RawNumber } from '../../../../src/common/json/exact.ts'
import { plainDecimal } from './decimals.ts'
import { isoText, micros } from './instants.ts'
import type { EventRow, PaymentRow, ResponseRow, SlotRow } from './rows.ts'

export function eventDocument(event: EventRow): JsonObject {
  const { id, title, event_at, description, event_type, location } = event
  return { ...withoutNulls({ id, title, event_at, description, event_type, location }), ...event._extra }
}

export function responseDocument(
  response: ResponseRow,
  payment: PaymentRow | undefined,
  slots: readonly SlotRow[],
): JsonObject {
  const { name, email, message, rsvp, created_at, updated_at } = response
  const fields = withoutNulls({
    id: integer(response.id),
    name,
    email,
    message,
    quantity: response.quantity === null ? null : integer(response.quantity),
    rsvp,
    created_at,
    updated_at,
    amount: payment?.amount ?? null,
    processing_fee: payment?.processing_fee ?? null,
  })
  const inOrder = slots.toSorted((one, other) => one.position - other.position)
  const list = inOrder.length > 0 || response.kind === 'signup' ? { slots: inOrder.map(slotDocument) } : {}
  return { ...fields, ...list, ...response._extra }
}

function slotDocument(slot: SlotRow): JsonObject {
  const fields = withoutNulls({
    name: slot.name,
    start_date: withOffset(slot.start_date, slot.start_local),
    end_date: withOffset(slot.end_date, slot.end_local),
  })
  return { ...fields, ...slot._extra }
}

function withOffset(instant: string | null, wall: string | null): string | null {
  if (instant === null || wall === null) return null
  const minutes = Number((micros(wall) - micros(instant)) / 60_000_000n)
  const [hours, rest] = [Math.floor(Math.abs(minutes) / 60), Math.abs(minutes) % 60]
  const offset = `${String(hours).padStart(2, '0')}:${String(rest).padStart(2, '0')}`
  return `${wall}${minutes < 0 ? '-' : '+'}${offset}`
}

function withoutNulls(fields: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null))
}

function integer(text: string): JsonValue {
  return Number.isSafeInteger(Number(text)) ? Number(text) : JSON.rawJSON(text)
}

/** What a version says of a response; what does not fit its column was set aside, and is NULL. */
export interface PastResponse {
  readonly kind: string
  readonly email: string | null
  readonly rsvp: string | null
  readonly quantity: bigint | null
  readonly created_at: string | null
  readonly slots: readonly PastSlot[]
}

export interface PastSlot {
  readonly name: string | null
  readonly start_date: string | null
  readonly end_date: string | null
  readonly start_local: string | null
  readonly end_local: string | null
}

export function pastResponse(document: JsonObject): PastResponse {
  return {
    kind: kindOf(document),
    email: textOrNull(document['email']),
    rsvp: textOrNull(document['rsvp']),
    quantity: bigintOrNull(document['quantity']),
    created_at: instantOrNull(document['created_at']),
    slots: pastSlots(document['slots']),
  }
}

function pastSlots(value: JsonValue | undefined): PastSlot[] {
  if (!Array.isArray(value) || !value.every((slot) => isObject(slot))) return []
  return value.map((slot) => {
    const [start, end] = [slotTime(slot['start_date']), slotTime(slot['end_date'])]
    return {
      name: textOrNull(slot['name']),
      start_date: start === null ? null : isoText(micros(start)),
      end_date: end === null ? null : isoText(micros(end)),
      start_local: start === null ? null : withoutFinalZeros(start.slice(0, -6)),
      end_local: end === null ? null : withoutFinalZeros(end.slice(0, -6)),
    }
  })
}

function kindOf(document: JsonObject): string {
  const has = (field: string) => (document[field] ?? null) !== null
  const slots = document['slots'] ?? null
  const isEmptyList = Array.isArray(slots) && slots.length === 0
  const marks: string[] = []
  if (has('rsvp')) marks.push('reply')
  if (has('amount') || has('processing_fee')) marks.push('payment')
  if (slots !== null && !isEmptyList) marks.push('signup')
  if (marks.length > 1) return 'mixed'
  if (marks[0] !== undefined) return marks[0]
  if (isEmptyList) return 'signup'
  return has('quantity') ? 'reply' : 'bare'
}

export function textOrNull(value: JsonValue | undefined): string | null {
  return typeof value === 'string' ? value : null
}

function bigintOrNull(value: JsonValue | undefined): bigint | null {
  if (typeof value !== 'number' && !isRawNumber(value)) return null
  const text = plainDecimal(numberText(value))
  if (text.includes('.')) return null
  const number = BigInt(text)
  return BigInt.asIntN(64, number) === number ? number : null
}

/** Instants in documents stand in UTC. */
export function instantOrNull(value: JsonValue | undefined): string | null {
  if (typeof value !== 'string' || !value.endsWith('Z') || !isWallClock(value.slice(0, -1))) return null
  return isoText(micros(value))
}

function slotTime(value: JsonValue | undefined): string | null {
  if (typeof value !== 'string' || !/[+-]\d\d:\d\d$/.test(value)) return null
  return isWallClock(value.slice(0, -6)) ? value : null
}

function isWallClock(text: string): boolean {
  if (!/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,6})?$/.test(text)) return false
  const date = new Date(`${text.slice(0, 19)}Z`)
  return !Number.isNaN(date.getTime()) && date.toISOString().slice(0, 19) === text.slice(0, 19)
}

function withoutFinalZeros(time: string): string {
  return time.includes('.') ? time.replace(/\.?0+$/, '') : time
}

/** What `->>` gives of a field. */
export function fieldText(value: JsonValue | undefined): string | null {
  if (value === undefined || value === null) return null
  return typeof value === 'string' ? value : jsonText(value)
}

/** `jsonb::text`: keys by their length in bytes, then by their bytes; a blank after each colon and comma. */
export function jsonText(value: JsonValue): string {
  if (typeof value === 'number' || isRawNumber(value)) return writtenOut(numberText(value))
  if (Array.isArray(value)) return `[${value.map(jsonText).join(', ')}]`
  if (!isObject(value)) return JSON.stringify(value)
  const keys = Object.keys(value).toSorted(
    (one, other) => Buffer.byteLength(one) - Buffer.byteLength(other) || compareBytes(one, other),
  )
  return `{${keys.map((key) => `${JSON.stringify(key)}: ${jsonText(value[key] ?? null)}`).join(', ')}}`
}

/** Two values are equal in jsonb when this is: 1.0 is 1.00. A field that is absent is not null. */
export function comparable(value: JsonValue | undefined): string {
  if (value === undefined) return ''
  if (typeof value === 'number' || isRawNumber(value)) return plainDecimal(numberText(value))
  if (Array.isArray(value)) return `[${value.map(comparable).join()}]`
  if (!isObject(value)) return JSON.stringify(value)
  const keys = Object.keys(value).toSorted(compareBytes)
  return `{${keys.map((key) => `${JSON.stringify(key)}:${comparable(value[key])}`).join()}}`
}

function numberText(value: number | RawNumber): string {
  return isRawNumber(value) ? value.rawJSON : String(value)
}

/** Postgres keeps final zeros, and writes no exponent. */
function writtenOut(text: string): string {
  return /e/i.test(text) ? plainDecimal(text) : text.replace(/^-(0(?:\.0*)?)$/, '$1')
}

export function compareBytes(one: string, other: string): number {
  return Buffer.compare(Buffer.from(one), Buffer.from(other))
}
