import { faultOfFile } from '../schedule/accounts/accounts-health.ts'
import { seconds } from '../schedule/health.ts'
import { ageOf, type MonotonicTime } from '../schedule/monotonic-time.ts'
import type { JobOutcome } from './jobs/job-outcome.ts'
import type { JobRunner } from './jobs/job-runner.ts'

/** Several looks for jobs. */
const MAX_FETCH_AGE_MS = 30_000
/** Longer than it takes until another process sends. */
const MAX_DISPATCHER_SILENCE_MS = 60_000

/** What a worker of a queue knows of itself. It is in memory, so that the health endpoint works without the database. */
export interface QueueWorkerState {
  readonly began: MonotonicTime
  /** The last look at who sends; null: none yet. */
  dispatch: { readonly seen: MonotonicTime; readonly silentMs: number; readonly isHere: boolean } | null
  /** How the last job of each account ended that this worker ran. */
  readonly accounts: Map<string, { readonly ended_at: string; readonly outcome: string }>
}

/** As `GET /healthz` answers it. */
export interface QueueHealth {
  readonly healthy: boolean
  readonly reason: string
  /** Whether this process sends the jobs of all. */
  readonly is_dispatcher: boolean
  /** Entries of the accounts file that cannot be used; one for a file that cannot be read. */
  readonly faulty_entries: number
  readonly running: readonly string[]
  readonly accounts: Readonly<Record<string, { readonly ended_at: string; readonly outcome: string }>>
}

interface RunnerView extends Pick<JobRunner, 'running' | 'lastFetch' | 'isFull'> {
  /** Whether an account is among the settings now. */
  readonly knows: (account: string) => boolean
}

/** Healthy: jobs can be taken here, somebody sends them, and every entry of the accounts can be used. */
export function queueHealthOf(
  state: QueueWorkerState,
  runner: RunnerView,
  entryFaults: readonly string[] = [],
): QueueHealth {
  // guard: faulty entries of a queue
  const ofFile = faultOfFile(entryFaults)
  const faults = [...fetchFault(state, runner), ...dispatchFault(state), ...ofFile]
  return {
    healthy: faults.length === 0,
    reason: faults.length === 0 ? 'jobs can be taken, and a dispatcher sends them' : faults.join('; '),
    is_dispatcher: state.dispatch?.isHere ?? false,
    faulty_entries: entryFaults.length,
    running: runner.running(),
    accounts: Object.fromEntries([...state.accounts].filter(([account]) => runner.knows(account))),
  }
}

function fetchFault(state: QueueWorkerState, runner: RunnerView): readonly string[] {
  if (runner.isFull()) return []
  const age = ageOf(runner.lastFetch() ?? state.began)
  // guard: health of a queue
  return age < MAX_FETCH_AGE_MS ? [] : [`no jobs could be taken for ${seconds(age)}`]
}

function dispatchFault({ dispatch, began }: QueueWorkerState): readonly string[] {
  const age = dispatch === null ? ageOf(began) : ageOf(dispatch.seen) + dispatch.silentMs
  return age < MAX_DISPATCHER_SILENCE_MS ? [] : [`nobody looked who is due for ${seconds(age)}`]
}

export function noteOutcome(state: QueueWorkerState, account: string, outcome: JobOutcome): void {
  const told = 'code' in outcome ? `${outcome.is}: ${outcome.code}` : outcome.is
  state.accounts.set(account, { ended_at: new Date().toISOString(), outcome: told })
}
