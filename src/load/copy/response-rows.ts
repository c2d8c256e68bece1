/** The columns of responses, payments and slots that come from the service, and how a response fills them. */
import type { ResponseItem } from '../../common/schema/tables.ts'
import type { CopyEncoder } from './encoder.ts'

export const RESPONSE_COLUMNS = [
  'event_id',
  'id',
  'kind',
  'name',
  'email',
  'message',
  'quantity',
  'rsvp',
  'created_at',
  'updated_at',
  '_extra',
] as const

export const PAYMENT_COLUMNS = ['event_id', 'response_id', 'amount', 'processing_fee'] as const

export const SLOT_COLUMNS = [
  'event_id',
  'response_id',
  'position',
  'name',
  'start_date',
  'end_date',
  'start_local',
  'end_local',
  '_extra',
] as const

/** Writes the fields of a row of `responses`. */
export function writeResponse(rows: CopyEncoder, event_id: string, response: ResponseItem): void {
  rows.text(event_id)
  rows.int8(response.id)
  rows.text(response.kind)
  rows.text(response.name)
  rows.text(response.email)
  rows.text(response.message)
  rows.int8(response.quantity)
  rows.text(response.rsvp)
  rows.instant(response.created_at)
  rows.instant(response.updated_at)
  rows.jsonb(response._extra)
}

/** Writes the fields of a row of `payments`. */
export function writePayment(
  rows: CopyEncoder,
  event_id: string,
  id: string,
  payment: NonNullable<ResponseItem['payment']>,
): void {
  rows.text(event_id)
  rows.int8(id)
  rows.numeric(payment.amount)
  rows.numeric(payment.processing_fee)
}

/** Writes the fields of a row of `slots`. @param index of the slot within its response, from 0 */
export function writeSlot(
  rows: CopyEncoder,
  event_id: string,
  id: string,
  index: number,
  slot: ResponseItem['slots'][number],
): void {
  rows.text(event_id)
  rows.int8(id)
  rows.int4(index + 1)
  rows.text(slot.name)
  rows.instant(slot.start_date)
  rows.instant(slot.end_date)
  rows.instant(slot.start_local)
  rows.instant(slot.end_local)
  rows.jsonb(slot._extra)
}
