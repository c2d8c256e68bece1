import { sql } from 'kysely'
import { sleep } from '../../../common/abort.ts'
import type { Database } from '../../../db/database.ts'
import type { Transaction } from '../../../db/transaction.ts'

/** A cancel between two statements has no effect; it is repeated. */
const AGAIN_MS = 200

/**
 * Cancels the transaction's statements when the signal is aborted, until it is disposed of: a COPY or an index may take minutes. On
 * PGlite no statement takes long.
 */
export async function cancelOnAbort(
  database: Database,
  trx: Transaction,
  signal: AbortSignal,
): Promise<AsyncDisposable> {
  if (trx.engine === 'pglite') return new AsyncDisposableStack()
  const { rows } = await trx.query('select pg_backend_pid()')
  const pid = Number(rows[0]?.[0])
  const over = new AbortController()
  let cancelling: Promise<void> | null = null
  const cancel = async () => {
    while (!over.signal.aborted) {
      // guard: statements of an ended move
      await sql`select pg_cancel_backend(${pid})`.execute(database.kysely).catch(() => {})
      await sleep(AGAIN_MS, over.signal).catch(() => {})
    }
  }
  const onAbort = () => {
    cancelling = cancel()
  }
  signal.addEventListener('abort', onAbort)
  return {
    [Symbol.asyncDispose]: async () => {
      over.abort()
      signal.removeEventListener('abort', onAbort)
      await cancelling
    },
  }
}
