/** Keeps the requests of a source to the pace that its answers teach (pace.ts): how many at once, and when one may start. */
import type { LimitFunction } from 'p-limit'
import { ContractError, KeyRefusedError, NotFoundError } from '../errors.ts'
import type { Gate } from './gate.ts'
import {
  afterAnswer,
  afterRefusal,
  afterStart,
  afterStrain,
  firstPace,
  type Pace,
  type Start,
  waitBeforeStart,
} from './pace.ts'
import { readRetryAfter } from './retry-after.ts'
import { type Silence, watchSilence } from './silence.ts'
import { PassingStatusError } from './status.ts'
import { TooSlowError } from './too-slow.ts'
import { sleep } from './wait.ts'

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
  /** For how long the service has refused every request, in ms; 0 when it has not. */
  closedMs(): number
  /** Waits until the gate is open and one more request may start; throws as the gate does. */
  start(): Promise<Start>
  /** The request has ended, with an answer (null) or an error. */
  ended(start: Start, error: unknown): void
  readonly silence: Silence
}

export interface PacingOptions {
  readonly places: LimitFunction
  readonly gate: Gate
  readonly requestTimeoutMs: number
  readonly log: (level: 'debug', message: string, fields?: object) => void
}

export function startPacing({ places, gate, requestTimeoutMs, log }: PacingOptions): Pacing {
  let pace = firstPace(places.concurrency, performance.now())
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
    turn(afterStrain(pace, { at: lastStart }, performance.now()), why)
  })
  return {
    get now() {
      return shown(pace)
    },
    closedMs: () => (pace.closedSince === null ? 0 : performance.now() - pace.closedSince),
    start: async () => {
      let waited = false
      for (;;) {
        await gate.pass()
        lastStart = performance.now()
        const left = waitBeforeStart(pace, lastStart)
        if (left === 0) break
        waited = true
        await sleep(Math.min(Math.ceil(left), LONGEST_NAP_MS), gate.signal)
      }
      pace = afterStart(pace, lastStart)
      return { at: lastStart, waited }
    },
    ended: (start, error) => {
      const now = performance.now()
      if (isAnswer(error)) turn(afterAnswer(pace, start, now), 'the service answers')
      else if (error instanceof TooSlowError) turn(afterStrain(pace, start, now), 'a request took too long')
      else if (error instanceof PassingStatusError && (error.status === 429 || error.status === 503)) {
        const pause = readRetryAfter(error.retryAfter, error.serviceDate, Date.now()) ?? 0
        turn(afterRefusal(pace, start, now, pause), `the service answers ${error.status}`)
      }
    },
    silence,
    [Symbol.dispose]: () => silence[Symbol.dispose](),
  }
}

/** An answer that says no for good is one too: the service had the time for it. */
function isAnswer(error: unknown): boolean {
  if (error === null) return true
  return error instanceof ContractError || error instanceof NotFoundError || error instanceof KeyRefusedError
}

function isNotable(said: Pace, next: Pace): boolean {
  if (next.halvedAt !== said.halvedAt) return true
  const isQuicker = next.rate > said.rate * NOTABLE_CHANGE
  return isQuicker || (next.places === next.most && said.places < next.most)
}

function shown({ places, rate }: Pace): ShownPace {
  return {
    requests_at_once: places,
    requests_per_second: rate === Infinity ? null : Number(rate.toPrecision(3)),
  }
}
