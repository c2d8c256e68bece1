import {
  AccountMismatchError,
  ConfigurationError,
  HeadcountError,
  AuthenticationError,
  UsageError,
} from '../../common/errors.ts'
import { ageOf, now, type MonotonicTime } from './monotonic-time.ts'
import { freshFor, type HeldList, type RunEnd, type RunningRun, type WorkerState } from './health.ts'
import type { Ticks } from './cron-ticks.ts'

/** The result of a run. */
export interface RunOutcome {
  /** For people. */
  readonly outcome: string
  /** Everything that was due is in the mirror. */
  readonly isGood: boolean
  readonly end: RunEnd
  readonly holds: readonly HeldList[]
}

/**
 * One run; it calls `onHeartbeat` as a heartbeat.
 *
 * @throws AuthenticationError or UsageError for an error that ends the worker; any other error ends this run only.
 * After the first finished run only a ConfigurationError or an AccountMismatchError ends the worker as a UsageError.
 */
export type Run = (onHeartbeat: () => void) => Promise<RunOutcome>

export type Log = (level: 'info' | 'warn' | 'error', message: string, fields?: object) => void

export interface RunGuardOptions {
  readonly run: Run
  readonly state: WorkerState
  readonly log: Log
  readonly ticks: Pick<Ticks, 'next'>
  /** A run waits for its turn until its first heartbeat. */
  readonly awaitsTurn?: boolean
  readonly onFatal: (error: HeadcountError) => void
  /** Called when another process has the account. */
  readonly onBusy?: () => void
}

/** Runs, one at a time. */
export interface RunGuard {
  /** Starts a run unless one is under way; null then. The promise never rejects. */
  tryStart(): Promise<void> | null
  /** The schedule is another one: how long the mirror is fresh goes by it from now on. */
  rescheduled(): void
  /** Whether a run was under way at this moment (wall clock). */
  wasRunningAt(at: Date): boolean
  /** The run under way. */
  readonly current: Promise<void> | null
}

export function createRunGuard(options: RunGuardOptions): RunGuard {
  const { run, ticks, state, log, awaitsTurn = false, onFatal, onBusy } = options
  let current: Promise<void> | null = null
  /** A run has finished: the address of the service is right. */
  let hasReported = false
  let last: { readonly started: MonotonicTime; readonly ended: MonotonicTime } | null = null

  const once = async () => {
    const started = now()
    const freshMs = freshFor(started, ticks.next(3))
    const running: RunningRun = { started, turn: awaitsTurn ? null : started, lastSign: started, freshMs }
    state.running = running
    const heartbeat = () => {
      running.lastSign = now()
      running.turn ??= running.lastSign
    }
    try {
      const { outcome, isGood, end, holds } = await run(heartbeat)
      hasReported = true
      state.holds = { seen: now(), lists: holds }
      if (isGood) state.lastGood = { started: running.turn ?? started, freshMs }
      state.lastFailure = isGood ? null : outcome
      state.lastErrorCode = null
      state.lastEnd = end
    } catch (error) {
      fail(error)
    } finally {
      state.running = null
      last = { started, ended: now() }
    }
  }

  const fail = (error: unknown) => {
    const isOurs = error instanceof HeadcountError
    noteFailure(state, error)
    // The run of the other process may be a good one.
    // guard: good run elsewhere
    if (state.lastErrorCode === 'account_busy') onBusy?.()
    if (isOurs && isFatal(error, hasReported)) onFatal(error)
    else logFailure(log, error)
  }

  return {
    tryStart: () => {
      if (current !== null) return null
      current = once().finally(() => {
        current = null
      })
      return current
    },
    rescheduled: () => renewFreshness(state, ticks),
    wasRunningAt: (at) => {
      const time = at.getTime()
      if (state.running !== null) return state.running.started.wall <= time
      return last !== null && last.started.wall <= time && time <= last.ended.wall
    },
    get current() {
      return current
    },
  }
}

function logFailure(log: Log, error: unknown): void {
  if (!(error instanceof HeadcountError))
    log('error', 'The run failed unexpectedly; the worker goes on.', { err: error })
  else if (error.code === 'interrupted') log('info', error.message)
  else log(error.code === 'account_busy' ? 'warn' : 'error', error.message, { code: error.code })
}

function noteFailure(state: WorkerState, error: unknown): void {
  const isOurs = error instanceof HeadcountError
  state.lastFailure = isOurs ? `${error.code}: ${error.message}` : 'unexpected failure, see the log'
  state.lastErrorCode = isOurs ? error.code : 'unexpected'
  // Another run has the account, or this one was stopped: that says nothing of the mirror.
  if (!isOurs || (error.code !== 'interrupted' && error.code !== 'account_busy')) state.lastEnd = 'failed'
}

function renewFreshness(state: WorkerState, ticks: Pick<Ticks, 'next'>): void {
  const { lastGood } = state
  // guard: fresh by the new schedule
  if (lastGood === null) return
  state.lastGood = { ...lastGood, freshMs: ageOf(lastGood.started) + freshFor(now(), ticks.next(3)) }
}

/** After a finished run the base address is right: a 404 then comes from a service that is being deployed. */
function isFatal(error: HeadcountError, hasReported: boolean): boolean {
  if (error instanceof AuthenticationError || error instanceof ConfigurationError) return true
  return error instanceof AccountMismatchError || (error instanceof UsageError && !hasReported)
}
