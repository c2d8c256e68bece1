import type { Database } from '../../../src/db/connect.ts'

/** How many sessions of the database wait for a lock. */
export async function countLockWaits(database: Database): Promise<number> {
  const { rows } = await database.transaction((trx) =>
    trx.query(`select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`),
  )
  return rows.length
}

/** A session that holds a table of the mirror for itself until this is disposed of. */
export async function lockTable(database: Database, table: string): Promise<AsyncDisposable> {
  const locked = Promise.withResolvers<void>()
  const ended = Promise.withResolvers<void>()
  const holding = database.transaction(async (trx) => {
    await trx.query(`lock table headcount.${table} in access exclusive mode`)
    locked.resolve()
    await ended.promise
  })
  await Promise.race([locked.promise, holding])
  return {
    [Symbol.asyncDispose]: async () => {
      ended.resolve()
      await holding
    },
  }
}
