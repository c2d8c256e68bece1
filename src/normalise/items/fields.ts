/** What the specification names, and which of it an item has. Fields stand in the order of the masks. */
import type { JsonObject } from '../../common/json/exact.ts'
import { addFieldState } from '../observe/field-states.ts'

export const EVENT_FIELDS = ['id', 'title', 'event_at', 'description', 'event_type', 'location'] as const

/** Those of every response, and those that tell its kind. */
export const COMMON_FIELDS = ['id', 'name', 'email', 'message', 'created_at', 'updated_at'] as const
export const RESPONSE_FIELDS = [
  ...COMMON_FIELDS,
  'quantity',
  'rsvp',
  'amount',
  'processing_fee',
  'slots',
] as const

export const SLOT_FIELDS = ['name', 'start_date', 'end_date'] as const

export const EVENT_FIELD_SET: ReadonlySet<string> = new Set(EVENT_FIELDS)
export const RESPONSE_FIELD_SET: ReadonlySet<string> = new Set(RESPONSE_FIELDS)
export const SLOT_FIELD_SET: ReadonlySet<string> = new Set(SLOT_FIELDS)

export function eventFieldMask(fields: JsonObject): number {
  return EVENT_FIELDS.reduce((mask, field) => addFieldState(mask, fields[field]), 0)
}

/** Field by field in the code, not by the list of names: a tenth of the cost. */
export function responseFieldMask(fields: JsonObject): number {
  let mask = addFieldState(0, fields['id'])
  mask = addFieldState(mask, fields['name'])
  mask = addFieldState(mask, fields['email'])
  mask = addFieldState(mask, fields['message'])
  mask = addFieldState(mask, fields['created_at'])
  mask = addFieldState(mask, fields['updated_at'])
  mask = addFieldState(mask, fields['quantity'])
  mask = addFieldState(mask, fields['rsvp'])
  mask = addFieldState(mask, fields['amount'])
  mask = addFieldState(mask, fields['processing_fee'])
  return addFieldState(mask, fields['slots'])
}

export function slotFieldMask(fields: JsonObject): number {
  const mask = addFieldState(addFieldState(0, fields['name']), fields['start_date'])
  return addFieldState(mask, fields['end_date'])
}
