/** Logs when the service slows the run down, by how much and until when; and when that is over. */
import type { Clock } from './clock.ts'
import type { RateLimitState } from './rate-limit-state.ts'

/** The limits while the service rejects requests, rounded for people. */
export interface Slowdown {
  /** Null when only the rejected requests wait. */
  readonly requests_per_second: number | null
  readonly requests_at_once: number
  /** The end of the pause that the service named; null without one. */
  readonly until: Date | null
}

/** Shorter slowdowns and pauses are not logged. */
const MIN_REPORTED_MS = 3000
/** A slowdown is over after so long without a rejection: longer than the interval between two probes. */
const QUIET_MS = 35_000
/** During a slowdown, only pauses of this length are logged. */
const LONG_PAUSE_MS = 30_000

interface ReporterOptions {
  readonly clock: Pick<Clock, 'now'>
  readonly log: (level: 'info', message: string, fields: object) => void
}

export class SlowdownReporter {
  readonly #options: ReporterOptions
  #since: number | null = null
  #isReported = false
  #rejected = 0
  #lastRejectionAt = 0
  #pausedUntil = 0
  #last: RateLimitState | null = null

  constructor(options: ReporterOptions) {
    this.#options = options
  }

  get current(): Slowdown | null {
    return this.#since === null || this.#last === null || !this.#isReported
      ? null
      : this.#slowdown(this.#last)
  }

  onRejection(state: RateLimitState): void {
    this.#last = state
    this.#lastRejectionAt = this.#options.clock.now()
    this.#since ??= this.#lastRejectionAt
    this.#rejected += 1
    if (!this.#isReported && this.#lastRejectionAt - this.#since >= MIN_REPORTED_MS) this.#report(state)
  }

  /** All requests are paused for so many ms. */
  onPause(state: RateLimitState, ms: number): void {
    const until = this.#options.clock.now() + ms
    // The responses to all requests in flight name the same pause.
    const isNew = until > this.#pausedUntil + MIN_REPORTED_MS
    this.#pausedUntil = Math.max(this.#pausedUntil, until)
    if (isNew && ms >= (this.#isReported ? LONG_PAUSE_MS : MIN_REPORTED_MS)) this.#report(state)
  }

  onResponse(state: RateLimitState): void {
    if (this.#since === null) return
    this.#last = state
    if (state.rate !== Infinity || this.#options.clock.now() - this.#lastRejectionAt < QUIET_MS) return
    const seconds = Math.round((this.#lastRejectionAt - this.#since) / 1000)
    const line = `The service no longer slows the run down; it did so for ${seconds} s.`
    if (this.#isReported) this.#options.log('info', line, { rejected: this.#rejected })
    this.#since = null
    this.#isReported = false
    this.#rejected = 0
  }

  #slowdown(state: RateLimitState): Slowdown {
    const leftMs = this.#pausedUntil - this.#options.clock.now()
    return {
      requests_per_second: state.rate > 999 ? null : Number(state.rate.toPrecision(2)),
      requests_at_once: state.concurrency,
      until: leftMs > 0 ? new Date(Date.now() + leftMs) : null,
    }
  }

  #report(state: RateLimitState): void {
    this.#isReported = true
    const now = this.#slowdown(state)
    const count = this.#rejected
    const until = now.until === null ? '' : ` It asks to wait until ${now.until.toISOString()}.`
    this.#options.log(
      'info',
      `The service slows the run down: it rejected ${count} ${count === 1 ? 'request' : 'requests'}. ${describeLimits(state, now)}${until}`,
      now,
    )
  }
}

function describeLimits({ share }: RateLimitState, now: Slowdown): string {
  if (share.isRandom)
    return `About ${Math.max(1, Math.round(share.slow * 100))} % are rejected at random; each is retried on its own.`
  if (now.requests_per_second === null) return `At most ${now.requests_at_once} requests are sent at once.`
  return `At most ${now.requests_per_second} requests a second are sent, ${now.requests_at_once} at once; more is tried every 30 s.`
}
