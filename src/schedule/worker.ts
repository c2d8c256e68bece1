import { aborted } from '../common/abort.ts'
import { onClockJump } from './clock-jumps.ts'
import { createTickHandler } from './tick-handler.ts'
import { serveHealth } from './health-endpoint.ts'
import { createRunGuard, type Log, type Run } from './run-guard.ts'
import { healthOf, createWorkerState } from './health.ts'
import { createTicks } from './cron-ticks.ts'
import { conditionOf, type MirrorCondition } from './mirror-condition.ts'

/** For the run in progress: a worker ends within 8 s, for container engines kill it after ten. */
const SHUTDOWN_GRACE_MS = 6500

/** For what goes on beside the runs, after a stop, and when the worker ends by itself and still tells why. */
const COMPANION_GRACE_MS = 1000
const MAX_COMPANION_MS = 60_000

export interface WorkerOptions {
  readonly run: Run
  /** In cron's form: five fields, or six with seconds. */
  readonly schedule: string
  readonly timeZone: string
  /** Where `GET /healthz` is answered; 0 takes any free port, null none. */
  readonly healthPort: number | null
  /** 127.0.0.1 when not given. */
  readonly healthHost?: string
  /** What `GET /metrics` answers on the same port, in Prometheus' text form; none when not given. */
  readonly metricsText?: (() => Promise<string>) | null
  /** Stops the worker; a run under way must end by the same signal. */
  readonly signal: AbortSignal
  readonly log: Log
  /** What goes on beside the runs until the worker ends. */
  readonly companions?: readonly Companion[]
}

/** The runs, as somebody beside them sees them. */
export interface RunsInView {
  /** Resolves when no run is under way, or after so many ms. */
  readonly whenIdle: (maxMs: number) => Promise<void>
  /** How the mirror stands; null while nothing can be said. */
  readonly condition: () => MirrorCondition | null
  readonly signal: AbortSignal
}

/** Begins its work, and ends it when it is disposed. It never throws later. */
export type Companion = (runs: RunsInView) => AsyncDisposable

/**
 * Runs once at the start and then at every tick of the schedule, until it is stopped. A tick during a run is skipped.
 * One run replaces all ticks that were missed during sleep. A failed run is logged, and the next tick tries again.
 *
 * @returns after a stop, when the run in progress has ended or 6.5 s have passed
 * @throws AuthenticationError, UsageError of a run that no later run can repair (see {@link Run})
 * @throws ConfigurationError for an invalid schedule; UsageError when the health port is taken
 */
export async function runWorker({ signal, log, ...options }: WorkerOptions): Promise<void> {
  const state = createWorkerState()
  const fatal = Promise.withResolvers<never>()
  const ticks = createTicks(options.schedule, options.timeZone)
  const guard = createRunGuard({ run: options.run, ticks, state, log, onFatal: fatal.reject })
  const handler = createTickHandler({ ticks, guard, state, log, signal })

  await using open = new AsyncDisposableStack()
  if (options.healthPort !== null) {
    const endpoint = open.use(
      await serveHealth(
        { host: options.healthHost ?? '127.0.0.1', port: options.healthPort },
        () => healthOf(state),
        options.metricsText ?? null,
      ),
    )
    log('info', `health is answered at ${endpoint.url}`)
  }
  const runs: RunsInView = {
    whenIdle: (maxMs) => waitAtMost(maxMs, guard.current),
    condition: () => conditionOf(state),
    signal,
  }
  for (const companion of options.companions ?? []) {
    const begun = companion(runs)
    open.defer(() =>
      waitAtMost(signal.aborted ? COMPANION_GRACE_MS : MAX_COMPANION_MS, begun[Symbol.asyncDispose]()),
    )
  }
  open.defer(async () => {
    await waitAtMost(SHUTDOWN_GRACE_MS, guard.current)
    if (guard.current !== null)
      log('warn', 'the run under way did not end in time; the database rolls it back')
  })
  open.defer(onClockJump(() => handler.clockJumped()))
  open.defer(() => ticks.stop())
  ticks.listen(handler)
  ticks.start()
  log('info', `the worker runs now, and then at ${ticks.next(1)[0]?.toISOString()}`, {
    schedule: options.schedule,
    time_zone: options.timeZone,
  })
  void handler.tick(new Date())
  await Promise.race([fatal.promise, aborted(signal)])
}

async function waitAtMost(milliseconds: number, work: PromiseLike<void> | null): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  const timer = setTimeout(resolve, milliseconds)
  await Promise.race([work, promise])
  clearTimeout(timer)
}
