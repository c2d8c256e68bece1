import { raceAbort, waitAtMost } from '../../common/abort.ts'
import type { Database } from '../database.ts'
import { cancelTransactionOnAbort } from './cancel-on-abort.ts'

/** How long a read that was cancelled may take to end. */
const MAX_END_MS = 500

/**
 * The same database, whose reading transactions are cancelled on the server when the signal is aborted: a server does not notice that
 * nobody waits for its answer any more. Closing it waits until they have ended, and leaves the database open.
 */
export function cancelReadsOnAbort(database: Database, signal: AbortSignal): Database {
  const open = new Set<Promise<unknown>>()
  const transaction: Database['transaction'] = (work, options) => {
    if (options?.readOnly !== true) return database.transaction(work, options)
    const read = database.transaction(async (trx) => {
      // guard: statements of an interrupted read
      using _ = await cancelTransactionOnAbort(database, trx, signal)
      return await work(trx)
    }, options)
    open.add(read)
    const forget = () => open.delete(read)
    read.then(forget, forget)
    return read
  }
  const close = () => waitAtMost(MAX_END_MS, Promise.allSettled(open))
  return { ...database, transaction, close, [Symbol.asyncDispose]: close }
}

/** Does what only reads, and may be left at any moment: the signal ends it at once, and in Postgres too. The database stays open. */
export async function readUntilAborted<T>(
  opened: Database,
  signal: AbortSignal,
  read: (database: Database) => Promise<T>,
): Promise<T> {
  // guard: statements of an interrupted call
  await using database = cancelReadsOnAbort(opened, signal)
  return await raceAbort(read(database), signal)
}
