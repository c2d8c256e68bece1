import type { Transaction } from '../../../db/transaction.ts'
import { executorIn } from '../executor.ts'
import type { JobQueue } from '../open-queue.ts'
import { QUEUE_SCHEMA, QUEUE_TRANSACTION, RUNS_QUEUE, type JobData } from '../queues.ts'
import { releaseHandedBack } from './handed-back.ts'
import { restoreHosts } from './host-place.ts'
import type { HeldJob } from './settle.ts'

/** The key of the lock under which jobs are taken: any number that no other program uses. */
const lockNumber = '6283185309'

/** What one host may have of the places of a process, so that a slow one does not take all of them. */
export interface HostPlaces {
  readonly limit: number
  /** The host of each run under way here. */
  readonly taken: readonly string[]
}

export interface FetchOptions {
  readonly count: number
  /** Over all machines. */
  readonly runsPerHost: number
  /** Of all accounts: when none has room, nothing is looked for. */
  readonly hosts: ReadonlySet<string>
  /** Without them, one host may have every place. */
  readonly places?: HostPlaces
  /** Whether an account is known here: jobs of such accounts that others handed back are taken first. Without it, nobody looks for
   * them, nor for jobs without a host. */
  readonly knows?: (account: string) => boolean
}

const everyPlace: HostPlaces = { limit: Number.MAX_SAFE_INTEGER, taken: [] }

/**
 * Takes jobs that may run now: at most so many, of each service host at most so many over all machines, and of each at most
 * `places.limit` here.
 *
 * pg-boss counts the running jobs of a group as its statement sees them, so two machines that ask at the same moment take one
 * too many. Here they ask one after the other.
 *
 * @throws DatabaseError
 */
export function fetchJobs(
  { database, boss }: JobQueue,
  { count, runsPerHost, hosts, places = everyPlace, knows }: FetchOptions,
): Promise<readonly HeldJob[]> {
  return database.transaction(async (trx) => {
    const full = new Set([...(await fullHosts(trx, runsPerHost)), ...shareOf(places).crowded])
    // guard: no look where no host has room
    if (hosts.size > 0 && [...hosts].every((host) => full.has(host))) return []
    // guard: runs of a host
    await trx.query('select pg_advisory_xact_lock($1)', [lockNumber])
    if (knows !== undefined) {
      await releaseHandedBack(trx, knows)
      await restoreHosts(trx)
    }
    const fetched: HeldJob[] = []
    while (fetched.length < count) {
      const taken = [...places.taken, ...fetched.map(({ data }) => data.host)]
      const { crowded, room } = shareOf({ ...places, taken })
      const batchSize = Math.min(count - fetched.length, room)
      const jobs = await boss.fetch<JobData>(RUNS_QUEUE, {
        db: executorIn(trx),
        batchSize,
        groupConcurrency: runsPerHost,
        ignoreGroups: [...crowded],
      })
      fetched.push(...jobs)
      if (jobs.length < batchSize) break
    }
    return fetched
  }, QUEUE_TRANSACTION)
}

/** @returns the hosts that have all that they may here, and how many jobs can be taken of the others, whosever they are */
function shareOf({ limit, taken }: HostPlaces): {
  readonly crowded: readonly string[]
  readonly room: number
} {
  const counts = [...Map.groupBy(taken, (host) => host)].map(([host, { length }]) => [host, length] as const)
  // guard: places of a host
  const crowded = counts.filter(([, runs]) => runs >= limit)
  const most = Math.max(0, ...counts.map(([, runs]) => (runs < limit ? runs : 0)))
  return { crowded: crowded.map(([host]) => host), room: limit - most }
}

/** pg-boss would pass over every job that waits, to find that none may run. The running ones are few, and have an index. */
async function fullHosts(trx: Transaction, runsPerHost: number): Promise<readonly string[]> {
  const { rows } = await trx.query(
    `select group_id from ${QUEUE_SCHEMA}.job
      where name = $1 and state = 'active' and group_id is not null
      group by group_id having count(*) >= $2`,
    [RUNS_QUEUE, runsPerHost],
  )
  return rows.map(([host]) => String(host))
}
