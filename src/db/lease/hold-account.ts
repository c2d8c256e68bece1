import type { Database } from '../database.ts'
import { takeLease, type Lease, type LeaseOptions } from './lease.ts'

/**
 * Holds the lease of an account for work that is no run: meanwhile the account has no run. The row in sync_runs is
 * deleted after the work. A killed process leaves the row, and the next run takes over.
 *
 * @throws as takeLease, and what the work throws
 */
export async function holdAccount<T>(
  database: Database,
  options: LeaseOptions,
  work: (lease: Lease) => Promise<T>,
): Promise<T> {
  const lease = await takeLease(database, options)
  const release = async () => {
    await lease.stopHeartbeat()
    try {
      await database.transaction((trx) => lease.withdraw(trx))
    } catch (error) {
      // Another run has taken over: its row is not ours.
      if (!lease.lost.aborted) throw error
    }
  }
  let done: T
  try {
    done = await work(lease)
  } catch (error) {
    await release().catch((cause: unknown) => {
      options.log?.('warn', 'The account could not be let go: the next run of it takes over.', { err: cause })
    })
    throw error
  }
  await release()
  return done
}
