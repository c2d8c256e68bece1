import { sql, type RawBuilder } from 'kysely'
import { onAbort, sleep } from '../../common/abort.ts'
import type { Database } from '../database.ts'
import type { Transaction } from '../transaction.ts'

/** A cancel between two statements has no effect; it is repeated. */
const AGAIN_MS = 200

/**
 * Cancels statements when the signal is aborted, until it is disposed of: on another connection, which a proxy may lead through another
 * session of the same server. On PGlite no statement takes long.
 *
 * @param which the sessions, by columns of pg_stat_activity
 */
export function cancelOnAbort(
  { engine, kysely }: Pick<Database, 'engine' | 'kysely'>,
  which: RawBuilder<unknown>,
  signal: AbortSignal,
): AsyncDisposable {
  if (engine === 'pglite') return new AsyncDisposableStack()
  const over = new AbortController()
  let cancelling: Promise<void> | null = null
  const cancel = async () => {
    while (!over.signal.aborted) {
      // guard: statements of an ended move
      await cancelStatements(kysely, which)
      await sleep(AGAIN_MS, over.signal).catch(() => {})
    }
  }
  const takeBack = onAbort(signal, () => {
    cancelling = cancel()
  })
  return {
    [Symbol.asyncDispose]: async () => {
      over.abort()
      takeBack()
      await cancelling
    },
  }
}

async function cancelStatements(kysely: Database['kysely'], which: RawBuilder<unknown>): Promise<void> {
  await sql`
    select pg_catalog.pg_cancel_backend(pid)
      from pg_catalog.pg_stat_activity
     where pid <> pg_catalog.pg_backend_pid() and ${which}`
    .execute(kysely)
    .catch(() => {})
}

/** Cancels the transaction's statements: a COPY or an index may take minutes. */
export async function cancelTransactionOnAbort(
  database: Pick<Database, 'engine' | 'kysely'>,
  trx: Transaction,
  signal: AbortSignal,
): Promise<AsyncDisposable> {
  if (trx.engine === 'pglite') return new AsyncDisposableStack()
  // Also behind a proxy a transaction keeps its session.
  const { rows } = await trx.query('select pg_catalog.pg_backend_pid()')
  return cancelOnAbort(database, sql`pid = ${Number(rows[0]?.[0])}`, signal)
}
