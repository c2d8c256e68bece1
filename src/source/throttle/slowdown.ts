/** Says that the service slows the run down, how much and until when: a line when it begins to matter, one when it is over. */
import type { RateLimitState } from './rate-limit-state.ts'

/** The pace while the service rejects requests, as a person reads it. */
export interface Slowdown {
  /** Starts; null when only the rejected requests wait. */
  readonly requests_per_second: number | null
  readonly requests_at_once: number
  /** The end of the pause that the service asked for; null when it named none, or that has passed. */
  readonly until: Date | null
}

export interface SlowdownReporter {
  readonly current: Slowdown | null
  onRejection(state: RateLimitState): void
  /** The service asked for a pause, and no request starts before its end. */
  onPause(state: RateLimitState, ms: number): void
  onResponse(state: RateLimitState): void
}

export interface SlowdownReporterOptions {
  readonly clock: { now(): number }
  readonly log: (level: 'info', message: string, fields: object) => void
}

/** So long it must go on, or a pause take, before it is worth a line. */
const MIN_REPORTED_MS = 3000
/** So long nothing must be rejected before it is over: a limit that holds is probed about as often. */
const QUIET_MS = 35_000
/** A further pause of this length is worth a line of its own. */
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
      `The service slows the run down: it refused ${rejected} ${rejected === 1 ? 'request' : 'requests'}. ${describeLimits(state, now)}${until}`,
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
      // The same pause is named in the answers to all requests that were under way.
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
    return `About ${Math.max(1, Math.round(share.slow * 100))} % are refused at random; each of them is asked again by itself.`
  if (now.requests_per_second === null) return `It is asked for at most ${now.requests_at_once} at once.`
  return `It is asked for at most ${now.requests_per_second} a second, ${now.requests_at_once} at once; more is tried every 30 s.`
}
