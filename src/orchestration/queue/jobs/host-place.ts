/** The place of a job among those that its service host may have at once, over all machines. */
import { describeThrown } from '../../../common/error-code.ts'
import type { Transaction } from '../../../db/transaction.ts'
import type { JobQueue } from '../open-queue.ts'
import { QUEUE_SCHEMA, QUEUE_TRANSACTION, RUNS_QUEUE, type QueueLog } from '../queues.ts'
import type { HeldJob } from './settle.ts'

/** Other jobs have it while the run of this one waits for a pause that the service asked for. */
export interface HostPlace {
  readonly isTaken: () => boolean
  /** Counts at once here, and for other machines when it is stored. */
  readonly set: (isTaken: boolean) => void
}

export function createHostPlace({ database }: JobQueue, job: HeldJob, log: QueueLog): HostPlace {
  const { id, retryCount, data } = job
  let isTakenNow = true
  let stored: Promise<void> = Promise.resolve()

  async function store(isTaken: boolean): Promise<void> {
    // pg-boss counts the active jobs of a group, and the group is the host.
    // guard: places of paused runs at a host
    const group = isTaken ? data.host : null
    try {
      await database.transaction(
        (trx) =>
          trx.query(
            `update ${QUEUE_SCHEMA}.job set group_id = $4
              where name = $1 and id = $2 and retry_count = $3 and state = 'active'`,
            [RUNS_QUEUE, id, retryCount, group],
          ),
        QUEUE_TRANSACTION,
      )
    } catch (error) {
      log('debug', `account ${data.account}: its place at the host was not stored: ${describeThrown(error)}`)
    }
  }

  return {
    isTaken: () => isTakenNow,
    set: (isTaken) => {
      isTakenNow = isTaken
      // One after the other: the last one counts.
      stored = stored.then(() => store(isTaken))
    },
  }
}

/**
 * Gives jobs back to their hosts whose run ended, or whose worker died, while others had the place: their next try is one of
 * the host's again. Only retries wait without a host, and each waits for some seconds at least.
 *
 * @throws DatabaseError
 */
export async function restoreHosts(trx: Transaction): Promise<void> {
  // guard: hosts of jobs that are tried again
  await trx.query(
    `update ${QUEUE_SCHEMA}.job set group_id = data->>'host'
      where name = $1 and state = 'retry' and start_after > now() and group_id is null`,
    [RUNS_QUEUE],
  )
}
