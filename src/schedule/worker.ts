import { aborted } from './aborted.ts'
import { watchClock } from './clock-jumps.ts'
import { createDispatch } from './tick-handler.ts'
import { listenForHealth } from './health-endpoint.ts'
import { createRuns, type Log, type Run } from './run-guard.ts'
import { judge, newSight } from './health.ts'
import { createTicks } from './cron-ticks.ts'

/** A worker ends within 8 s, for a container engine kills at ten; the run under way gets this much of it. */
const LONGEST_GOODBYE_MS = 6500

export interface WorkerOptions {
  readonly run: Run
  /** In cron's form: five fields, or six with seconds. */
  readonly schedule: string
  readonly timeZone: string
  /** Where `GET /healthz` is answered on loopback; 0 takes any free port, null none. */
  readonly healthPort: number | null
  /** Stops the worker; a run under way must end by the same signal. */
  readonly signal: AbortSignal
  readonly log: Log
}

/**
 * Runs once now and then at every tick of the schedule, never two at a time, until it is stopped. A tick that comes
 * during a run is dropped; ticks that passed unseen, because the machine slept, give one run. A failed run is
 * logged, and the next tick tries again.
 *
 * @returns after a stop, when the run under way has ended or 6.5 s have passed.
 * @throws what a run threw that no later run will mend: AuthenticationError, UsageError (see {@link Run}).
 * @throws ConfigurationError for a schedule that cannot be used; UsageError when the health port is taken.
 */
export async function runWorker({ signal, log, ...options }: WorkerOptions): Promise<void> {
  const sight = newSight()
  const fatal = Promise.withResolvers<never>()
  const ticks = createTicks(options.schedule, options.timeZone)
  const runs = createRuns({ run: options.run, ticks, sight, log, onFatal: fatal.reject })
  const dispatch = createDispatch({ ticks, runs, sight, log, signal })

  await using open = new AsyncDisposableStack()
  if (options.healthPort !== null) {
    const endpoint = open.use(await listenForHealth(options.healthPort, () => judge(sight)))
    log('info', `health is answered at ${endpoint.url}`)
  }
  open.defer(async () => {
    await atMost(LONGEST_GOODBYE_MS, runs.current)
    if (runs.current !== null)
      log('warn', 'the run under way did not end in time; the database rolls it back')
  })
  open.defer(watchClock(() => dispatch.clockJumped()))
  open.defer(() => ticks.stop())
  ticks.listen(dispatch)
  ticks.start()
  log('info', `the worker runs now, and then at ${ticks.next(1)[0]?.toISOString()}`, {
    schedule: options.schedule,
    time_zone: options.timeZone,
  })
  void dispatch.tick(new Date())
  await Promise.race([fatal.promise, aborted(signal)])
}

async function atMost(milliseconds: number, work: Promise<void> | null): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  const timer = setTimeout(resolve, milliseconds)
  await Promise.race([work, promise])
  clearTimeout(timer)
}
