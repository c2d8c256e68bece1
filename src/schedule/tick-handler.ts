import type { Log, Runs } from './run-guard.ts'
import type { Sight } from './health.ts'
import type { TickListener, Ticks } from './cron-ticks.ts'

/** What becomes of ticks: a run, or a line in the log. */
export interface Dispatch extends TickListener {
  /** The wall clock moved by itself: the machine slept, or someone set it. */
  clockJumped(): void
}

export interface DispatchOptions {
  readonly ticks: Ticks
  readonly runs: Runs
  readonly sight: Sight
  readonly log: Log
  readonly signal: AbortSignal
}

export function createDispatch({ ticks, runs, sight, log, signal }: DispatchOptions): Dispatch {
  const lookAhead = () => {
    const [next] = ticks.next(1)
    sight.nextTick = next ?? null
    return next?.toISOString()
  }
  const tick = async (at: Date) => {
    lookAhead()
    const run = runs.begin()
    if (run === null) return overlapped(at)
    await run
    if (!signal.aborted) log('info', `the next run is at ${lookAhead()}`)
  }
  const overlapped = (at: Date) => {
    lookAhead()
    sight.skippedTicks += 1
    const fields = { tick: at.toISOString(), skipped_ticks: sight.skippedTicks }
    log('info', 'a tick was skipped: the run before it is still under way', fields)
  }
  const missed = (at: Date) => {
    if (runs.wasUnderWay(at)) return overlapped(at)
    // That run began after the tick, so that it makes up for it.
    if (runs.current !== null) return
    const fields = { tick: at.toISOString() }
    log('warn', 'a tick was missed (did the machine sleep?): one run makes up for all of them', fields)
    void tick(at)
  }
  return {
    tick,
    overlapped,
    missed,
    clockJumped: () => {
      const due = sight.nextTick
      if (due !== null && due.getTime() <= Date.now()) missed(due)
      ticks.start()
      lookAhead()
    },
  }
}
