/** Whether a failed request is tried again, and when. Pure: clock, chance and counts come in as arguments. */
import { hasRetryLeft, type Spent } from './budget.ts'
import { readRetryAfter } from './retry-after.ts'

export const MOST_TRIES = 3
export const MOST_REFUSALS = 10
const FIRST_WAIT_MS = 250
const LONGEST_WAIT_MS = 10_000
const LONGEST_PAUSE_MS = 15 * 60_000

export interface Failure {
  /** The status answered, or whether the error that came instead of an answer may pass by itself. */
  readonly outcome: { readonly status: number } | { readonly retryable: boolean }
  /** How often this request has failed, this time included: by being refused, and otherwise. */
  readonly refusals: number
  readonly tries: number
  /** The headers `Retry-After` and `Date` of the answer, as sent. */
  readonly retryAfter: string | null
  readonly serviceDate: string | null
  /** From 0 to below 1. */
  readonly random: number
  /** The wall clock, ms since 1970. */
  readonly now: number
  /** What is left of the run's deadline; null when there is none. */
  readonly runLeftMs: number | null
  readonly counts: Spent
  /** For how long the service has refused every request, in ms. */
  readonly closedMs: number
}

/** `pause` is what the service asked for with `Retry-After`, in ms: it holds for every request, tried again or not. */
export type Decision = { readonly pause: number } & (
  | { readonly wait: number }
  | { readonly giveUp: 'final' | 'tries' | 'budget' | 'paused' | 'refusals' | 'closed' }
)

/** Statuses that may pass by themselves. 501 and 505 say that the service will never do this: they do not. */
export function isPassingStatus(status: number): boolean {
  if (status === 408 || status === 425 || status === 429) return true
  return status >= 500 && status <= 599 && status !== 501 && status !== 505
}

export function decide(failure: Failure): Decision {
  const { outcome } = failure
  const mayPass = 'status' in outcome ? isPassingStatus(outcome.status) : outcome.retryable
  if (!mayPass) return { pause: 0, giveUp: 'final' }
  const asked = readRetryAfter(failure.retryAfter, failure.serviceDate, failure.now)
  const pause = asked ?? 0
  if (pause > (failure.runLeftMs ?? LONGEST_PAUSE_MS)) return { pause, giveUp: 'paused' }
  // With a run deadline, that ends a run which gets nothing.
  if (failure.closedMs > LONGEST_PAUSE_MS && failure.runLeftMs === null) return { pause, giveUp: 'closed' }
  if (isRefusal(failure)) {
    if (failure.refusals >= MOST_REFUSALS) return { pause, giveUp: 'refusals' }
    // The pace spaces the requests of this run; chance keeps them apart from those of others.
    return { pause, wait: pause + jitter(1, failure.random) }
  }
  if (failure.tries >= MOST_TRIES) return { pause, giveUp: 'tries' }
  if (!hasRetryLeft(failure.counts)) return { pause, giveUp: 'budget' }
  return { pause, wait: pause + jitter(failure.tries, failure.random) }
}

/** Whether the service said that it is asked too much, and nothing is wrong with it: 429, or 503 and when to come back. */
export function isRefusal(answer: Pick<Failure, 'outcome' | 'retryAfter' | 'serviceDate' | 'now'>): boolean {
  const { outcome, retryAfter, serviceDate, now } = answer
  if (!('status' in outcome)) return false
  return (
    outcome.status === 429 ||
    (outcome.status === 503 && readRetryAfter(retryAfter, serviceDate, now) !== null)
  )
}

/** Full jitter: anything from nothing to the doubled bound, so that requests that failed together come back apart. */
function jitter(tries: number, random: number): number {
  return Math.floor(random * Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** (tries - 1)))
}
