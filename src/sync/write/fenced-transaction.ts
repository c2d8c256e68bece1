import type { Database } from '../../db/connect.ts'
import type { Lease } from '../../db/lease/lease.ts'
import { retryConflicts, type Transaction, type TransactionOptions } from '../../db/transaction.ts'

/**
 * Runs work in a transaction that begins with the fence: a run whose account was taken over writes nothing.
 *
 * @throws LeaseLostError; TransactionConflictError after the last try; DatabaseError.
 */
export async function inFencedTransaction<T>(
  database: Database,
  lease: Pick<Lease, 'fence'>,
  work: (trx: Transaction) => Promise<T>,
  options: TransactionOptions = {},
): Promise<T> {
  return retryConflicts(() =>
    database.transaction(async (trx) => {
      await lease.fence(trx)
      return await work(trx)
    }, options),
  )
}
