/** Whether a failed request is retried, and when. Pure: time, random numbers and counts are arguments. */
import { maxConsecutive } from '../throttle/rejection-share.ts'
import type { QueueState } from './rejected-request.ts'
import { readRetryAfter } from './retry-after.ts'

export const MAX_ATTEMPTS = 3
/** Of a request that cannot be requeued. */
const MAX_REJECTIONS = 10
/** Random rejections: a run of rejections less likely than this has another cause. */
const GIVE_UP_CHANCE = 0.00001
/** The retry budget limits the extra load on a service in trouble. */
const MIN_RETRIES = 3
const RETRY_SHARE_OF_REQUESTS = 0.1
const FIRST_WAIT_MS = 250
const MAX_WAIT_MS = 10_000
export const MAX_PAUSE_MS = 15 * 60_000

export interface FailedAttempt {
  /** The status of the response, or whether the error without a response is temporary. */
  readonly outcome: { readonly status: number } | { readonly retryable: boolean }
  /** How often this request was rejected, and how often it failed otherwise, this time included. */
  readonly rejections: number
  readonly attempts: number
  /** The headers `Retry-After` and `Date` of the response. */
  readonly retryAfter: string | null
  readonly serviceDate: string | null
  /** From 0 to below 1. */
  readonly random: number
  /** The wall clock, ms since 1970. */
  readonly now: number
  /** The time until the run's deadline; null without a deadline. */
  readonly runRemainingMs: number | null
  /** The longest pause that is waited for, in ms. */
  readonly maxPauseMs: number
  readonly counts: RetryUsage
  /** For how long the service has rejected every request. */
  readonly rejectingForMs: number
  readonly queueState: QueueState
  /** Earlier pages of the same list. */
  readonly pagesRead: number
  /** Whether other requests succeeded since the first rejection of this one. */
  readonly othersSucceeded: boolean
  /** The share of requests that is rejected at random; null when rejections are not random. */
  readonly randomShare: number | null
}

/**
 * `pause` is the time of `Retry-After` in ms. It delays every request; when the rejection is `isAlone`, only the
 * rejected one.
 */
export type RetryDecision = { readonly pause: number; readonly isAlone: boolean } & (
  | { readonly wait: number }
  | { readonly giveUp: 'final' | 'attempts' | 'budget' | 'paused' | 'rejections' | 'deferred' | 'rejecting' }
)

/** Statuses of temporary failures. 501 and 505 are permanent: the service does not support the request. */
export function isTransientStatus(status: number): boolean {
  if (status === 408 || status === 425 || status === 429) return true
  return status >= 500 && status <= 599 && status !== 501 && status !== 505
}

export function retryDecision(failure: FailedAttempt): RetryDecision {
  const { outcome } = failure
  const mayPass = 'status' in outcome ? isTransientStatus(outcome.status) : outcome.retryable
  if (!mayPass) return { pause: 0, isAlone: false, giveUp: 'final' }
  const pause = readRetryAfter(failure.retryAfter, failure.serviceDate, failure.now) ?? 0
  const isRejected = isRejection(failure)
  const asked = { pause, isAlone: isRejected && isOnlyThisRequest(failure) }
  // guard: longest pause
  const isTooLong = pause > failure.maxPauseMs
  if (isTooLong)
    return { ...asked, giveUp: !asked.isAlone ? 'paused' : isQueued(failure) ? 'deferred' : 'rejections' }
  // A run with a deadline needs no other limit.
  if (failure.rejectingForMs > MAX_PAUSE_MS && failure.runRemainingMs === null)
    return { ...asked, giveUp: 'rejecting' }
  if (isRejected) {
    if (failure.rejections >= rejectionLimit(failure))
      return { ...asked, giveUp: isQueued(failure) ? 'deferred' : 'rejections' }
    // The throttle spaces the requests of this run. The jitter separates them from requests of other clients.
    return { ...asked, wait: pause + jitteredWait(1, failure.random) }
  }
  if (failure.attempts >= MAX_ATTEMPTS) return { ...asked, giveUp: 'attempts' }
  if (!hasRetryBudget(failure.counts)) return { ...asked, giveUp: 'budget' }
  return { ...asked, wait: pause + jitteredWait(failure.attempts, failure.random) }
}

/**
 * Whether a rejection concerns only the rejected request. The first rejection concerns all: the cause may be the rate.
 * Only the request itself is concerned when its event was requeued before, when others succeeded since its first
 * rejection, or when requests are rejected at random.
 */
function isOnlyThisRequest({ queueState, othersSucceeded, randomShare }: FailedAttempt): boolean {
  // guard: a pause of one event
  return queueState === 'requeued' || othersSucceeded || randomShare !== null
}

function isQueued({ queueState }: FailedAttempt): boolean {
  return queueState !== 'unqueued'
}

/** After so many rejections the request is given up, or its event goes to the back of the queue. */
function rejectionLimit({ queueState, pagesRead, randomShare }: FailedAttempt): number {
  if (queueState === 'unqueued') {
    // guard: refusals
    return Math.max(MAX_REJECTIONS, randomShare === null ? 0 : maxConsecutive(randomShare, GIVE_UP_CHANCE))
  }
  // With earlier pages a second attempt is worth it: without one, they must be read again.
  // guard: back of the queue
  return queueState === 'requeued' && pagesRead === 0 ? 1 : maxConsecutive(randomShare ?? 0)
}

/** Whether the service rejects the request for its load: 429, or 503 with `Retry-After`. */
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

/** Full jitter: requests that failed together are retried at different times. */
function jitteredWait(attempts: number, random: number): number {
  return Math.floor(random * Math.min(MAX_WAIT_MS, FIRST_WAIT_MS * 2 ** (attempts - 1)))
}

export interface RetryUsage {
  /** Every request sent, retries and rejected ones too. */
  readonly requests: number
  readonly retries: number
  /** Sending a rejected request again uses no retry. Rejected requests add nothing to the budget. */
  readonly rejected: number
}

/** Whether a run that has sent so many requests may send one more retry. */
export function hasRetryBudget({ requests, retries, rejected }: RetryUsage): boolean {
  // guard: retry budget
  return retries < Math.max(MIN_RETRIES, Math.floor((requests - rejected) * RETRY_SHARE_OF_REQUESTS))
}
