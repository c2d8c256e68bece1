/** The runs of one account by its schedule. */
import { waitAtMost } from '../../common/abort.ts'
import type { HeadcountError } from '../../common/errors.ts'
import type { Ticks } from './cron-ticks.ts'
import { createWorkerState, recallGoodRun, type WorkerState } from './health.ts'
import { createRunGuard, type Log, type Run } from './run-guard.ts'
import { createTickHandler } from './tick-handler.ts'
import { conditionOf, type MirrorCondition } from './mirror-condition.ts'

/** The runs, as somebody beside them sees them. */
export interface RunsInView {
  /** Resolves when no run is under way, or after so many ms. */
  readonly whenIdle: (maxMs: number) => Promise<void>
  /** How the mirror stands; null while nothing can be said. */
  readonly condition: () => MirrorCondition | null
  readonly signal: AbortSignal
}

export interface ScheduledRunsOptions {
  readonly run: Run
  readonly ticks: Ticks
  readonly signal: AbortSignal
  readonly log: Log
  /** Of ticks that are skipped or missed; `log` when not given. */
  readonly tickLog?: Log
  /** A run waits for its turn until its first heartbeat. */
  readonly awaitsTurn?: boolean
  readonly onFatal: (error: HeadcountError) => void
  /** Called when another process has the account. */
  readonly onBusy?: () => void
}

export interface ScheduledRuns {
  readonly state: WorkerState
  readonly view: RunsInView
  /** The run under way. */
  readonly current: Promise<void> | null
  /** Runs now, and then at every tick. */
  begin(): void
  /** The ticks are those of another schedule. */
  rescheduled(): void
  /** The machine slept, or the clock was set. */
  clockJumped(): void
  /** Another process had a good run, which began so many ms ago. */
  recallGoodRun(ageMs: number): void
}

export function scheduleRuns(options: ScheduledRunsOptions): ScheduledRuns {
  const { run, ticks, signal, log, tickLog = log, awaitsTurn = false, onFatal, onBusy } = options
  const state = createWorkerState()
  const guard = createRunGuard({ run, ticks, state, log, awaitsTurn, onFatal, onBusy })
  const handler = createTickHandler({ ticks, guard, state, log: tickLog, signal })
  return {
    state,
    view: {
      whenIdle: (maxMs) => waitAtMost(maxMs, guard.current),
      condition: () => conditionOf(state),
      signal,
    },
    get current() {
      return guard.current
    },
    begin: () => {
      ticks.listen(handler)
      ticks.start()
      void handler.tick(new Date())
    },
    rescheduled: () => {
      guard.rescheduled()
      state.nextTick = ticks.next(1)[0] ?? null
    },
    clockJumped: () => handler.clockJumped(),
    recallGoodRun: (ageMs) => recallGoodRun(state, ageMs, ticks.next(3)),
  }
}
