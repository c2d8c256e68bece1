/** What a program may ask of the queue; each as the command of this name answers it. */
import { requireWholeNumber } from '../../common/options/amounts.ts'
import { checkOptions } from '../../common/options/check-options.ts'
import {
  readDatabase,
  withDatabase,
  type AccountFilter,
  type MirrorOptions,
} from '../../mirror/library-api/with-mirror.ts'
import { readQueue, type QueueState } from './jobs/list-jobs.ts'
import { openQueue } from './open-queue.ts'
import { purgeDeadLetters, retryDeadLetters } from './jobs/dead-letters.ts'

export interface QueueJobsOptions extends AccountFilter {
  /** At most so many jobs; 100 when not given. */
  readonly limit?: number
}

/** The jobs of `worker --queue`, and how many there are. */
export async function queueJobs(options: QueueJobsOptions): Promise<QueueState> {
  checkOptions(options)
  const limit = requireWholeNumber('limit', options.limit ?? 100, 1)
  const account = options.account ?? null
  return readDatabase(options, (database) => readQueue(database, { account, limit }))
}

export interface DeadLetterOptions extends MirrorOptions {
  /** Accounts with a dead letter; all of them when not given. */
  readonly accounts?: readonly string[]
}

/**
 * Sends the jobs of dead letters again.
 *
 * @returns the accounts that are tried again
 * @throws UsageError for an account without a dead letter, and on PGlite
 */
export async function retryJobs(options: DeadLetterOptions): Promise<readonly string[]> {
  checkOptions(options)
  return onDeadLetters(options, retryDeadLetters)
}

/**
 * Removes dead letters without another try, and jobs that wait for a worker with their account: of accounts that nobody reads any more.
 *
 * @returns the accounts whose letters they were
 * @throws as retryJobs
 */
export async function purgeJobs(options: DeadLetterOptions): Promise<readonly string[]> {
  checkOptions(options)
  return onDeadLetters(options, purgeDeadLetters)
}

function onDeadLetters(
  options: DeadLetterOptions,
  change: typeof purgeDeadLetters,
): Promise<readonly string[]> {
  return withDatabase(options, async (database) => {
    await using queue = await openQueue(database)
    return await change(queue, options.accounts ?? null)
  })
}

/**
 * Creates the schema of the queue, or brings it up to date; `worker --queue` does so by itself.
 *
 * @throws UsageError on PGlite; DatabaseError
 */
export async function migrateQueue(options: Omit<MirrorOptions, 'force'>): Promise<void> {
  checkOptions(options)
  await withDatabase(options, async (database) => {
    await using _queue = await openQueue(database)
  })
}
