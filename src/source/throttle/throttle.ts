/** Applies the rate limit (rate-limit.ts) to the requests to a service: how many at once, and when one may start. */
import { Availability, isResponse } from './availability.ts'
import type { Clock } from './clock.ts'
import type { Pauses } from './pause.ts'
import type { PauseGate } from './pause-gate.ts'
import { afterResponse, afterRejection, afterStart, afterOverload, delayBeforeStart } from './rate-limit.ts'
import { initialState, type RateLimitState, type RequestStart } from './rate-limit-state.ts'
import type { QueueState } from '../retry/rejected-request.ts'
import { readRetryAfter } from '../retry/retry-after.ts'
import { SlowdownReporter, type Slowdown } from './slowdown.ts'
import { type StallDetector, createStallDetector } from './stall-detector.ts'
import { TransientStatusError } from '../http/status.ts'
import { RequestTimeoutError } from '../timeouts/request-timeout.ts'

/** The limit on one sleep: the rate may rise while a request waits. */
const MAX_SLEEP_MS = 250
/** The service has stalled after a silence of this share of the request time-out. */
const STALL_SHARE = 1 / 6
/** Smaller changes are not logged. */
const NOTABLE_CHANGE = 1.25

/** The current limits, rounded for people. */
export interface ThrottleSnapshot {
  readonly requests_at_once: number
  /** Null without a rate limit. */
  readonly requests_per_second: number | null
}

/** A request that has started, and for which source. */
export interface StartedRequest extends RequestStart {
  readonly source: PauseGate
}

export interface ThrottleOptions {
  /** Limits the concurrent requests; the throttle changes its size. */
  readonly permits: { concurrency: number }
  readonly pauses: Pauses
  readonly requestTimeoutMs: number
  readonly clock: Clock
  readonly log: (level: 'debug' | 'info', message: string, fields?: object) => void
}

export class Throttle implements Disposable {
  readonly stallDetector: StallDetector
  readonly availability = new Availability()
  readonly #options: ThrottleOptions
  readonly #slowdownReporter: SlowdownReporter
  #state: RateLimitState
  /** The state that was logged last. */
  #logged: RateLimitState
  #lastStart = -Infinity
  #responses = 0
  /** The last response, and the last one to another source than that. */
  #lastResponses: readonly { readonly source: PauseGate; readonly at: number }[] = []

  constructor(options: ThrottleOptions) {
    const { permits, requestTimeoutMs, clock } = options
    this.#options = options
    this.#state = initialState(permits.concurrency, clock.now())
    this.#logged = this.#state
    this.#slowdownReporter = new SlowdownReporter(options)
    this.stallDetector = createStallDetector(requestTimeoutMs * STALL_SHARE, (silentMs, sources) => {
      // guard: silence of one account
      if (this.availability.isShared && sources === 1) return
      const why = `no answer has begun for ${Math.round(silentMs)} ms`
      this.#setState(afterOverload(this.#state, { at: this.#lastStart }, clock.now()), why)
    })
  }

  get snapshot(): ThrottleSnapshot {
    return snapshotOf(this.#state)
  }

  /** Null unless rejections slow the requests down. */
  get slowdown(): Slowdown | null {
    return this.#slowdownReporter.current
  }

  /** For how long the service has rejected every request; 0 when it does not. */
  rejectingForMs(): number {
    const { rejectingSince } = this.#state
    return rejectingSince === null ? 0 : this.#options.clock.now() - rejectingSince
  }

  /** How many requests got a response other than a rejection. */
  get responses(): number {
    return this.#responses
  }

  /** The share of requests that is rejected at random; null when rejections are not random. */
  get randomShare(): number | null {
    const { share } = this.#state
    return share.isRandom ? share.slow : null
  }

  /** Waits until one more request may start. @throws as the pause gate of its source does */
  async waitForStart(source: PauseGate): Promise<StartedRequest> {
    for (;;) {
      await source.wait()
      const start = await this.waitUnlessPaused(source)
      if (start !== null) return start
    }
  }

  /** The same, or null as soon as the source must wait for a pause: it holds a permit that others need meanwhile. */
  async waitUnlessPaused(source: PauseGate): Promise<StartedRequest | null> {
    const { clock } = this.#options
    let wasDelayed = false
    for (;;) {
      source.signal.throwIfAborted()
      // guard: requests in a pause
      if (source.mustWait) return null
      this.#lastStart = clock.now()
      const left = delayBeforeStart(this.#state, this.#lastStart)
      if (left === 0) break
      wasDelayed = true
      await clock.sleep(Math.min(Math.ceil(left), MAX_SLEEP_MS), source.signal)
    }
    this.#state = afterStart(this.#state, this.#lastStart)
    return { at: this.#lastStart, wasDelayed, source }
  }

  /** The request has ended with a response (null) or an error. */
  onEnd(start: StartedRequest, error: unknown, queueState: QueueState): void {
    const now = this.#options.clock.now()
    this.availability.onEnd(error, start.source)
    if (isResponse(error)) {
      this.#responses += 1
      this.#options.pauses.onAnswer()
      this.#noteResponse(start.source, now)
      this.#setState(afterResponse(this.#state, start, now), 'the service answers')
      this.#slowdownReporter.onResponse(this.#state)
    } else if (error instanceof RequestTimeoutError && !this.#answeredOthersSince(start))
      this.#setState(afterOverload(this.#state, start, now), 'a request took too long')
    else if (error instanceof TransientStatusError && (error.status === 429 || error.status === 503)) {
      const pause = readRetryAfter(error.retryAfter, error.serviceDate, Date.now()) ?? 0
      // The service rejects this event and answers others: its rejections say nothing about the rate.
      if (queueState !== 'requeued')
        this.#setState(afterRejection(this.#state, start, now, pause), `the service answers ${error.status}`)
      this.#slowdownReporter.onRejection(this.#state)
    }
  }

  /** The service asks one account for a pause of so many ms. */
  pauseFor(ms: number, source: PauseGate): void {
    if (source.pauseFor(ms)) this.#slowdownReporter.onPause(this.#state, ms)
  }

  [Symbol.dispose](): void {
    this.stallDetector[Symbol.dispose]()
  }

  #noteResponse(source: PauseGate, at: number): void {
    const [other] = this.#lastResponses.filter((last) => last.source !== source)
    this.#lastResponses = [{ source, at }, ...(other === undefined ? [] : [other])]
  }

  /** Others were answered meanwhile: the account is slow, and not the service. */
  #answeredOthersSince({ source, at }: StartedRequest): boolean {
    // guard: slow account
    return this.#lastResponses.some((last) => last.source !== source && last.at >= at)
  }

  #setState(next: RateLimitState, why: string): void {
    const { permits, log } = this.#options
    this.#state = next
    if (permits.concurrency !== next.concurrency) permits.concurrency = next.concurrency
    if (!isNotableChange(this.#logged, next)) return
    this.#logged = next
    log('debug', `The rate limit changes: ${why}.`, snapshotOf(next))
  }
}

function isNotableChange(reported: RateLimitState, next: RateLimitState): boolean {
  if (next.concurrency < reported.concurrency || next.rate < reported.rate / NOTABLE_CHANGE) return true
  const isQuicker = next.rate > reported.rate * NOTABLE_CHANGE
  return isQuicker || (next.concurrency === next.maxConcurrency && reported.concurrency < next.maxConcurrency)
}

function snapshotOf({ concurrency, rate }: RateLimitState): ThrottleSnapshot {
  return {
    requests_at_once: concurrency,
    requests_per_second: rate === Infinity ? null : Number(rate.toPrecision(3)),
  }
}
