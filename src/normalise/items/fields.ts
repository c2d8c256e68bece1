/** What the specification names, and which of it an item has. Fields stand in the order of the patterns. */
import type { JsonObject } from '../../common/json/exact.ts'
import { withField } from '../observe/presence.ts'

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

export const KNOWN_OF_EVENT: ReadonlySet<string> = new Set(EVENT_FIELDS)
export const KNOWN_OF_RESPONSE: ReadonlySet<string> = new Set(RESPONSE_FIELDS)
export const KNOWN_OF_SLOT: ReadonlySet<string> = new Set(SLOT_FIELDS)

export function patternOfEvent(fields: JsonObject): number {
  return EVENT_FIELDS.reduce((pattern, field) => withField(pattern, fields[field]), 0)
}

/** Field by field in the code, not by the list of names: a tenth of the cost. */
export function patternOfResponse(fields: JsonObject): number {
  let pattern = withField(0, fields['id'])
  pattern = withField(pattern, fields['name'])
  pattern = withField(pattern, fields['email'])
  pattern = withField(pattern, fields['message'])
  pattern = withField(pattern, fields['created_at'])
  pattern = withField(pattern, fields['updated_at'])
  pattern = withField(pattern, fields['quantity'])
  pattern = withField(pattern, fields['rsvp'])
  pattern = withField(pattern, fields['amount'])
  pattern = withField(pattern, fields['processing_fee'])
  return withField(pattern, fields['slots'])
}

export function patternOfSlot(fields: JsonObject): number {
  const pattern = withField(withField(0, fields['name']), fields['start_date'])
  return withField(pattern, fields['end_date'])
}
