import type { Database } from '../../../db/database.ts'
import type { Transaction } from '../../../db/transaction.ts'

/** One view of the mirror that stays open until it is disposed of. */
export interface Snapshot extends AsyncDisposable {
  readonly trx: Transaction
}

/** A table that is being changed may be locked for minutes; who waits keeps a connection from those who ask for other things. */
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
    /* guard: locked lists */ lockTimeoutMs: LOCK_TIMEOUT_MS,
  })
  // Before the transaction is open its failure is that of opening; later it is a connection that was lost meanwhile.
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
