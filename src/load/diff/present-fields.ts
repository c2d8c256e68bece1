import { valueColumns } from '../../common/schema/live-tables.ts'
import { COPY_COLUMNS, type ResponseTable } from '../../copy-format/response-rows.ts'
import type { RowCursor } from '../../copy-format/row-cursor.ts'

const SIGNUP = Buffer.from('signup')
const KIND = COPY_COLUMNS.responses.indexOf('kind')

/** Columns that bear no name of a field of the specification. */
const NO_FIELDS: ReadonlySet<string> = new Set(['kind', 'start_local', 'end_local', '_extra'])

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
    return valueColumns(table).filter(
      (name) => !NO_FIELDS.has(name) && this.#masks[table] & (1 << columns.indexOf(name)),
    )
  }
}
