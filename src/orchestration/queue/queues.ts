/** The queues of pg-boss, and how their jobs are tried. */
import { sql } from 'kysely'
import type { Queue } from 'pg-boss'
import type { TransactionOptions } from '../../db/transaction.ts'

/** The schema of pg-boss and of what is kept beside its jobs. */
export const QUEUE_SCHEMA = 'headcount_queue'

/** One job an account that is due. */
export const RUNS_QUEUE = 'runs'

/** One job an account whose run failed for good, until a run of it succeeds. */
export const DEAD_LETTER_QUEUE = 'dead_letters'

/** What a job holds: nothing of the account's data, and no secret. */
export interface JobData {
  readonly account: string
  /** Of the service: so many runs at once over all machines. */
  readonly host: string
  /** Since when only workers without the account took it, in ISO 8601; undefined: the last one had it. */
  readonly unknownSince?: string | undefined
}

/** A machine that says nothing for so long has lost its jobs. */
export const HEARTBEAT_S = 30
/** How often each machine looks for jobs without a heartbeat; one of them does it. */
export const SUPERVISE_S = 15

/** Another process takes over from a dispatcher that did not look for so long. */
export const DISPATCHER_DEAD_AFTER_S = 15
/** Of its last look, in seconds; null before the first. */
export const passAge = sql`extract(epoch from clock_timestamp() - passed_at)`
/** Whether it has looked lately. A look in the future is no sign of life: its clock was ahead, and was set right since. */
export const isAlive = sql`abs(${passAge}) < ${DISPATCHER_DEAD_AFTER_S}`

/** Statements of the queue are short. One that gets no answer is given up after that and 30 s, and not after those of a run. */
export const QUEUE_TRANSACTION: TransactionOptions = { statementTimeoutMs: 10_000 }

const DAY_S = 86_400

/** Failures of a job before it goes to the dead letters: about 15 minutes of tries. */
export const MAX_RETRIES = 5

export const runsQueue: Omit<Queue, 'name'> = {
  // guard: one job an account
  policy: 'exclusive',
  // A table of its own: the dead letters are not searched by each machine that wants work.
  partition: true,
  deadLetter: DEAD_LETTER_QUEUE,
  retryLimit: MAX_RETRIES,
  retryBackoff: true,
  retryDelay: 15,
  retryDelayMax: 600,
  heartbeatSeconds: HEARTBEAT_S,
  // pg-boss allows no more. A longer run goes on: its lease keeps the next try away.
  expireInSeconds: DAY_S,
  retentionSeconds: 7 * DAY_S,
  deleteAfterSeconds: 3600,
}

export const deadLetterQueue: Omit<Queue, 'name'> = {
  policy: 'standard',
  retentionSeconds: 30 * DAY_S,
  deleteAfterSeconds: 3600,
}

export type QueueLog = (level: 'debug' | 'info' | 'warn' | 'error', message: string, fields?: object) => void

/** A job as it is inserted. */
export function jobOf(account: string, host: string) {
  return { data: { account, host }, singletonKey: account, group: { id: host } }
}
