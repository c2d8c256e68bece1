import type { Transaction } from '../db/transaction.ts'
import { executorIn } from './executor.ts'
import type { JobQueue } from './open-queue.ts'
import { QUEUE_SCHEMA, RUNS_QUEUE, type JobData } from './queues.ts'
import type { HeldJob } from './settle.ts'

/** The key of the lock under which jobs are taken: any number that no other program uses. */
const lockNumber = '6283185309'

export interface FetchOptions {
  readonly count: number
  /** Over all machines. */
  readonly runsPerHost: number
  /** Of all accounts: when none has room, nothing is looked for. */
  readonly hosts: ReadonlySet<string>
}

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
  { count, runsPerHost, hosts }: FetchOptions,
): Promise<readonly HeldJob[]> {
  return database.transaction(async (trx) => {
    // guard: no look where no host has room
    if (await areFull(trx, hosts, runsPerHost)) return []
    // guard: runs of a host
    await trx.query('select pg_advisory_xact_lock($1)', [lockNumber])
    return boss.fetch<JobData>(RUNS_QUEUE, {
      db: executorIn(trx),
      batchSize: count,
      groupConcurrency: runsPerHost,
    })
  })
}

/** pg-boss would pass over every job that waits, to find that none may run. The running ones are few, and have an index. */
async function areFull(trx: Transaction, hosts: ReadonlySet<string>, runsPerHost: number): Promise<boolean> {
  const { rows } = await trx.query(
    `select group_id from ${QUEUE_SCHEMA}.job
      where name = $1 and state = 'active' and group_id is not null
      group by group_id having count(*) >= $2`,
    [RUNS_QUEUE, runsPerHost],
  )
  const full = new Set(rows.map(([host]) => host))
  return hosts.size > 0 && [...hosts].every((host) => full.has(host))
}
