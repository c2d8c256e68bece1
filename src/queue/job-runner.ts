/** Takes jobs while there is room, runs each, and writes down what became of it, until the signal. */
import { onAbort, sleep } from '../common/abort.ts'
import { HeadcountError } from '../common/errors.ts'
import type { DatabaseLog } from '../db/database.ts'
import { now, type MonotonicTime } from '../schedule/monotonic-time.ts'
import { fetchJobs } from './fetch-jobs.ts'
import { done, outcomeOfError, reasonOf, UNKNOWN_HERE, type JobOutcome } from './job-outcome.ts'
import type { JobQueue } from './open-queue.ts'
import { HEARTBEAT_S, RUNS_QUEUE } from './queues.ts'
import { settle, type HeldJob } from './settle.ts'

const POLL_MS = 2000
/** Three chances to be heard before a job counts as lost. */
const BEAT_MS = (HEARTBEAT_S * 1000) / 4
/** What cannot be written down is tried again by another process, once this one is not heard any more. */
const SETTLE_TRIES = 5
const SETTLE_PAUSE_MS = 500

/** Runs an account once. It resolves when the run ended with a report, and throws what ended it otherwise. */
export type RunAccount = (account: string, signal: AbortSignal) => Promise<void>

export interface JobRunnerOptions {
  readonly queue: JobQueue
  readonly run: RunAccount
  /** Whether this process has the settings of an account. */
  readonly knows: (account: string) => boolean
  /** Of the services of all accounts. */
  readonly hosts: () => ReadonlySet<string>
  /** At most so many runs here. */
  readonly runs: number
  /** At most so many runs of one service host, over all machines. */
  readonly runsPerHost: number
  readonly signal: AbortSignal
  readonly log: DatabaseLog
  readonly onSettled?: (account: string, outcome: JobOutcome) => void
}

export interface JobRunner {
  /** Looks for jobs now, and not at the next turn. */
  wake(): void
  /** Accounts that run here. */
  readonly running: () => readonly string[]
  /** When jobs could be taken last; null: never yet. */
  readonly lastFetch: () => MonotonicTime | null
  /** Resolves after the signal, when each job is settled. */
  readonly ended: Promise<void>
}

export function startJobRunner(options: JobRunnerOptions): JobRunner {
  const { queue, signal, log } = options
  const held = new Map<string, { readonly job: HeldJob; readonly ended: Promise<void> }>()
  let wakeUp = Promise.withResolvers<void>()
  let lastFetch: MonotonicTime | null = null
  const wake = () => wakeUp.resolve()
  const takeBack = onAbort(signal, wake)
  const beat = setInterval(
    () =>
      void touch(
        queue,
        [...held.values()].map(({ job }) => job),
        log,
      ),
    BEAT_MS,
  )

  const fetchAll = async () => {
    const free = options.runs - held.size
    if (free <= 0) return
    const { runsPerHost, hosts } = options
    const jobs = await fetchJobs(queue, { count: free, runsPerHost, hosts: hosts() })
    lastFetch = now()
    for (const job of jobs) {
      const ended = runJob(job, options).finally(() => {
        held.delete(job.id)
        wake()
      })
      held.set(job.id, { job, ended })
    }
  }
  const loop = async () => {
    while (!signal.aborted) {
      wakeUp = Promise.withResolvers()
      try {
        await fetchAll()
      } catch (error) {
        log('warn', 'no jobs could be taken; it is tried again', { err: error })
      }
      await Promise.race([wakeUp.promise, pause(POLL_MS, signal)])
    }
    await Promise.all([...held.values()].map(({ ended }) => ended))
    clearInterval(beat)
    takeBack()
  }
  return {
    wake,
    running: () => [...held.values()].map(({ job }) => job.data.account),
    lastFetch: () => lastFetch,
    ended: loop(),
  }
}

/** Resolves also when the signal ends it. */
async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await sleep(ms, signal).catch(() => {})
}

/** Never rejects. */
async function runJob(job: HeldJob, options: JobRunnerOptions): Promise<void> {
  const { account } = job.data
  const outcome = await outcomeOf(account, options)
  if ('code' in outcome) logOutcome(account, outcome, options.log)
  for (let tries = 1; ; tries += 1) {
    try {
      const isHeld = await settle(options.queue, job, outcome)
      if (!isHeld) options.log('debug', `account ${account}: another try of its job took over`)
      options.onSettled?.(account, outcome)
      return
    } catch (error) {
      if (tries < SETTLE_TRIES) await new Promise((resolve) => setTimeout(resolve, tries * SETTLE_PAUSE_MS))
      else {
        options.log(
          'warn',
          `account ${account}: what became of its job could not be written; it is tried again in a minute`,
          { err: error },
        )
        options.onSettled?.(account, outcome)
        return
      }
    }
  }
}

async function outcomeOf(account: string, { run, knows, signal }: JobRunnerOptions): Promise<JobOutcome> {
  if (!knows(account)) return { is: 'retried', code: UNKNOWN_HERE }
  try {
    await run(account, signal)
    return done
  } catch (error) {
    return outcomeOfError(error, signal.aborted)
  }
}

function logOutcome(account: string, outcome: Exclude<JobOutcome, { is: 'done' }>, log: DatabaseLog): void {
  const fields = { account, code: outcome.code }
  const what = `account ${account}: ${reasonOf(outcome.code)}`
  if (outcome.is === 'dead') log('warn', `${what}; its job is a dead letter (headcount queue)`, fields)
  else if (outcome.is === 'retried') log('warn', `${what}; its job is tried again`, fields)
  else log('debug', `${what}; its job is back in the queue`, fields)
}

/** Tells that the jobs are worked on. One that is not held any more goes on: its lease says whose the account is. */
async function touch({ boss }: JobQueue, jobs: readonly HeldJob[], log: DatabaseLog): Promise<void> {
  if (jobs.length === 0) return
  try {
    // guard: heartbeat of jobs
    await boss.touch(
      RUNS_QUEUE,
      jobs.map(({ id, retryCount }) => ({ id, retryCount })),
    )
  } catch (error) {
    const reason = error instanceof HeadcountError ? error.message : String(error)
    log('debug', `no heartbeat of the jobs was stored: ${reason}`)
  }
}
