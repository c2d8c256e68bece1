/** The runs of one account by its schedule. */
import { waitAtMost } from '../../common/abort.ts'
import type { Ticks } from './cron-ticks.ts'
import { createWorkerState, recallGoodRun, type WorkerState } from './health.ts'
import { createRunGuard, type Log, type RunGuard, type RunGuardOptions } from './run-guard.ts'
import { conditionOf, type MirrorCondition } from './mirror-condition.ts'

/** The runs, as somebody beside them sees them. */
export interface RunsInView {
  /** Resolves when no run is under way, or after so many ms. */
  readonly whenIdle: (maxMs: number) => Promise<void>
  /** How the mirror stands; null while nothing can be said. */
  readonly condition: () => MirrorCondition | null
  readonly signal: AbortSignal
}

export interface ScheduledRunsOptions extends Omit<RunGuardOptions, 'state'> {
  readonly ticks: Ticks
  readonly signal: AbortSignal
  /** Of ticks that are skipped or missed; `log` when not given. */
  readonly tickLog?: Log
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
  const { ticks, signal } = options
  const state = createWorkerState()
  const guard = createRunGuard({ ...options, state })
  const handler = createTickHandler(options, guard, state, options.tickLog ?? options.log)
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

/** Turns ticks into runs, or into log lines. */
function createTickHandler(
  { ticks, signal }: Pick<ScheduledRunsOptions, 'ticks' | 'signal'>,
  guard: RunGuard,
  state: WorkerState,
  log: Log,
) {
  const lookAhead = () => {
    const [next] = ticks.next(1)
    state.nextTick = next ?? null
    return next?.toISOString()
  }
  const tick = async (at: Date) => {
    lookAhead()
    const run = guard.tryStart()
    if (run === null) return overlapped(at)
    await run
    if (!signal.aborted) log('info', `the next run is at ${lookAhead()}`)
  }
  const overlapped = (at: Date) => {
    lookAhead()
    state.skippedTicks += 1
    const fields = { tick: at.toISOString(), skipped_ticks: state.skippedTicks }
    log('info', 'a tick was skipped: the run before it is still under way', fields)
  }
  const missed = (at: Date) => {
    if (guard.wasRunningAt(at)) return overlapped(at)
    // The current run began after the tick, and replaces its run.
    if (guard.current !== null) return
    const fields = { tick: at.toISOString() }
    log('warn', 'a tick was missed (did the machine sleep?): one run makes up for all of them', fields)
    void tick(at)
  }
  return {
    tick,
    overlapped,
    missed,
    clockJumped: () => {
      const due = state.nextTick
      if (due !== null && due.getTime() <= Date.now()) missed(due)
      ticks.start()
      lookAhead()
    },
  }
}
