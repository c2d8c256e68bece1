import type { QueryResult, Transaction } from '../db/transaction.ts'
import { FIRST_FETCH, nextFetch } from '../mirror/query/fetch-size.ts'

const cursor = 'headcount_export'

/** A row: texts, numbers, booleans and NULLs, in the order of the columns. */
export type Row = QueryResult['rows'][number]

/** The rows of a query, some at a time. */
export async function* readRows(trx: Transaction, query: string): AsyncGenerator<readonly Row[]> {
  // The plan is for all rows; else it is made for the first tenth.
  await trx.query('set local cursor_tuple_fraction to 1')
  await trx.query(`declare ${cursor} no scroll cursor for ${query}`)
  for (let count = FIRST_FETCH; ;) {
    const { rows } = await trx.query(`fetch ${count} from ${cursor}`)
    if (rows.length > 0) yield rows
    if (rows.length < count) break
    count = nextFetch(rows)
  }
  await trx.query(`close ${cursor}`)
}
