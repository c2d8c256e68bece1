/**
 * Reads events from a service with a limit in simulated time: the policy is the program's own (the queue of events,
 * retries, pause gate, throttle); only the exchange of one request is played.
 */
import { Semaphore } from '../../src/common/semaphore.ts'
import { HeadcountError, InterruptedError } from '../../src/common/errors.ts'
import { throttled } from '../../src/source/http/send-request.ts'
import { Pauses } from '../../src/source/throttle/pause.ts'
import { PauseGate } from '../../src/source/throttle/pause-gate.ts'
import { Throttle } from '../../src/source/throttle/throttle.ts'
import type { QueueState } from '../../src/source/retry/rejected-request.ts'
import { noRequests } from '../../src/source/http/send-request.ts'
import { type RetryContext, withRetries } from '../../src/source/retry/with-retries.ts'
import { TransientStatusError } from '../../src/source/http/status.ts'
import { forEachEvent } from '../../src/sync/fetch/for-each-event.ts'
import { PATIENCE_MS } from '../../src/sync/fetch/deferred-events.ts'
import type { Limit } from './limits.ts'
import { randomFrom, SimulatedClock } from './simulated-clock.ts'

export interface Scene {
  readonly limit: Limit
  /** Whether refusals carry `Retry-After`, in whole seconds. */
  readonly tellsWhen: boolean
  /** From the least to the most, there and back, in ms; three quarters of it the service works. */
  readonly latency?: readonly [number, number]
  readonly events: number
  /** The run is stopped then. */
  readonly untilMs?: number
  readonly seed?: number
  readonly pages?: number
  readonly patienceMs?: number
  readonly runTimeout?: boolean
  /** Ends the run when what has arrived is enough. */
  readonly isEnough?: (arrivals: readonly Arrival[]) => boolean
}

export interface Arrival {
  readonly at: number
  readonly isAllowed: boolean
}

export interface Played {
  /** Every request as it arrived. */
  readonly arrivals: readonly Arrival[]
  readonly read: number
  readonly failed: readonly { readonly event: string; readonly error: unknown }[]
  readonly endedAt: number
  /** Why reading ended before its end; null when it did not. */
  readonly stoppedBy: unknown
  readonly told: readonly { readonly at: number; readonly message: string }[]
}

const MOST_AT_ONCE = 8
const usual = [20, 80] as const

/** A service of which one request takes so long. */
export function serviceWith(clock: SimulatedClock, scene: Scene, signal: AbortSignal) {
  const { limit, tellsWhen, latency = usual, seed = 1 } = scene
  const random = randomFrom(seed)
  const arrivals: Arrival[] = []
  let open = 0
  /** In how many ms the request may come again; null when it was answered. */
  async function ask(path: string): Promise<{ readonly pause: string | null } | null> {
    const [least, most] = latency
    const eighth = (least + random() * (most - least)) / 8
    await clock.sleep(eighth, signal)
    const inMs = limit({ at: clock.now(), path, open })
    arrivals.push({ at: clock.now(), isAllowed: inMs === null })
    if (inMs === null) {
      open += 1
      await clock.sleep(6 * eighth, signal)
      open -= 1
    }
    await clock.sleep(eighth, signal)
    if (inMs === null) return null
    return { pause: tellsWhen ? String(Math.ceil(inMs / 1000)) : null }
  }
  return { ask, arrivals, random }
}

export async function play(scene: Scene): Promise<Played> {
  const clock = new SimulatedClock()
  const stopping = new AbortController()
  const { signal } = stopping
  const pauses = new Pauses(clock)
  const pauseGate = new PauseGate(signal, { pause: pauses.of('one'), clock })
  const all = new Semaphore(MOST_AT_ONCE)
  const permits = { ordinary: all.join(), ofLargeLists: new Semaphore(1).join() }
  const told: { at: number; message: string }[] = []
  const counts = noRequests()
  const log = (level: string, message: string): void => {
    if (level === 'info') told.push({ at: clock.now(), message })
  }
  const throttle = new Throttle({ permits: all, pauses, requestTimeoutMs: 60_000, clock, log })
  const service = serviceWith(clock, scene, signal)
  const context: RetryContext = {
    pauseGate,
    clock,
    throttle,
    counts,
    random: service.random,
    log,
    lifetime: {
      signal,
      remainingMs: () => (scene.runTimeout ? 1e12 : null),
      ageMs: () => clock.now(),
      [Symbol.dispose]: () => {},
    },
  }
  async function readList(path: string, queueState: QueueState): Promise<void> {
    for (let page = 0; page < (scene.pages ?? 1); page += 1) {
      const retrying = { queueState, pagesRead: page, onFailure: () => {} }
      const attempt = () =>
        throttled({ permits, pauseGate, throttle }, { spool: { isLarge: false }, queueState }, () =>
          request(`${path}/${page}`),
        )
      await withRetries(context, attempt, retrying)
    }
  }
  async function request(path: string): Promise<void> {
    counts.requests += 1
    const refusal = await service.ask(path)
    if (refusal === null) return
    const headers = refusal.pause === null ? {} : { 'retry-after': refusal.pause }
    throw new TransientStatusError(`GET ${path} was answered with 429`, 429, headers)
  }
  let read = 0
  const failed: { event: string; error: unknown }[] = []
  const events = Array.from({ length: scene.events }, (_, n) => `e${n}`)
  if (scene.untilMs !== undefined)
    clock.at(scene.untilMs, () => stopping.abort(new InterruptedError('enough')))
  const logger = {
    debug: log,
    info: (_: object, message: string) => log('info', message),
    warn: log,
    error: log,
  }
  await clock.run(
    forEachEvent(
      {
        settings: {
          outage: {},
          concurrency: MOST_AT_ONCE,
          logger: { ...logger, debug() {}, warn() {}, error() {} },
        },
        source: { counts },
        signal,
        stop: (reason) => stopping.abort(reason),
      },
      events,
      {
        read: async (event, answered, queueState) => {
          await readList(event, queueState)
          answered()
          read += 1
          if (scene.isEnough?.(service.arrivals) === true) stopping.abort(new InterruptedError('enough'))
        },
        before: () => undefined,
        failed: (event, error) => {
          if (!(error instanceof HeadcountError)) throw error
          failed.push({ event, error })
        },
        done: () => {},
        patienceMs: scene.patienceMs ?? PATIENCE_MS,
      },
      clock,
    ),
  )
  throttle[Symbol.dispose]()
  return {
    arrivals: service.arrivals,
    read,
    failed,
    endedAt: clock.now(),
    stoppedBy: signal.aborted ? signal.reason : null,
    told,
  }
}

/** Eight permits, each of which obeys `Retry-After` for itself and waits a moment where there is none. */
export async function playEightPlaces(
  scene: Scene & { readonly untilMs: number },
): Promise<Pick<Played, 'arrivals'>> {
  const clock = new SimulatedClock()
  const stopping = new AbortController()
  const service = serviceWith(clock, scene, stopping.signal)
  clock.at(scene.untilMs, () => stopping.abort(new InterruptedError('enough')))
  let next = 0
  const place = async (): Promise<void> => {
    for (;;) {
      const path = `e${(next += 1)}/0`
      for (let refusal = await service.ask(path); refusal !== null; refusal = await service.ask(path)) {
        await clock.sleep(Number(refusal.pause) * 1000 + service.random() * 250, stopping.signal)
      }
    }
  }
  await clock.run(Promise.allSettled(Array.from({ length: MOST_AT_ONCE }, place)))
  return { arrivals: service.arrivals }
}
