import type { ResponseKind, ResponseItem } from '../../common/schema/items.ts'
import { isObject } from '../../common/json/exact.ts'
import type { JsonObject } from '../../common/json/exact.ts'
import {
  COMMON_FIELDS,
  RESPONSE_FIELD_SET,
  RESPONSE_FIELDS,
  SLOT_FIELD_SET,
  SLOT_FIELDS,
  slotFieldMask,
} from '../items/fields.ts'
import type { ItemObserver } from '../list/list.ts'
import { FieldStates } from './field-states.ts'
import { ObservedValues } from './observed-values.ts'
import { WITHHELD } from './safe-value.ts'
import { TimestampFormats } from './timestamp-formats.ts'

/** The fields that the specification gives to each shape, beside those of all. */
const SHAPES: readonly (readonly [ResponseKind, readonly string[]])[] = [
  ['reply', ['quantity', 'rsvp']],
  ['payment', ['amount', 'processing_fee']],
  ['signup', ['quantity', 'slots']],
  ['mixed', []],
  ['bare', []],
]

/** Looks at the responses of a list. */
export function observeResponses(): ItemObserver<ResponseItem> {
  const states: Readonly<Record<ResponseKind, FieldStates>> = {
    reply: new FieldStates(),
    payment: new FieldStates(),
    signup: new FieldStates(),
    mixed: new FieldStates(),
    bare: new FieldStates(),
  }
  const created = new TimestampFormats('response.created_at')
  const updated = new TimestampFormats('response.updated_at')
  const rsvp = new ObservedValues('response.rsvp', 'value')
  const unknown = new ObservedValues('response', 'unknown_field')
  const id = new ObservedValues('response.id', 'sent_as')
  const quantity = new ObservedValues('response.quantity', 'sent_as')
  const amount = new ObservedValues('response.amount', 'sent_as')
  const fee = new ObservedValues('response.processing_fee', 'sent_as')
  const slots = new SlotObserver()
  const parts = [created, updated, rsvp, unknown, id, quantity, amount, fee, slots]
  return {
    observe: (fields, row, fieldMask) => {
      states[row.kind].add(fieldMask)
      created.add(fields['created_at'], row.created_at)
      updated.add(fields['updated_at'], row.updated_at)
      if (row.rsvp !== null && !rsvp.has(row.rsvp)) rsvp.add(isPersonal(row.rsvp, row) ? WITHHELD : row.rsvp)
      unknown.addUnknown(row._extra, RESPONSE_FIELD_SET)
      if (typeof fields['id'] === 'string') id.add('text')
      if (row.quantity !== null && typeof fields['quantity'] === 'string') quantity.add('text')
      if (row.payment !== null) {
        if (row.payment.amount !== null && typeof fields['amount'] !== 'string') amount.add('number')
        const hasFee = row.payment.processing_fee !== null
        if (hasFee && typeof fields['processing_fee'] !== 'string') fee.add('number')
      }
      if (row.slots.length > 0) slots.observe(fields, row)
    },
    observations: () => [
      ...SHAPES.flatMap(([shape, own]) =>
        states[shape].observations(shape, RESPONSE_FIELDS, [...COMMON_FIELDS, ...own]),
      ),
      ...parts.flatMap((part) => part.observations()),
    ],
  }
}

class SlotObserver {
  readonly #states = new FieldStates()
  readonly #start = new TimestampFormats('slot.start_date')
  readonly #end = new TimestampFormats('slot.end_date')
  readonly #unknown = new ObservedValues('slot', 'unknown_field')

  observe({ slots: sent }: JsonObject, row: ResponseItem): void {
    if (!Array.isArray(sent)) return
    for (const [place, slot] of row.slots.entries()) {
      const fields = sent[place]
      if (!isObject(fields)) continue
      this.#states.add(slotFieldMask(fields))
      this.#start.add(fields['start_date'], slot.start_date)
      this.#end.add(fields['end_date'], slot.end_date)
      this.#unknown.addUnknown(slot._extra, SLOT_FIELD_SET)
    }
  }

  observations() {
    return [
      ...this.#states.observations('slot', SLOT_FIELDS, SLOT_FIELDS),
      ...[this.#start, this.#end, this.#unknown].flatMap((part) => part.observations()),
    ]
  }
}

/** A service that puts the respondent's own words where the reply belongs. */
function isPersonal(value: string, { name, email, message }: ResponseItem): boolean {
  return value === name || value === email || value === message
}
