import type { ResponseKind, ResponseItem } from '../../common/schema/items.ts'
import { isObject } from '../../common/json/exact.ts'
import type { JsonObject } from '../../common/json/exact.ts'
import {
  COMMON_FIELDS,
  RESPONSE_FIELD_SET,
  SLOT_FIELD_SET,
  slotFieldMask,
  RESPONSE_FIELDS,
  SLOT_FIELDS,
} from '../items/fields.ts'
import { textMetric } from './observation-counter.ts'
import type { ObservationCounter, Metric } from './observation-counter.ts'
import { countUnknownFields, fieldStates } from './presence.ts'
import { WITHHELD, safeValue } from './safe-value.ts'
import { countTimestampFormat, timestampFormats } from './timestamp-formats.ts'

function shape(kind: ResponseKind, ...fields: readonly string[]): Metric<number> {
  return {
    maxValues: Infinity,
    toObservations: fieldStates(kind, RESPONSE_FIELDS, new Set([...COMMON_FIELDS, ...fields])),
  }
}

const SHAPES: Readonly<Record<ResponseKind, Metric<number>>> = {
  reply: shape('reply', 'quantity', 'rsvp'),
  payment: shape('payment', 'amount', 'processing_fee'),
  signup: shape('signup', 'quantity', 'slots'),
  mixed: shape('mixed'),
  bare: shape('bare'),
}
const SLOTS: Metric<number> = {
  maxValues: Infinity,
  toObservations: fieldStates('slot', SLOT_FIELDS, SLOT_FIELD_SET),
}
const TIMES = {
  created: { toObservations: timestampFormats('response.created_at') },
  updated: { toObservations: timestampFormats('response.updated_at') },
  start: { toObservations: timestampFormats('slot.start_date') },
  end: { toObservations: timestampFormats('slot.end_date') },
}
const RSVP = textMetric('response.rsvp', 'value')
const UNKNOWN = textMetric('response', 'unknown_field')
const UNKNOWN_OF_SLOT = textMetric('slot', 'unknown_field')
const SENT_AS = {
  id: textMetric('response.id', 'sent_as'),
  quantity: textMetric('response.quantity', 'sent_as'),
  amount: textMetric('response.amount', 'sent_as'),
  processing_fee: textMetric('response.processing_fee', 'sent_as'),
}

/** Gives the function that looks at each response beside its row. */
export function observeResponses(observations: ObservationCounter) {
  const shapes = {
    reply: observations.numbers(SHAPES.reply),
    payment: observations.numbers(SHAPES.payment),
    signup: observations.numbers(SHAPES.signup),
    mixed: observations.numbers(SHAPES.mixed),
    bare: observations.numbers(SHAPES.bare),
  }
  const created = observations.numbers(TIMES.created)
  const updated = observations.numbers(TIMES.updated)
  const rsvp = observations.texts(RSVP)
  const unknown = observations.texts(UNKNOWN)
  const observeSlot = observeSlots(observations)

  return (fields: JsonObject, row: ResponseItem, fieldMask: number): void => {
    shapes[row.kind].count(fieldMask)
    countUnknownFields(unknown, row._extra, RESPONSE_FIELD_SET)
    countTimestampFormat(created, fields['created_at'], row.created_at)
    countTimestampFormat(updated, fields['updated_at'], row.updated_at)
    if (row.rsvp !== null)
      rsvp.count(row.rsvp, (value) => (isPersonal(value, row) ? WITHHELD : safeValue(value)))
    if (typeof fields['id'] === 'string') observations.texts(SENT_AS.id).count('text')
    if (row.quantity !== null && typeof fields['quantity'] === 'string')
      observations.texts(SENT_AS.quantity).count('text')
    if (row.payment !== null) {
      const { amount, processing_fee } = row.payment
      if (amount !== null && typeof fields['amount'] !== 'string')
        observations.texts(SENT_AS.amount).count('number')
      if (processing_fee !== null && typeof fields['processing_fee'] !== 'string')
        observations.texts(SENT_AS.processing_fee).count('number')
    }
    if (row.slots.length > 0) observeSlot(fields, row)
  }
}

function observeSlots(observations: ObservationCounter) {
  const slots = observations.numbers(SLOTS)
  const start = observations.numbers(TIMES.start)
  const end = observations.numbers(TIMES.end)
  const unknown = observations.texts(UNKNOWN_OF_SLOT)
  return (fields: JsonObject, row: ResponseItem): void => {
    const sent = fields['slots']
    if (!Array.isArray(sent)) return
    for (const [place, slot] of row.slots.entries()) {
      const fields = sent[place]
      if (!isObject(fields)) continue
      slots.count(slotFieldMask(fields))
      countUnknownFields(unknown, slot._extra, SLOT_FIELD_SET)
      countTimestampFormat(start, fields['start_date'], slot.start_date)
      countTimestampFormat(end, fields['end_date'], slot.end_date)
    }
  }
}

/** A service that puts the respondent's own words where the reply belongs. */
function isPersonal(value: string, { name, email, message }: ResponseItem): boolean {
  return value === name || value === email || value === message
}
