/** Says that the service slows the run down, how much and until when: a line when it begins to matter, one when it is over. */
import type { Pace } from './rate-limit-state.ts'

/** The pace while the service refuses requests, as a person reads it. */
export interface Slowdown {
  /** Starts; null when only the refused requests wait. */
  readonly requests_per_second: number | null
  readonly requests_at_once: number
  /** The end of the pause that the service asked for; null when it named none, or that has passed. */
  readonly until: Date | null
}

export interface SlowdownNotice {
  readonly now: Slowdown | null
  refused(pace: Pace): void
  /** The service asked for a pause, and no request starts before its end. */
  paused(pace: Pace, ms: number): void
  answered(pace: Pace): void
}

export interface SlowdownOptions {
  readonly clock: { now(): number }
  readonly log: (level: 'info', message: string, fields: object) => void
}

/** So long it must go on, or a pause take, before it is worth a line. */
const WORTH_A_LINE_MS = 3000
/** So long nothing must be refused before it is over: a limit that holds is probed about as often. */
const OVER_MS = 35_000
/** A further pause of this length is worth a line of its own. */
const LONG_PAUSE_MS = 30_000

export function noticeSlowdown({ clock, log }: SlowdownOptions): SlowdownNotice {
  let since: number | null = null
  let isTold = false
  let refused = 0
  let lastRefusal = 0
  let pausedUntil = 0
  let last: Pace | null = null

  function slowdown(pace: Pace): Slowdown {
    const leftMs = pausedUntil - clock.now()
    return {
      requests_per_second: pace.rate > 999 ? null : Number(pace.rate.toPrecision(2)),
      requests_at_once: pace.places,
      until: leftMs > 0 ? new Date(Date.now() + leftMs) : null,
    }
  }

  function tell(pace: Pace): void {
    isTold = true
    const now = slowdown(pace)
    const until = now.until === null ? '' : ` It asks to wait until ${now.until.toISOString()}.`
    log(
      'info',
      `The service slows the run down: it refused ${refused} ${refused === 1 ? 'request' : 'requests'}. ${paceOf(pace, now)}${until}`,
      now,
    )
  }

  return {
    get now() {
      return since === null || last === null || !isTold ? null : slowdown(last)
    },
    refused: (pace) => {
      last = pace
      lastRefusal = clock.now()
      since ??= lastRefusal
      refused += 1
      if (!isTold && lastRefusal - since >= WORTH_A_LINE_MS) tell(pace)
    },
    paused: (pace, ms) => {
      const until = clock.now() + ms
      // The same pause is named in the answers to all requests that were under way.
      const isNew = until > pausedUntil + WORTH_A_LINE_MS
      pausedUntil = Math.max(pausedUntil, until)
      if (isNew && ms >= (isTold ? LONG_PAUSE_MS : WORTH_A_LINE_MS)) tell(pace)
    },
    answered: (pace) => {
      if (since === null) return
      last = pace
      const now = clock.now()
      if (pace.rate !== Infinity || now - lastRefusal < OVER_MS) return
      if (isTold)
        log(
          'info',
          `The service no longer slows the run down; it did so for ${Math.round((lastRefusal - since) / 1000)} s.`,
          { refused },
        )
      since = null
      isTold = false
      refused = 0
    },
  }
}

function paceOf({ share }: Pace, now: Slowdown): string {
  if (share.isRandom)
    return `About ${Math.max(1, Math.round(share.slow * 100))} % are refused at random; each of them is asked again by itself.`
  if (now.requests_per_second === null) return `It is asked for at most ${now.requests_at_once} at once.`
  return `It is asked for at most ${now.requests_per_second} a second, ${now.requests_at_once} at once; more is tried every 30 s.`
}
