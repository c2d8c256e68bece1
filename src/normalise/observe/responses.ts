import type { Observation, ResponseKind, ResponseItem } from '../../common/schema/items.ts'
import { isObject, type JsonObject, type JsonValue } from '../../common/json/exact.ts'
import {
  COMMON_FIELDS,
  RESPONSE_FIELD_SET,
  RESPONSE_FIELDS,
  SLOT_FIELD_SET,
  SLOT_FIELDS,
} from '../../common/schema/field-names.ts'
import type { ItemObserver } from './item-observer.ts'
import { fieldMask, FieldStates } from './field-states.ts'
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

/** Looks at the responses of a list: at items beside their rows, and at what was written of ordinary ones. */
export class ResponseObserver implements ItemObserver<ResponseItem> {
  /** The fields of the items of each shape. */
  readonly states: Readonly<Record<ResponseKind, FieldStates>> = {
    reply: new FieldStates(),
    payment: new FieldStates(),
    signup: new FieldStates(),
    mixed: new FieldStates(),
    bare: new FieldStates(),
  }
  readonly created = new TimestampFormats('response.created_at')
  readonly updated = new TimestampFormats('response.updated_at')
  readonly rsvp = new ObservedValues('response.rsvp', 'value')
  readonly slots = new SlotObserver()
  readonly #unknown = new ObservedValues('response', 'unknown_field')
  readonly #id = new ObservedValues('response.id', 'sent_as')
  readonly #quantity = new ObservedValues('response.quantity', 'sent_as')
  readonly #amount = new ObservedValues('response.amount', 'sent_as')
  readonly #fee = new ObservedValues('response.processing_fee', 'sent_as')

  observe(fields: JsonObject, row: ResponseItem, fieldMask: number): void {
    this.states[row.kind].add(fieldMask)
    this.created.add(fields['created_at'], row.created_at)
    this.updated.add(fields['updated_at'], row.updated_at)
    if (row.rsvp !== null) this.addRsvp(row.rsvp, fields)
    this.#unknown.addUnknown(row._extra, RESPONSE_FIELD_SET)
    if (typeof fields['id'] === 'string') this.#id.add('text')
    if (row.quantity !== null && typeof fields['quantity'] === 'string') this.#quantity.add('text')
    if (row.payment !== null) {
      if (row.payment.amount !== null && typeof fields['amount'] !== 'string') this.#amount.add('number')
      const hasFee = row.payment.processing_fee !== null
      if (hasFee && typeof fields['processing_fee'] !== 'string') this.#fee.add('number')
    }
    if (row.slots.length > 0) this.slots.observe(fields, row)
  }

  /** @param of who sent it */
  addRsvp(value: string, { name, email, message }: Words): void {
    if (this.rsvp.has(value)) return
    // A service may put the respondent's own words where the reply belongs.
    const isOwnWord = value === name || value === email || value === message
    this.rsvp.add(isOwnWord ? WITHHELD : value)
  }

  observations(): readonly Observation[] {
    const parts = [
      this.created,
      this.updated,
      this.rsvp,
      this.#unknown,
      this.#id,
      this.#quantity,
      this.#amount,
      this.#fee,
      this.slots,
    ]
    return [
      ...SHAPES.flatMap(([shape, own]) =>
        this.states[shape].observations(shape, RESPONSE_FIELDS, [...COMMON_FIELDS, ...own]),
      ),
      ...parts.flatMap((part) => part.observations()),
    ]
  }
}

/** Looks at the slots of responses. */
class SlotObserver {
  readonly states = new FieldStates()
  readonly start = new TimestampFormats('slot.start_date')
  readonly end = new TimestampFormats('slot.end_date')
  readonly #unknown = new ObservedValues('slot', 'unknown_field')

  observe({ slots: sent }: JsonObject, row: ResponseItem): void {
    if (!Array.isArray(sent)) return
    for (const [place, slot] of row.slots.entries()) {
      const fields = sent[place]
      if (!isObject(fields)) continue
      this.states.add(fieldMask(fields, SLOT_FIELDS))
      this.start.add(fields['start_date'], slot.start_date)
      this.end.add(fields['end_date'], slot.end_date)
      this.#unknown.addUnknown(slot._extra, SLOT_FIELD_SET)
    }
  }

  /** Adds what an ordinary slot has. @param start length as `TimestampFormats.addForm` takes it; 0 for none */
  addForms(fieldMask: number, start: number, end: number): void {
    this.states.add(fieldMask)
    if (start !== 0) this.start.addForm(start)
    if (end !== 0) this.end.addForm(end)
  }

  observations(): readonly Observation[] {
    return [
      ...this.states.observations('slot', SLOT_FIELDS, SLOT_FIELDS),
      ...[this.start, this.end, this.#unknown].flatMap((part) => part.observations()),
    ]
  }
}

/** What somebody sent, also what is not stored of it. */
type Words = Readonly<Partial<Record<'name' | 'email' | 'message', JsonValue>>>
