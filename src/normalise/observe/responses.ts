import type { ResponseKind, ResponseItem } from '../../common/schema/items.ts'
import { isObject } from '../../common/json/exact.ts'
import type { JsonObject } from '../../common/json/exact.ts'
import {
  COMMON_FIELDS,
  KNOWN_OF_RESPONSE,
  KNOWN_OF_SLOT,
  patternOfSlot,
  RESPONSE_FIELDS,
  SLOT_FIELDS,
} from '../items/fields.ts'
import { textsOf } from './observation-counter.ts'
import type { Observed, Series } from './observation-counter.ts'
import { noteUnknown, presence } from './presence.ts'
import { NOT_KEPT, quotable } from './safe-value.ts'
import { noteTime, timeForms } from './timestamp-formats.ts'

function shape(kind: ResponseKind, ...fields: readonly string[]): Series<number> {
  return { most: Infinity, tell: presence(kind, RESPONSE_FIELDS, new Set([...COMMON_FIELDS, ...fields])) }
}

const SHAPES: Readonly<Record<ResponseKind, Series<number>>> = {
  reply: shape('reply', 'quantity', 'rsvp'),
  payment: shape('payment', 'amount', 'processing_fee'),
  signup: shape('signup', 'quantity', 'slots'),
  mixed: shape('mixed'),
  bare: shape('bare'),
}
const SLOTS: Series<number> = { most: Infinity, tell: presence('slot', SLOT_FIELDS, KNOWN_OF_SLOT) }
const TIMES = {
  created: { tell: timeForms('response.created_at') },
  updated: { tell: timeForms('response.updated_at') },
  start: { tell: timeForms('slot.start_date') },
  end: { tell: timeForms('slot.end_date') },
}
const RSVP = textsOf('response.rsvp', 'value')
const UNKNOWN = textsOf('response', 'unknown_field')
const UNKNOWN_OF_SLOT = textsOf('slot', 'unknown_field')
const SENT_AS = {
  id: textsOf('response.id', 'sent_as'),
  quantity: textsOf('response.quantity', 'sent_as'),
  amount: textsOf('response.amount', 'sent_as'),
  processing_fee: textsOf('response.processing_fee', 'sent_as'),
}

/** Gives the function that looks at each response beside its row. */
export function observeResponses(observed: Observed) {
  const shapes = {
    reply: observed.numbers(SHAPES.reply),
    payment: observed.numbers(SHAPES.payment),
    signup: observed.numbers(SHAPES.signup),
    mixed: observed.numbers(SHAPES.mixed),
    bare: observed.numbers(SHAPES.bare),
  }
  const created = observed.numbers(TIMES.created)
  const updated = observed.numbers(TIMES.updated)
  const rsvp = observed.texts(RSVP)
  const unknown = observed.texts(UNKNOWN)
  const observeSlot = observeSlots(observed)

  return (fields: JsonObject, row: ResponseItem, pattern: number): void => {
    shapes[row.kind].note(pattern)
    noteUnknown(unknown, row._extra, KNOWN_OF_RESPONSE)
    noteTime(created, fields['created_at'], row.created_at)
    noteTime(updated, fields['updated_at'], row.updated_at)
    if (row.rsvp !== null)
      rsvp.note(row.rsvp, (value) => (isPersonal(value, row) ? NOT_KEPT : quotable(value)))
    if (typeof fields['id'] === 'string') observed.texts(SENT_AS.id).note('text')
    if (row.quantity !== null && typeof fields['quantity'] === 'string')
      observed.texts(SENT_AS.quantity).note('text')
    if (row.payment !== null) {
      const { amount, processing_fee } = row.payment
      if (amount !== null && typeof fields['amount'] !== 'string')
        observed.texts(SENT_AS.amount).note('number')
      if (processing_fee !== null && typeof fields['processing_fee'] !== 'string')
        observed.texts(SENT_AS.processing_fee).note('number')
    }
    if (row.slots.length > 0) observeSlot(fields, row)
  }
}

function observeSlots(observed: Observed) {
  const slots = observed.numbers(SLOTS)
  const start = observed.numbers(TIMES.start)
  const end = observed.numbers(TIMES.end)
  const unknown = observed.texts(UNKNOWN_OF_SLOT)
  return (fields: JsonObject, row: ResponseItem): void => {
    const sent = fields['slots']
    if (!Array.isArray(sent)) return
    for (const [place, slot] of row.slots.entries()) {
      const fields = sent[place]
      if (!isObject(fields)) continue
      slots.note(patternOfSlot(fields))
      noteUnknown(unknown, slot._extra, KNOWN_OF_SLOT)
      noteTime(start, fields['start_date'], slot.start_date)
      noteTime(end, fields['end_date'], slot.end_date)
    }
  }
}

/** A service that puts the respondent's own words where the reply belongs. */
function isPersonal(value: string, { name, email, message }: ResponseItem): boolean {
  return value === name || value === email || value === message
}
