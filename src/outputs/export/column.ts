import { identifier } from '../../db/quote.ts'
import type { Transaction } from '../../db/transaction.ts'

/** A column of what is exported. */
export interface Column {
  readonly name: string
  /** As Postgres writes it: `timestamp with time zone`, `text[]`. */
  readonly type: string
}

/** The name of a column in a statement, of the relation that is called `v` there. */
export function columnName({ name }: Column): string {
  return `v.${identifier(name)}`
}

/** The columns of a table or view of the mirror, in their order. */
export async function readColumns(trx: Transaction, relation: string): Promise<readonly Column[]> {
  const { rows } = await trx.query(
    `select attname::text, format_type(atttypid, atttypmod)
       from pg_catalog.pg_attribute
      where attrelid = to_regclass($1) and attnum > 0 and not attisdropped
      order by attnum`,
    [`headcount.${relation}`],
  )
  return rows.map(([name, type]) => ({ name: String(name), type: String(type) }))
}
