/** Logs when the service slows the run down, by how much and until when; and when that is over. */
import type { RateLimitState } from './rate-limit-state.ts'

/** The limits while the service rejects requests, rounded for people. */
export interface Slowdown {
  /** Null when only the rejected requests wait. */
  readonly requests_per_second: number | null
  readonly requests_at_once: number
  /** The end of the pause that the service named; null without one. */
  readonly until: Date | null
}

export interface SlowdownReporter {
  readonly current: Slowdown | null
  onRejection(state: RateLimitState): void
  /** All requests are paused for so many ms. */
  onPause(state: RateLimitState, ms: number): void
  onResponse(state: RateLimitState): void
}

export interface SlowdownReporterOptions {
  readonly clock: { now(): number }
  readonly log: (level: 'info', message: string, fields: object) => void
}

/** Shorter slowdowns and pauses are not logged. */
const MIN_REPORTED_MS = 3000
/** A slowdown is over after so long without a rejection: longer than the interval between two probes. */
const QUIET_MS = 35_000
/** During a slowdown, only pauses of this length are logged. */
const LONG_PAUSE_MS = 30_000

export function createSlowdownReporter({ clock, log }: SlowdownReporterOptions): SlowdownReporter {
  let since: number | null = null
  let isReported = false
  let rejected = 0
  let lastRejectionAt = 0
  let pausedUntil = 0
  let last: RateLimitState | null = null

  function slowdown(state: RateLimitState): Slowdown {
    const leftMs = pausedUntil - clock.now()
    return {
      requests_per_second: state.rate > 999 ? null : Number(state.rate.toPrecision(2)),
      requests_at_once: state.concurrency,
      until: leftMs > 0 ? new Date(Date.now() + leftMs) : null,
    }
  }

  function report(state: RateLimitState): void {
    isReported = true
    const now = slowdown(state)
    const until = now.until === null ? '' : ` It asks to wait until ${now.until.toISOString()}.`
    log(
      'info',
      `The service slows the run down: it rejected ${rejected} ${rejected === 1 ? 'request' : 'requests'}. ${describeLimits(state, now)}${until}`,
      now,
    )
  }

  return {
    get current() {
      return since === null || last === null || !isReported ? null : slowdown(last)
    },
    onRejection: (state) => {
      last = state
      lastRejectionAt = clock.now()
      since ??= lastRejectionAt
      rejected += 1
      if (!isReported && lastRejectionAt - since >= MIN_REPORTED_MS) report(state)
    },
    onPause: (state, ms) => {
      const until = clock.now() + ms
      // The responses to all requests in flight name the same pause.
      const isNew = until > pausedUntil + MIN_REPORTED_MS
      pausedUntil = Math.max(pausedUntil, until)
      if (isNew && ms >= (isReported ? LONG_PAUSE_MS : MIN_REPORTED_MS)) report(state)
    },
    onResponse: (state) => {
      if (since === null) return
      last = state
      if (state.rate !== Infinity || clock.now() - lastRejectionAt < QUIET_MS) return
      const seconds = Math.round((lastRejectionAt - since) / 1000)
      const line = `The service no longer slows the run down; it did so for ${seconds} s.`
      if (isReported) log('info', line, { rejected })
      since = null
      isReported = false
      rejected = 0
    },
  }
}

function describeLimits({ share }: RateLimitState, now: Slowdown): string {
  if (share.isRandom)
    return `About ${Math.max(1, Math.round(share.slow * 100))} % are rejected at random; each is retried on its own.`
  if (now.requests_per_second === null) return `At most ${now.requests_at_once} requests are sent at once.`
  return `At most ${now.requests_per_second} requests a second are sent, ${now.requests_at_once} at once; more is tried every 30 s.`
}
