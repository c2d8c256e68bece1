import { aborted, waitAtMost } from '../../common/abort.ts'
import { onClockJump } from './clock-jumps.ts'
import { serveHealth } from './health-endpoint.ts'
import type { Log, Run } from './run-guard.ts'
import { healthOf } from './health.ts'
import { createTicks } from './cron-ticks.ts'
import { scheduleRuns, type RunsInView } from './scheduled-runs.ts'

/** For the run in progress: a worker ends within about 8 s, for container engines kill it after ten. */
export const SHUTDOWN_GRACE_MS = 6500

/** For closing what the runs used, after they were waited for: one that did not end in time keeps it. */
export const CLOSE_GRACE_MS = 500

/** For what goes on beside the runs, after a stop, and when the worker ends by itself and still tells why. */
export const COMPANION_GRACE_MS = 1000
const MAX_COMPANION_MS = 60_000

/** Of a worker over one account, and over many. */
export interface AnyWorkerOptions {
  /** Where `GET /healthz` is answered; port 0 takes any free one. Null: nowhere. */
  readonly health: { readonly host: string; readonly port: number } | null
  /** What `GET /metrics` answers on the same port, in Prometheus' text form; none when not given. */
  readonly metricsText?: (() => Promise<string>) | null
  /** Stops the worker; runs under way, and those that wait, must end by the same signal. */
  readonly signal: AbortSignal
  readonly log: Log
  /** How long ago the last good run of each account began, as the mirror has it; asked at the start, and when another process has the account. Not known when not given. */
  readonly lastGoodRuns?: LastGoodRuns
  /** What goes on beside the runs until the worker ends. */
  readonly companions?: readonly Companion[]
}

export interface WorkerOptions extends AnyWorkerOptions {
  readonly run: Run
  /** In cron's form: five fields, or six with seconds. */
  readonly schedule: string
  readonly timeZone: string
}

/** Milliseconds by account; empty when the mirror cannot be asked. It never throws. */
export type LastGoodRuns = () => Promise<ReadonlyMap<string, number>>

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
  const fatal = Promise.withResolvers<never>()
  const ticks = createTicks(options.schedule, options.timeZone)
  const recall = (): void => {
    void options.lastGoodRuns?.().then((ages) => ages.forEach((ageMs) => runs.recallGoodRun(ageMs)))
  }
  const { run } = options
  const runs = scheduleRuns({ run, ticks, signal, log, onFatal: fatal.reject, onBusy: recall })

  await using open = new AsyncDisposableStack()
  if (options.health !== null) {
    const endpoint = open.use(
      await serveHealth(options.health, () => healthOf(runs.state), options.metricsText ?? null),
    )
    log('info', `health is answered at ${endpoint.url}`)
  }
  for (const companion of options.companions ?? []) {
    const begun = companion(runs.view)
    open.defer(() =>
      waitAtMost(signal.aborted ? COMPANION_GRACE_MS : MAX_COMPANION_MS, begun[Symbol.asyncDispose]()),
    )
  }
  open.defer(async () => {
    await waitAtMost(SHUTDOWN_GRACE_MS, runs.current)
    if (runs.current !== null)
      log('warn', 'the run under way did not end in time; the database rolls it back')
  })
  open.defer(onClockJump(() => runs.clockJumped()))
  open.defer(() => ticks.stop())
  log('info', `the worker runs now, and then at ${ticks.next(1)[0]?.toISOString()}`, {
    schedule: options.schedule,
    time_zone: options.timeZone,
  })
  runs.begin()
  recall()
  await Promise.race([fatal.promise, aborted(signal)])
}
