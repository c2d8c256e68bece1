import type { Database } from '../../../../src/db/connect.ts'
import type { Transaction } from '../../../../src/db/transaction.ts'
import { tableNames } from '../../../account/rows.ts'

/**
 * Shows a peer's tables as views under the names of bench/account/rows.ts while `work` lasts.
 *
 * @param rows the statements that make the views
 */
export function withRows<T>(
  database: Database,
  rows: string,
  work: (trx: Transaction) => Promise<T>,
): Promise<T> {
  return database.transaction(async (trx) => {
    for (const statement of statementsOf(rows)) await trx.query(statement)
    const result = await work(trx)
    for (const table of tableNames) await trx.query(`drop view pg_temp.${table}`)
    return result
  })
}

function statementsOf(text: string): readonly string[] {
  return text.split(/;\s*$/m).filter((statement) => statement.trim() !== '')
}

/** Equal when every row has the same values: a sum of hashes, made by the server in a tenth of a comparison's time. */
export function fingerprint(database: Database, rows: string): Promise<string> {
  return withRows(database, rows, async (trx) => {
    const sums: unknown[] = []
    for (const table of tableNames) {
      const answer = await trx.query(
        `select count(*), sum(hashtextextended(shown::text, 0)) from pg_temp.${table} as shown`,
      )
      sums.push(...answer.rows)
    }
    return JSON.stringify(sums)
  })
}
