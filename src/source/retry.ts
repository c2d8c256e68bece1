/** Whether a failed request is tried again, and when. Pure: clock, chance and counts come in as arguments. */
import { hasRetryLeft } from './budget.ts'
import { readRetryAfter } from './retry-after.ts'

const MOST_TRIES = 3
const FIRST_WAIT_MS = 250
const LONGEST_WAIT_MS = 10_000
const LONGEST_PAUSE_MS = 15 * 60_000

export interface Failure {
  /** The status answered, or whether the error that came instead of an answer may pass by itself. */
  readonly outcome: { readonly status: number } | { readonly retryable: boolean }
  /** Which try failed, from 1. */
  readonly attempt: number
  /** The headers `Retry-After` and `Date` of the answer, as sent. */
  readonly retryAfter: string | null
  readonly serviceDate: string | null
  /** From 0 to below 1. */
  readonly random: number
  /** The wall clock, ms since 1970. */
  readonly now: number
  /** What is left of the run's deadline; null when there is none. */
  readonly runLeftMs: number | null
  readonly counts: { readonly requests: number; readonly retries: number }
}

/** `pause` is what the service asked for with `Retry-After`, in ms: it holds for every request, tried again or not. */
export type Decision = { readonly pause: number } & (
  { readonly wait: number } | { readonly giveUp: 'final' | 'tries' | 'budget' | 'paused' }
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
  if (failure.attempt >= MOST_TRIES) return { pause, giveUp: 'tries' }
  if (!hasRetryLeft(failure.counts)) return { pause, giveUp: 'budget' }
  return { pause, wait: pause + jitter(failure.attempt, failure.random) }
}

/** Full jitter: anything from nothing to the doubled bound, so that requests that failed together come back apart. */
function jitter(attempt: number, random: number): number {
  return Math.floor(random * Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** (attempt - 1)))
}
