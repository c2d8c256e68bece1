/** Whether a failed request is tried again, and when. Pure: clock, chance and counts come in as arguments. */
import { maxConsecutive } from '../throttle/rejection-share.ts'
import type { QueueState } from './rejected-request.ts'
import { readRetryAfter } from './retry-after.ts'

export const MAX_ATTEMPTS = 3
/** Of one request that has no queue to go back to. */
export const MAX_REJECTIONS = 10
/** While a share of all requests is rejected at random: a request that meets with more is not one of them. */
const GIVE_UP_CHANCE = 0.00001
/** The budget of retries: a service in trouble is asked not much more than one in good health. */
const MIN_RETRIES = 3
const RETRY_SHARE_OF_REQUESTS = 0.1
const FIRST_WAIT_MS = 250
const MAX_WAIT_MS = 10_000
export const MAX_PAUSE_MS = 15 * 60_000

export interface FailedAttempt {
  /** The status answered, or whether the error that came instead of an answer may pass by itself. */
  readonly outcome: { readonly status: number } | { readonly retryable: boolean }
  /** How often this request has failed, this time included: by being rejected, and otherwise. */
  readonly rejections: number
  readonly attempts: number
  /** The headers `Retry-After` and `Date` of the answer, as sent. */
  readonly retryAfter: string | null
  readonly serviceDate: string | null
  /** From 0 to below 1. */
  readonly random: number
  /** The wall clock, ms since 1970. */
  readonly now: number
  /** What is left of the run's deadline; null when there is none. */
  readonly runRemainingMs: number | null
  readonly counts: RetryUsage
  /** For how long the service has rejected every request, in ms. */
  readonly rejectingForMs: number
  readonly queueState: QueueState
  /** Pages of the same list that are here already. */
  readonly pagesRead: number
  /** Other requests were answered since this one was first rejected. */
  readonly othersSucceeded: boolean
  /** The share of requests that is rejected at random; null when rejections are not random. */
  readonly randomShare: number | null
}

/**
 * `pause` is what the service asked for with `Retry-After`, in ms. It holds for every request, tried again or not;
 * when the rejection is `isAlone`, only for the one that was rejected.
 */
export type RetryDecision = { readonly pause: number; readonly isAlone: boolean } & (
  | { readonly wait: number }
  | { readonly giveUp: 'final' | 'attempts' | 'budget' | 'paused' | 'rejections' | 'deferred' | 'rejecting' }
)

/** Statuses that may pass by themselves. 501 and 505 say that the service will never do this: they do not. */
export function isTransientStatus(status: number): boolean {
  if (status === 408 || status === 425 || status === 429) return true
  return status >= 500 && status <= 599 && status !== 501 && status !== 505
}

export function retryDecision(failure: FailedAttempt): RetryDecision {
  const { outcome } = failure
  const mayPass = 'status' in outcome ? isTransientStatus(outcome.status) : outcome.retryable
  if (!mayPass) return { pause: 0, isAlone: false, giveUp: 'final' }
  const pause = readRetryAfter(failure.retryAfter, failure.serviceDate, failure.now) ?? 0
  const refused = isRejection(failure)
  const asked = { pause, isAlone: refused && isOnlyThisRequest(failure) }
  // guard: longest pause
  const isTooLong = pause > (failure.runRemainingMs ?? MAX_PAUSE_MS)
  if (isTooLong)
    return { ...asked, giveUp: !asked.isAlone ? 'paused' : isQueued(failure) ? 'deferred' : 'rejections' }
  // With a run deadline, that ends a run which gets nothing.
  if (failure.rejectingForMs > MAX_PAUSE_MS && failure.runRemainingMs === null)
    return { ...asked, giveUp: 'rejecting' }
  if (refused) {
    if (failure.rejections >= maxRejections(failure))
      return { ...asked, giveUp: isQueued(failure) ? 'deferred' : 'rejections' }
    // The pace spaces the requests of this run; chance keeps them apart from those of others.
    return { ...asked, wait: pause + jitteredWait(1, failure.random) }
  }
  if (failure.attempts >= MAX_ATTEMPTS) return { ...asked, giveUp: 'attempts' }
  if (!hasRetryBudget(failure.counts)) return { ...asked, giveUp: 'budget' }
  return { ...asked, wait: pause + jitteredWait(failure.attempts, failure.random) }
}

/**
 * Whether a rejection concerns only the request that was rejected. The first one concerns all, for it may be the rate;
 * not when the event was sent to the back of the queue before, when others were answered since its first rejection,
 * or when requests are rejected at random.
 */
function isOnlyThisRequest({ queueState, othersSucceeded, randomShare }: FailedAttempt): boolean {
  // guard: a pause of one event
  return queueState === 'requeued' || othersSucceeded || randomShare !== null
}

function isQueued({ queueState }: FailedAttempt): boolean {
  return queueState !== 'unqueued'
}

/** After so many rejections the request is given up, or goes (again) to the back of the queue. */
function maxRejections({ queueState, pagesRead, randomShare }: FailedAttempt): number {
  if (queueState === 'unqueued') {
    // guard: refusals
    return Math.max(MAX_REJECTIONS, randomShare === null ? 0 : maxConsecutive(randomShare, GIVE_UP_CHANCE))
  }
  // Pages that are here already are worth a second try; they would have to be read again.
  // guard: back of the queue
  return queueState === 'requeued' && pagesRead === 0 ? 1 : maxConsecutive(randomShare ?? 0)
}

/** Whether the service said that it is asked too much, and nothing is wrong with it: 429, or 503 and when to come back. */
export function isRejection(
  answer: Pick<FailedAttempt, 'outcome' | 'retryAfter' | 'serviceDate' | 'now'>,
): boolean {
  const { outcome, retryAfter, serviceDate, now } = answer
  if (!('status' in outcome)) return false
  return (
    outcome.status === 429 ||
    (outcome.status === 503 && readRetryAfter(retryAfter, serviceDate, now) !== null)
  )
}

/** Full jitter: anything from nothing to the doubled bound, so that requests that failed together come back apart. */
function jitteredWait(attempts: number, random: number): number {
  return Math.floor(random * Math.min(MAX_WAIT_MS, FIRST_WAIT_MS * 2 ** (attempts - 1)))
}

export interface RetryUsage {
  /** Every request sent, retries and rejected ones too. */
  readonly requests: number
  readonly retries: number
  /** Refused requests: asking them again costs no retry, and earns none. */
  readonly rejected: number
}

/** Whether a run that has sent so many requests may send one more retry. */
export function hasRetryBudget({ requests, retries, rejected: refused }: RetryUsage): boolean {
  // guard: retry budget
  return retries < Math.max(MIN_RETRIES, Math.floor((requests - refused) * RETRY_SHARE_OF_REQUESTS))
}
