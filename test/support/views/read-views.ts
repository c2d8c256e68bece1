/** Views and tables of a mirror at one moment, as rows of objects. */
import type { Database } from '../../../src/db/connect.ts'
import { rowObjects } from '../../../src/db/transaction.ts'

export type Row = Readonly<Record<string, unknown>>

/** Reads everything in one transaction: all of it is of one moment, and `now` is its clock. */
export async function readViews(
  database: Database,
  names: readonly string[],
  settings: Readonly<Record<string, string>> = {},
): Promise<{ readonly now: string; readonly rows: ReadonlyMap<string, readonly Row[]> }> {
  return database.transaction(async (trx) => {
    for (const [name, value] of Object.entries(settings))
      await trx.query(`select set_config('${name}', '${value}', true)`)
    const rows = new Map<string, readonly Row[]>()
    for (const name of names) rows.set(name, rowObjects(await trx.query(`select * from headcount.${name}`)))
    const { rows: moment } = await trx.query('select now()')
    return { now: String(moment[0]?.[0]), rows }
  })
}
