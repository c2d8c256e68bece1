import type { Database } from '../database.ts'
import { takeLease, type Lease, type LeaseOptions } from './lease.ts'

/**
 * Holds an account for work that is no run: no run of it begins meanwhile, and none is under way. What it has in sync_runs goes
 * when the work ends; a process that was killed leaves it, and whoever comes next takes over.
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
    await database.kysely
      .deleteFrom('headcount.sync_runs')
      .where('id', '=', lease.runId)
      .where('status', '=', 'running')
      .execute()
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
