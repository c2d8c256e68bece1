/** Whether a failed request is tried again, and when. Pure: clock, chance and counts come in as arguments. */
import { hasRetryLeft, type Spent } from './retry-budget.ts'
import { mostInARow } from '../throttle/rejection-share.ts'
import type { Turn } from './rejected-request.ts'
import { readRetryAfter } from './retry-after.ts'

export const MOST_TRIES = 3
/** Of one request that has no queue to go back to. */
export const MOST_REFUSALS = 10
/** While a share of all requests is refused at random: a request that meets with more is not one of them. */
const UNLUCKY = 0.00001
const FIRST_WAIT_MS = 250
const LONGEST_WAIT_MS = 10_000
export const LONGEST_PAUSE_MS = 15 * 60_000

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
  readonly turn: Turn
  /** Pages of the same list that are here already. */
  readonly pages: number
  /** Other requests were answered since this one was first refused. */
  readonly othersAnswered: boolean
  /** The share of requests that is refused at random; null when refusals are not random. */
  readonly randomShare: number | null
}

/**
 * `pause` is what the service asked for with `Retry-After`, in ms. It holds for every request, tried again or not;
 * when the refusal `isAlone`, only for the one that was refused.
 */
export type Decision = { readonly pause: number; readonly isAlone: boolean } & (
  | { readonly wait: number }
  | { readonly giveUp: 'final' | 'tries' | 'budget' | 'paused' | 'refusals' | 'deferred' | 'closed' }
)

/** Statuses that may pass by themselves. 501 and 505 say that the service will never do this: they do not. */
export function isPassingStatus(status: number): boolean {
  if (status === 408 || status === 425 || status === 429) return true
  return status >= 500 && status <= 599 && status !== 501 && status !== 505
}

export function decide(failure: Failure): Decision {
  const { outcome } = failure
  const mayPass = 'status' in outcome ? isPassingStatus(outcome.status) : outcome.retryable
  if (!mayPass) return { pause: 0, isAlone: false, giveUp: 'final' }
  const pause = readRetryAfter(failure.retryAfter, failure.serviceDate, failure.now) ?? 0
  const refused = isRefusal(failure)
  const asked = { pause, isAlone: refused && isAlone(failure) }
  const isTooLong = pause > (failure.runLeftMs ?? LONGEST_PAUSE_MS)
  if (isTooLong)
    return { ...asked, giveUp: !asked.isAlone ? 'paused' : isQueued(failure) ? 'deferred' : 'refusals' }
  // With a run deadline, that ends a run which gets nothing.
  if (failure.closedMs > LONGEST_PAUSE_MS && failure.runLeftMs === null) return { ...asked, giveUp: 'closed' }
  if (refused) {
    if (failure.refusals >= mostRefusals(failure))
      return { ...asked, giveUp: isQueued(failure) ? 'deferred' : 'refusals' }
    // The pace spaces the requests of this run; chance keeps them apart from those of others.
    return { ...asked, wait: pause + jitter(1, failure.random) }
  }
  if (failure.tries >= MOST_TRIES) return { ...asked, giveUp: 'tries' }
  if (!hasRetryLeft(failure.counts)) return { ...asked, giveUp: 'budget' }
  return { ...asked, wait: pause + jitter(failure.tries, failure.random) }
}

/**
 * Whether a refusal concerns only the request that was refused. The first one concerns all, for it may be the rate;
 * not when the event was sent to the back of the queue before, when others were answered since its first refusal,
 * or when requests are refused at random.
 */
function isAlone({ turn, othersAnswered, randomShare }: Failure): boolean {
  return turn === 'again' || othersAnswered || randomShare !== null
}

function isQueued({ turn }: Failure): boolean {
  return turn !== 'only'
}

/** After so many refusals the request is given up, or goes (again) to the back of the queue. */
function mostRefusals({ turn, pages, randomShare }: Failure): number {
  if (turn === 'only') {
    return Math.max(MOST_REFUSALS, randomShare === null ? 0 : mostInARow(randomShare, UNLUCKY))
  }
  // Pages that are here already are worth a second try; they would have to be read again.
  return turn === 'again' && pages === 0 ? 1 : mostInARow(randomShare ?? 0)
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
