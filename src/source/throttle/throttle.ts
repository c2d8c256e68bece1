/** Keeps the requests of a source to the pace that its answers teach (pace.ts): how many at once, and when one may start. */
import type { LimitFunction } from 'p-limit'
import { InvalidResponseError, AuthenticationError, NotFoundError } from '../../common/errors.ts'
import type { Clock } from '../../common/clock.ts'
import type { Gate } from './pause-gate.ts'
import { afterAnswer, afterRefusal, afterStart, afterStrain, waitBeforeStart } from './rate-limit.ts'
import { firstPace, type Pace, type Start } from './rate-limit-state.ts'
import type { Turn } from '../retry/rejected-request.ts'
import { readRetryAfter } from '../retry/retry-after.ts'
import { noticeSlowdown, type Slowdown } from './slowdown.ts'
import { type Silence, watchSilence } from './stall-detector.ts'
import { PassingStatusError } from '../http/status.ts'
import { TooSlowError } from '../timeouts/request-timeout-error.ts'

/** A nap at the longest: the pace may quicken while a request waits. */
const LONGEST_NAP_MS = 250
/** Of the time that a request may take: after so long a silence the service has stalled. */
const SILENT_SHARE = 1 / 6
/** Not every small change is worth a line in the log. */
const NOTABLE_CHANGE = 1.25

/** The pace as a person reads it. */
export interface ShownPace {
  readonly requests_at_once: number
  /** Starts; null when there is no least interval between them. */
  readonly requests_per_second: number | null
}

export interface Pacing extends Disposable {
  readonly now: ShownPace
  /** While the service refuses requests so that it matters; else null. */
  readonly slowdown: Slowdown | null
  /** For how long the service has refused every request, in ms; 0 when it has not. */
  closedMs(): number
  /** How many requests were answered, with whatever but a refusal. */
  readonly answers: number
  /** The share of requests that is refused at random; null when refusals are not random. */
  readonly randomShare: number | null
  /** Waits until the gate is open and one more request may start; throws as the gate does. */
  start(): Promise<Start>
  /** The request has ended, with an answer (null) or an error. */
  ended(start: Start, error: unknown, turn: Turn): void
  /** No request starts for so many ms: the service asked for it. */
  paused(ms: number): void
  readonly silence: Silence
}

export interface PacingOptions {
  readonly places: LimitFunction
  readonly gate: Gate
  readonly requestTimeoutMs: number
  readonly clock: Clock
  readonly log: (level: 'debug' | 'info', message: string, fields?: object) => void
}

export function startPacing({ places, gate, requestTimeoutMs, clock, log }: PacingOptions): Pacing {
  let pace = firstPace(places.concurrency, clock.now())
  let answers = 0
  const notice = noticeSlowdown({ clock, log })
  let said = pace
  let lastStart = -Infinity
  const turn = (next: Pace, why: string): void => {
    pace = next
    if (places.concurrency !== next.places) places.concurrency = next.places
    if (!isNotable(said, next)) return
    said = next
    log('debug', `The pace changes: ${why}.`, shown(next))
  }
  const silence = watchSilence(requestTimeoutMs * SILENT_SHARE, (silentMs) => {
    const why = `no answer has begun for ${Math.round(silentMs)} ms`
    turn(afterStrain(pace, { at: lastStart }, clock.now()), why)
  })
  return {
    get now() {
      return shown(pace)
    },
    get slowdown() {
      return notice.now
    },
    closedMs: () => (pace.closedSince === null ? 0 : clock.now() - pace.closedSince),
    get answers() {
      return answers
    },
    get randomShare() {
      return pace.share.isRandom ? pace.share.slow : null
    },
    start: async () => {
      let waited = false
      for (;;) {
        await gate.pass()
        lastStart = clock.now()
        const left = waitBeforeStart(pace, lastStart)
        if (left === 0) break
        waited = true
        await clock.sleep(Math.min(Math.ceil(left), LONGEST_NAP_MS), gate.signal)
      }
      pace = afterStart(pace, lastStart)
      return { at: lastStart, waited }
    },
    ended: (start, error, of) => {
      const now = clock.now()
      if (isAnswer(error)) {
        answers += 1
        turn(afterAnswer(pace, start, now), 'the service answers')
        notice.answered(pace)
      } else if (error instanceof TooSlowError) turn(afterStrain(pace, start, now), 'a request took too long')
      else if (error instanceof PassingStatusError && (error.status === 429 || error.status === 503)) {
        const pause = readRetryAfter(error.retryAfter, error.serviceDate, Date.now()) ?? 0
        // The refusals of an event that is refused while others are answered say nothing about the rate.
        if (of === 'again') return notice.refused(pace)
        turn(afterRefusal(pace, start, now, pause), `the service answers ${error.status}`)
        notice.refused(pace)
      }
    },
    paused: (ms) => {
      gate.closeFor(ms)
      notice.paused(pace, ms)
    },
    silence,
    [Symbol.dispose]: () => silence[Symbol.dispose](),
  }
}

/** An answer that says no for good is one too: the service had the time for it. */
function isAnswer(error: unknown): boolean {
  if (error === null) return true
  return (
    error instanceof InvalidResponseError ||
    error instanceof NotFoundError ||
    error instanceof AuthenticationError
  )
}

function isNotable(said: Pace, next: Pace): boolean {
  if (next.places < said.places || next.rate < said.rate / NOTABLE_CHANGE) return true
  const isQuicker = next.rate > said.rate * NOTABLE_CHANGE
  return isQuicker || (next.places === next.most && said.places < next.most)
}

function shown({ places, rate }: Pace): ShownPace {
  return {
    requests_at_once: places,
    requests_per_second: rate === Infinity ? null : Number(rate.toPrecision(3)),
  }
}
