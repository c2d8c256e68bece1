import { COPY_COLUMNS, type ResponseTable } from '../../rows/response-rows.ts'
import type { RowCursor } from '../../rows/row-cursor.ts'

const SIGNUP = Buffer.from('signup')
const KIND = COPY_COLUMNS.responses.indexOf('kind')

/** Columns that bear the name of a field of the specification. */
const FIELDS = {
  responses: ['name', 'email', 'message', 'quantity', 'rsvp', 'created_at', 'updated_at'],
  payments: ['amount', 'processing_fee'],
  slots: ['name', 'start_date', 'end_date'],
} as const

/** Collects which fields of the specification the live rows of one list have. */
export class PresentFields {
  readonly #masks = { responses: 0, payments: 0, slots: 0 }
  #hasSlots = false

  add(table: ResponseTable, row: RowCursor): void {
    this.#masks[table] |= row.nonNullMask
    if (!this.#hasSlots)
      this.#hasSlots = table === 'slots' || (table === 'responses' && row.isText(KIND, SIGNUP))
  }

  /** Their names; a slot's as `slots.name`. */
  names(): readonly string[] {
    return [
      ...this.#fieldsOf('responses'),
      ...this.#fieldsOf('payments'),
      ...(this.#hasSlots ? ['slots'] : []),
      ...this.#fieldsOf('slots').map((name) => `slots.${name}`),
    ]
  }

  #fieldsOf(table: ResponseTable): readonly string[] {
    const columns: readonly string[] = COPY_COLUMNS[table]
    return FIELDS[table].filter((name) => this.#masks[table] & (1 << columns.indexOf(name)))
  }
}
