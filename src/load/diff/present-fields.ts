import { PAYMENT_COLUMNS, RESPONSE_COLUMNS, SLOT_COLUMNS } from '../copy/response-rows.ts'
import type { CopyDecoder } from '../copy/decoder.ts'

const SIGNUP = Buffer.from('signup')
const KIND = RESPONSE_COLUMNS.indexOf('kind')

/** Columns that bear the name of a field of the specification. */
const RESPONSE_FIELDS = ['name', 'email', 'message', 'quantity', 'rsvp', 'created_at', 'updated_at'] as const
const PAYMENT_FIELDS = ['amount', 'processing_fee'] as const
const SLOT_FIELDS = ['name', 'start_date', 'end_date'] as const

/** Collects which fields of the specification the live rows of one list have. */
export class PresentFields {
  #responses = 0
  #payments = 0
  #slots = 0
  #hasSlots = false

  addResponse(row: CopyDecoder): void {
    this.#responses |= row.nonNullMask
    this.#hasSlots ||= row.isText(KIND, SIGNUP)
  }

  addPayment(row: CopyDecoder): void {
    this.#payments |= row.nonNullMask
  }

  addSlot(row: CopyDecoder): void {
    this.#slots |= row.nonNullMask
    this.#hasSlots = true
  }

  /** Their names; a slot's as `slots.name`. */
  names(): readonly string[] {
    return [
      ...RESPONSE_FIELDS.filter((name) => has(this.#responses, RESPONSE_COLUMNS.indexOf(name))),
      ...PAYMENT_FIELDS.filter((name) => has(this.#payments, PAYMENT_COLUMNS.indexOf(name))),
      ...(this.#hasSlots ? ['slots'] : []),
      ...SLOT_FIELDS.filter((name) => has(this.#slots, SLOT_COLUMNS.indexOf(name))).map(
        (name) => `slots.${name}`,
      ),
    ]
  }
}

function has(filled: number, column: number): boolean {
  return (filled & (1 << column)) !== 0
}
