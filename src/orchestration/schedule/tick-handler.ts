import type { Log, RunGuard } from './run-guard.ts'
import type { WorkerState } from './health.ts'
import type { TickListener, Ticks } from './cron-ticks.ts'

/** Turns ticks into runs, or into log lines. */
export interface TickHandler extends TickListener {
  /** The machine slept, or the clock was set. */
  clockJumped(): void
}

export interface TickHandlerOptions {
  readonly ticks: Ticks
  readonly guard: RunGuard
  readonly state: WorkerState
  readonly log: Log
  readonly signal: AbortSignal
}

export function createTickHandler({ ticks, guard, state, log, signal }: TickHandlerOptions): TickHandler {
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
