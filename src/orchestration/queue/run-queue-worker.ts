/** A worker of the queue: it runs jobs, and sends those of all accounts when no other process does. */
import { sleep, waitAtMost } from '../../common/abort.ts'
import { memoiseLast } from '../../common/memoise-last.ts'
import type { Database } from '../../db/database.ts'
import { ageOf, now } from '../schedule/monotonic-time.ts'
import { SHUTDOWN_GRACE_MS } from '../schedule/worker.ts'
import { createDispatcher, type Dispatcher } from './dispatcher.ts'
import { groupBySchedule, type QueueAccount } from './due-groups.ts'
import { startJobRunner, type JobRunner, type JobRunnerOptions } from './jobs/job-runner.ts'
import { limitRepeats } from './limit-repeats.ts'
import { openQueue } from './open-queue.ts'
import { openWhenReachable } from './open-when-reachable.ts'
import { noteOutcome, queueHealthOf, type QueueHealth, type QueueWorkerState } from './queue-health.ts'

/** How often a process looks whether it is the one that sends, and who is due. */
const PASS_MS = 5000

export interface QueueWorkerOptions extends Pick<JobRunnerOptions, 'run' | 'runs' | 'runsPerHost' | 'log'> {
  readonly database: Database
  /** The accounts as they are set now; another array when they changed. */
  readonly accounts: () => readonly QueueAccount[]
  /** What keeps accounts from being used here. */
  readonly faults?: () => readonly string[]
  /** Ends the worker; runs under way must end by the signal that they are given. */
  readonly signal: AbortSignal
  /** Called while the queue cannot be opened, for the server went away. */
  readonly onAway: (error: Error) => void
  /** Given what answers for the worker's health, once it works. */
  readonly onStart?: (health: () => QueueHealth) => void
}

/**
 * Works until the signal. Then the runs under way are ended, and their jobs go back to the queue.
 *
 * @throws UsageError on PGlite; DatabaseError when the queue cannot be opened
 */
export async function runQueueWorker(options: QueueWorkerOptions): Promise<void> {
  const { database, signal, log } = options
  await using queue = await openWhenReachable(() => openQueue(database, { log, supervise: true }), options)
  if (queue === null) return
  const state: QueueWorkerState = { began: now(), dispatch: null, accounts: new Map() }
  const read = memoiseLast(knownOf)
  const known = () => read(options.accounts())
  const knows = (account: string) => known().names.has(account)
  const runner = startJobRunner({
    ...options,
    queue,
    knows,
    hosts: () => known().hosts,
    onSettled: (account, outcome) => noteOutcome(state, account, outcome),
  })
  options.onStart?.(() => queueHealthOf(state, { ...runner, knows }, options.faults?.()))
  const dispatcher = createDispatcher({ queue, groups: () => known().groups, log })
  await dispatchUntilAborted({ dispatcher, runner, state, signal, log })
  await waitAtMost(SHUTDOWN_GRACE_MS, Promise.all([runner.ended, dispatcher.resign().catch(() => {})]))
}

/** What is known of the accounts. */
function knownOf(accounts: readonly QueueAccount[]) {
  return {
    groups: groupBySchedule(accounts),
    names: new Set(accounts.map(({ name }) => name)),
    hosts: new Set(accounts.map(({ host }) => host)),
  }
}

interface Dispatching extends Pick<JobRunnerOptions, 'signal' | 'log'> {
  readonly dispatcher: Dispatcher
  readonly runner: JobRunner
  readonly state: QueueWorkerState
}

async function dispatchUntilAborted({ dispatcher, runner, state, signal, log }: Dispatching): Promise<void> {
  /** Whose other accounts were told of. */
  let others: string | null = null
  const warn = limitRepeats(log)
  while (!signal.aborted) {
    try {
      const { isDispatcher, sent, silentMs, hasMore, sendsOthers } = await dispatcher.pass()
      const isNew = isDispatcher && state.dispatch?.isHere !== true
      state.dispatch = { seen: now(), silentMs: silentMs ?? ageOf(state.began), isHere: isDispatcher }
      if (isNew) log('info', 'this process sends the jobs of all accounts that are due')
      if (sent > 0) {
        log('debug', `sent ${sent} jobs`, { sent })
        runner.wake()
      }
      if (sendsOthers !== null && others !== sendsOthers)
        log(
          'warn',
          `the accounts here are others than those of ${sendsOthers}, which sends the jobs: only what it has is sent. Give all workers the same accounts`,
        )
      others = sendsOthers
      if (hasMore) continue
    } catch (error) {
      warn('it could not be seen who is due; it is tried again', { err: error })
    }
    await sleep(PASS_MS, signal).catch(() => {})
  }
}
