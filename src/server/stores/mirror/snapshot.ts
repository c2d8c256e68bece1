import type { Database } from '../../../db/database.ts'
import type { Transaction } from '../../../db/transaction.ts'

/** An open read-only transaction, until it is disposed of. */
export interface Snapshot extends AsyncDisposable {
  readonly trx: Transaction
}

/** A migration may lock a table for minutes, and every waiting request would hold a connection. */
const LOCK_TIMEOUT_MS = 5_000

/** @throws DatabaseError */
export async function openSnapshot(database: Database): Promise<Snapshot> {
  const opened = Promise.withResolvers<Transaction>()
  const closing = Promise.withResolvers<void>()
  const work = async (trx: Transaction) => {
    opened.resolve(trx)
    await closing.promise
  }
  const closed = database.transaction(work, {
    readOnly: true,
    everyRow: true,
    /* guard: locked lists */ lockTimeoutMs: LOCK_TIMEOUT_MS,
  })
  // An error before the transaction is open rejects `opened`. A later error is a lost connection, thrown at disposal.
  closed.catch(opened.reject)
  const trx = await opened.promise
  return {
    trx,
    [Symbol.asyncDispose]: async () => {
      closing.resolve()
      await closed
    },
  }
}
