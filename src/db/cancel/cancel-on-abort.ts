import { sql, type RawBuilder } from 'kysely'
import { onAbort, sleep } from '../../common/abort.ts'
import type { Database } from '../database.ts'
import type { Transaction } from '../transaction.ts'

/** A cancel between two statements has no effect; it is repeated. */
const AGAIN_MS = 200

/**
 * Cancels statements when the signal is aborted, until it is disposed of: on another connection, which a proxy may lead through another
 * session of the same server. On PGlite no statement takes long. Nobody waits for that connection, of which a pool may have none: what
 * is sent late must harm nobody.
 *
 * @param which the sessions, by columns of pg_stat_activity; nothing but the statements that are meant
 */
export function cancelOnAbort(
  { engine, kysely }: Pick<Database, 'engine' | 'kysely'>,
  which: RawBuilder<unknown>,
  signal: AbortSignal,
): Disposable {
  const over = new AbortController()
  const cancel = async () => {
    while (!over.signal.aborted) {
      // guard: statements of an ended move
      await sql`
        select pg_catalog.pg_cancel_backend(pid)
          from pg_catalog.pg_stat_activity
         where pid <> pg_catalog.pg_backend_pid() and ${which}`
        .execute(kysely)
        .catch(() => {})
      await sleep(AGAIN_MS, over.signal).catch(() => {})
    }
  }
  const takeBack = engine === 'pglite' ? () => {} : onAbort(signal, () => void cancel())
  return {
    [Symbol.dispose]: () => {
      over.abort()
      takeBack()
    },
  }
}

/** Cancels the transaction's statements: a COPY or an index may take minutes. */
export async function cancelTransactionOnAbort(
  database: Pick<Database, 'engine' | 'kysely'>,
  trx: Transaction,
  signal: AbortSignal,
): Promise<Disposable> {
  if (trx.engine === 'pglite') return new DisposableStack()
  // Also behind a proxy a transaction keeps its session. The next one of that session began at another time.
  const { rows } = await trx.query(`select pg_catalog.pg_backend_pid(), ${microseconds('pg_catalog.now()')}`)
  const [pid, began] = (rows[0] ?? []).map(Number)
  const which = sql`pid = ${pid} and ${sql.raw(microseconds('xact_start'))} = ${began}`
  return cancelOnAbort(database, which, signal)
}

/** Since 1970, as a whole number: no text of an instant is read the same with all settings of a session. */
function microseconds(instant: string): string {
  return `(extract(epoch from ${instant}) * 1000000)::bigint`
}
