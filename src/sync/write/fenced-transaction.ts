import { setTimeout } from 'node:timers/promises'
import type { Database } from '../../db/connect.ts'
import type { Lease } from '../../db/lease/lease.ts'
import type { Transaction, TransactionOptions } from '../../db/transaction.ts'
import { TransactionConflictError } from '../../common/errors.ts'

/** How often a transaction is tried when another one is in its way (deadlock, serialization failure). */
const MAX_ATTEMPTS = 4

/**
 * Runs work in a transaction that begins with the fence: a run whose account was taken over writes nothing.
 *
 * @throws LeaseLostError; TransactionConflictError after the last try; DatabaseError.
 */
export async function inFencedTransaction<T>(
  database: Database,
  lease: Lease,
  work: (trx: Transaction) => Promise<T>,
  options: Pick<TransactionOptions, 'durable' | 'contentBytes'>,
): Promise<T> {
  return retryConflicts(() =>
    database.transaction(
      async (trx) => {
        await lease.fence(trx)
        return await work(trx)
      },
      { batch: true, ...options },
    ),
  )
}

/**
 * @param transact one transaction, which is tried anew
 * @throws what `transact` throws; TransactionConflictError after the last try
 */
export async function retryConflicts<T>(transact: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await transact()
    } catch (error) {
      if (!(error instanceof TransactionConflictError) || attempt === MAX_ATTEMPTS) throw error
      await setTimeout(Math.random() * 100 * 2 ** attempt)
    }
  }
}
