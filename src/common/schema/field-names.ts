/**
 * The fields that the specification names, in the order of the masks (observe/field-states.ts). Their columns are in
 * live-tables.ts beside this file, their rules in normalise/items.
 */

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
