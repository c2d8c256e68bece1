/** Takes jobs while there is room, runs each, and writes down what became of it, until the signal. */
import { onAbort, sleep } from '../../../common/abort.ts'
import { commandName } from '../../../common/command-name.ts'
import { HeadcountError } from '../../../common/errors.ts'
import { describeThrown } from '../../../common/error-code.ts'
import { now, type MonotonicTime } from '../../schedule/monotonic-time.ts'
import { fetchJobs } from './fetch-jobs.ts'
import { createHostPlace, type HostPlace } from './host-place.ts'
import { done, outcomeOfError, outcomeOfUnknown, reasonOf, type JobOutcome } from './job-outcome.ts'
import { limitRepeats } from '../limit-repeats.ts'
import type { JobQueue } from '../open-queue.ts'
import { HEARTBEAT_S, RUNS_QUEUE, type JobData, type QueueLog } from '../queues.ts'
import { settle, type HeldJob } from './settle.ts'

const POLL_MS = 2000
/** Three chances to be heard before a job counts as lost. */
const BEAT_MS = (HEARTBEAT_S * 1000) / 4
/** What cannot be written down is tried again by another process, once this one is not heard any more. */
const SETTLE_TRIES = 5
const SETTLE_PAUSE_MS = 500
/** How often jobs are looked for that workers without the account handed back. */
const HANDED_BACK_MS = 5000

export interface JobRunnerOptions {
  readonly queue: JobQueue
  /**
   * Runs an account once. It resolves when the run ended with a report, and throws what ended it otherwise.
   *
   * @param onSuspend called with true when the run waits for a pause and other jobs may have its place, with false when it goes on
   */
  readonly run: (
    account: string,
    signal: AbortSignal,
    onSuspend: (isSuspended: boolean) => void,
  ) => Promise<void>
  /** Whether this process has the settings of an account. */
  readonly knows: (account: string) => boolean
  /** Of the services of all accounts. */
  readonly hosts: () => ReadonlySet<string>
  /** At most so many runs here. */
  readonly runs: number
  /** At most so many runs of one service host, over all machines. */
  readonly runsPerHost: number
  readonly signal: AbortSignal
  readonly log: QueueLog
  readonly onSettled?: (account: string, outcome: JobOutcome) => void
}

export interface JobRunner {
  /** Looks for jobs now, and not at the next turn. */
  wake(): void
  /** Accounts that run here, also those that wait for a pause. */
  readonly running: () => readonly string[]
  /** Whether all places are taken: then nobody asks for jobs. */
  readonly isFull: () => boolean
  /** When jobs could be taken last; null: never yet. */
  readonly lastFetch: () => MonotonicTime | null
  /** Resolves after the signal, when each job is settled. */
  readonly ended: Promise<void>
}

/** A job that this process works on. */
interface HeldRun {
  readonly job: HeldJob
  readonly place: HostPlace
  readonly ended: Promise<void>
}

export function startJobRunner(options: JobRunnerOptions): JobRunner {
  const { queue, runs, signal, log } = options
  // By job and try: the next try may be here, too, before the end of one that was not heard.
  const held = new Map<string, HeldRun>()
  let wakeUp = Promise.withResolvers<void>()
  let lastFetch: MonotonicTime | null = null
  let looksAt = 0
  const warnOfUnknown = unknownWarning(options)
  const warn = limitRepeats(log)
  const wake = () => wakeUp.resolve()
  const takeBack = onAbort(signal, wake)
  const beat = setInterval(() => void touch(queue, jobsOf(held), log), BEAT_MS)
  // guard: places of paused runs of a worker
  const takenPlaces = () => [...held.values()].filter(({ place }) => place.isTaken())

  const fetchAll = async () => {
    const { runsPerHost, knows } = options
    const inPlace = takenPlaces()
    const free = runs - inPlace.length
    if (free <= 0) return
    const hosts = options.hosts()
    const taken = inPlace.map(({ job }) => job.data.host)
    const places = { limit: placesOfHost(hosts.size, runs), taken }
    const isTime = performance.now() >= looksAt
    if (isTime) looksAt = performance.now() + HANDED_BACK_MS
    const jobs = await fetchJobs(queue, { count: free, runsPerHost, hosts, places, ...(isTime && { knows }) })
    lastFetch = now()
    for (const job of jobs) {
      warnOfUnknown(job.data.account)
      // guard: heartbeat of a second try
      const key = `${job.id} ${job.retryCount}`
      const run = startRun(job, options, wake)
      held.set(key, run)
      void run.ended.finally(() => {
        held.delete(key)
        wake()
      })
    }
  }
  const loop = async () => {
    while (!signal.aborted) {
      wakeUp = Promise.withResolvers()
      try {
        await fetchAll()
      } catch (error) {
        warn('no jobs could be taken; it is tried again', { err: error })
      }
      await Promise.race([wakeUp.promise, sleep(POLL_MS, signal).catch(() => {})])
    }
    await Promise.all([...held.values()].map(({ ended }) => ended))
    clearInterval(beat)
    takeBack()
  }
  return {
    wake,
    running: () => jobsOf(held).map(({ data }) => data.account),
    isFull: () => takenPlaces().length >= runs,
    lastFetch: () => lastFetch,
    ended: loop(),
  }
}

function jobsOf(held: ReadonlyMap<string, HeldRun>): readonly HeldJob[] {
  return [...held.values()].map(({ job }) => job)
}

/** One is left for the others: a slow service must not hold up all. */
function placesOfHost(hosts: number, runs: number): number {
  return hosts > 1 ? Math.max(1, runs - 1) : runs
}

/** Tells of an account that is not known here, and not again each time that it is due. */
function unknownWarning({ knows, log }: JobRunnerOptions): (account: string) => void {
  const told = new Set<string>()
  return (account) => {
    if (knows(account)) told.delete(account)
    else if (!told.has(account)) {
      told.add(account)
      const message = `account ${account} is not among the accounts here: its job waits for a worker that has it`
      log('warn', message, { account })
    }
  }
}

/** @param onFree called when other jobs may have the place of this one */
function startRun(job: HeldJob, options: JobRunnerOptions, onFree: () => void): HeldRun {
  const place = createHostPlace(options.queue, job, options.log)
  const onSuspend = (isSuspended: boolean) => {
    place.set(!isSuspended)
    if (isSuspended) onFree()
  }
  return { job, place, ended: runJob(job, { ...options, onSuspend }) }
}

interface JobRunOptions extends JobRunnerOptions {
  readonly onSuspend: (isSuspended: boolean) => void
}

/** Never rejects. */
async function runJob(job: HeldJob, options: JobRunOptions): Promise<void> {
  const { account } = job.data
  const outcome = await outcomeOf(job.data, options)
  for (let tries = 1; tries <= SETTLE_TRIES; tries += 1) {
    try {
      const isHeld = await settle(options.queue, job, outcome)
      if (!isHeld) options.log('debug', `account ${account}: another try of its job took over`)
      // Whoever acts on what is logged finds it in the queue.
      else if ('code' in outcome) logOutcome(account, outcome, options.log)
      break
    } catch (error) {
      const message = `account ${account}: what became of its job could not be written; it is tried again in a minute`
      if (tries === SETTLE_TRIES) options.log('warn', message, { err: error })
      else await new Promise((resolve) => setTimeout(resolve, tries * SETTLE_PAUSE_MS))
    }
  }
  options.onSettled?.(account, outcome)
}

async function outcomeOf(
  { account, unknownSince }: JobData,
  { run, knows, signal, log, onSuspend }: JobRunOptions,
): Promise<JobOutcome> {
  if (!knows(account)) return outcomeOfUnknown(unknownSince, new Date())
  try {
    await run(account, signal, onSuspend)
    return done
  } catch (error) {
    const outcome = outcomeOfError(error, signal.aborted)
    if (outcome.is !== 'returned') logError(account, error, log)
    return outcome
  }
}

/** The queue stores the code alone. */
function logError(account: string, error: unknown, log: QueueLog): void {
  if (error instanceof HeadcountError)
    log('error', `account ${account}: ${error.message}`, { account, code: error.code })
  else log('error', `account ${account}: the run failed unexpectedly`, { account, err: error })
}

function logOutcome(account: string, outcome: Exclude<JobOutcome, { is: 'done' }>, log: QueueLog): void {
  const fields = { account, code: outcome.code }
  const what = `account ${account}: ${reasonOf(account, outcome.code)}`
  if (outcome.is === 'dead') log('warn', `${what}; its job is a dead letter (${commandName()} queue)`, fields)
  else if (outcome.is === 'retried') log('warn', `${what}; its job is tried again`, fields)
  else log('debug', `${what}; its job is back in the queue`, fields)
}

/** Tells that the jobs are worked on. One that is not held any more goes on: its lease says whose the account is. */
async function touch({ boss }: JobQueue, jobs: readonly HeldJob[], log: QueueLog): Promise<void> {
  if (jobs.length === 0) return
  try {
    // guard: heartbeat of jobs
    await boss.touch(
      RUNS_QUEUE,
      jobs.map(({ id, retryCount }) => ({ id, retryCount })),
    )
  } catch (error) {
    log('debug', `no heartbeat of the jobs was stored: ${describeThrown(error)}`)
  }
}
