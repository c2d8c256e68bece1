import type { QueryResult } from '../../db/transaction.ts'
import { FIRST_FETCH, nextFetch } from '../../mirror/query/fetch-size.ts'

const cursor = 'headcount_export'

/** A row: texts, numbers, booleans and NULLs, in the order of the columns. */
export type Row = QueryResult['rows'][number]

/** Sends one statement within a transaction. */
export type Ask = (text: string) => Promise<QueryResult>

/** The rows of a query, some at a time. */
export async function* readRows(ask: Ask, query: string): AsyncGenerator<readonly Row[]> {
  // The plan is for all rows; else it is made for the first tenth.
  await ask('set local cursor_tuple_fraction to 1')
  await ask(`declare ${cursor} no scroll cursor for ${query}`)
  for (let count = FIRST_FETCH; ;) {
    const { rows } = await ask(`fetch ${count} from ${cursor}`)
    if (rows.length > 0) yield rows
    if (rows.length < count) break
    count = nextFetch(rows)
  }
  await ask(`close ${cursor}`)
}
