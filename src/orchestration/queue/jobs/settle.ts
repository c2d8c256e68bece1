/** Writes down what became of a job, in one transaction. */
import type { JobAttempt } from 'pg-boss'
import type { Transaction } from '../../../db/transaction.ts'
import { executorIn } from '../executor.ts'
import type { JobOutcome } from './job-outcome.ts'
import type { JobQueue } from '../open-queue.ts'
import {
  DEAD_LETTER_QUEUE,
  jobOf,
  MAX_RETRIES,
  QUEUE_SCHEMA,
  QUEUE_TRANSACTION,
  RUNS_QUEUE,
  type JobData,
} from '../queues.ts'

/** A job that this process holds: the try is part of it, so that a later try is not settled by an earlier one. */
export interface HeldJob extends JobAttempt {
  readonly data: JobData
}

/**
 * @returns false when the job is no longer held: another try has it, or had it
 * @throws DatabaseError
 */
export function settle({ database, boss }: JobQueue, job: HeldJob, outcome: JobOutcome): Promise<boolean> {
  return database.transaction(async (trx) => {
    const on = { db: executorIn(trx) }
    const attempt = { id: job.id, retryCount: job.retryCount }
    const { account, host } = job.data
    const isLastTry = job.retryCount >= MAX_RETRIES
    if (outcome.is === 'dead' || (outcome.is === 'retried' && isLastTry))
      return bury(trx, { boss }, job, outcome.code)
    if (outcome.is === 'retried')
      return affected(await boss.fail(RUNS_QUEUE, attempt, { code: outcome.code }, on)) > 0
    // What was done is in sync_runs; the queue holds what is to be done.
    const isHeld = affected(await boss.deleteJob(RUNS_QUEUE, attempt, on)) > 0
    if (!isHeld) return false
    const startAfter = outcome.is === 'returned' ? outcome.afterS : 0
    const unknownSince = outcome.is === 'returned' ? outcome.unknownSince : undefined
    // guard: jobs handed back
    if (outcome.is === 'returned') {
      const again = jobOf(account, host)
      const data = unknownSince === undefined ? again.data : { ...again.data, unknownSince }
      await boss.insert(RUNS_QUEUE, [{ ...again, data, startAfter }], on)
    } else await deleteDeadLetters(trx, account)
    return true
  }, QUEUE_TRANSACTION)
}

/** To the dead letters, in place of the account's earlier one. */
async function bury(
  trx: Transaction,
  { boss }: Pick<JobQueue, 'boss'>,
  { id, retryCount, data }: HeldJob,
  code: string,
): Promise<boolean> {
  const on = { db: executorIn(trx) }
  // pg-boss moves a job that has no try left. Only its own workers can send one there earlier.
  const { rows } = await trx.query(
    `update ${QUEUE_SCHEMA}.job set retry_limit = retry_count
      where name = $1 and id = $2 and retry_count = $3 and state = 'active' returning id`,
    [RUNS_QUEUE, id, retryCount],
  )
  if (rows.length === 0) return false
  // guard: one dead letter an account
  await deleteDeadLetters(trx, data.account)
  await boss.fail(RUNS_QUEUE, { id, retryCount }, { code }, on)
  await boss.deleteJob(RUNS_QUEUE, id, on)
  return true
}

async function deleteDeadLetters(trx: Transaction, account: string): Promise<void> {
  // By the index of jobs that nobody has taken; nobody takes a dead letter.
  await trx.query(
    `delete from ${QUEUE_SCHEMA}.job where name = $1 and singleton_key = $2 and state = 'created'`,
    [DEAD_LETTER_QUEUE, account],
  )
}

/** pg-boss's types leave out what its commands answer. */
function affected(response: object): number {
  return 'affected' in response && typeof response.affected === 'number' ? response.affected : 0
}
