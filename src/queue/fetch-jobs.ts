import { executorIn } from './executor.ts'
import type { JobQueue } from './open-queue.ts'
import { RUNS_QUEUE, type JobData } from './queues.ts'
import type { HeldJob } from './settle.ts'

/** The key of the lock under which jobs are taken: any number that no other program uses. */
const lockNumber = '6283185309'

/**
 * Takes jobs that may run now: at most so many, and of each service host at most so many over all machines.
 *
 * pg-boss counts the running jobs of a group as its statement sees them, so two machines that ask at the same moment take one
 * too many. Here they ask one after the other.
 *
 * @throws DatabaseError
 */
export function fetchJobs(
  { database, boss }: JobQueue,
  { count, runsPerHost }: { readonly count: number; readonly runsPerHost: number },
): Promise<readonly HeldJob[]> {
  return database.transaction(async (trx) => {
    // guard: runs of a host
    await trx.query('select pg_advisory_xact_lock($1)', [lockNumber])
    return boss.fetch<JobData>(RUNS_QUEUE, {
      db: executorIn(trx),
      batchSize: count,
      groupConcurrency: runsPerHost,
    })
  })
}
