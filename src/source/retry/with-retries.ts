/** Retries a request by the policy (policy.ts), with the clock, random numbers and pause gate of the source. */
import {
  HeadcountError,
  RequestSkippedError,
  RetryLaterError,
  UnreachableError,
} from '../../common/errors.ts'
import type { RequestContext } from '../http/send-request.ts'
import { RejectedRequestError, type QueueState } from './rejected-request.ts'
import { retryDecision, type RetryDecision, type FailedAttempt, isRejection, MAX_ATTEMPTS } from './policy.ts'
import { TransientStatusError } from '../http/status.ts'

/** The parts of a source that retries need. */
export type RetryContext = Pick<
  RequestContext,
  'pauseGate' | 'clock' | 'lifetime' | 'throttle' | 'counts' | 'random' | 'log'
>

export interface RetryOptions {
  readonly queueState: QueueState
  /** Earlier pages of the same list. */
  readonly pagesRead: number
  /** Called after every failed attempt, before any wait, to release its resources. */
  readonly onFailure: () => void
}

/** @param attempt sends the request once; throws a HeadcountError */
export async function withRetries<T>(
  context: RetryContext,
  attempt: () => Promise<T>,
  { queueState, pagesRead, onFailure }: RetryOptions,
): Promise<T> {
  let attempts = 0
  let rejections = 0
  let answersBefore = 0
  if (queueState === 'requeued' && pagesRead === 0) context.counts.rejectedRetries += 1
  for (;;) {
    try {
      return await attempt()
    } catch (error) {
      onFailure()
      // The end of the source and a permanently closed pause gate end every request.
      if (!(error instanceof HeadcountError) || error === context.pauseGate.signal.reason) throw error
      const failure = describeFailure(context, error)
      const isRejected = isRejection(failure)
      if (isRejected) rejections += 1
      else attempts += 1
      if (isRejected) context.counts.rejected += 1
      if (rejections === 1) answersBefore = context.throttle.responses
      const othersSucceeded = rejections > 1 && context.throttle.responses > answersBefore
      const decision = retryDecision({
        ...failure,
        attempts,
        rejections,
        queueState,
        pagesRead,
        othersSucceeded,
      })
      if (decision.pause > 0 && !decision.isAlone) {
        const pause = Math.min(decision.pause, longestPause(failure.runRemainingMs))
        context.throttle.pauseFor(pause, context.pauseGate)
      }
      if ('giveUp' in decision) throw finalError(context, error, decision, { rejections, pagesRead })
      if (isRejected) context.counts.rejectedRetries += 1
      else context.counts.retries += 1
      context.log('debug', `${error.message} Trying again.`, { attempts, rejections, wait_ms: decision.wait })
      await context.clock.sleep(decision.wait, context.pauseGate.signal)
    }
  }
}

/**
 * A pause outlives its run where others ask the same service. One that no run waits for, of a year by mistake or for one key alone, is
 * tested again after an hour: the next run then makes one request.
 */
function longestPause(runRemainingMs: number | null): number {
  // A second more than the run has left: it sees that it cannot wait.
  // guard: a pause without end
  return Math.max(60 * 60_000, (runRemainingMs ?? 0) + 1000)
}

type FailureDescription = Omit<
  FailedAttempt,
  'attempts' | 'rejections' | 'queueState' | 'pagesRead' | 'othersSucceeded'
>

function describeFailure(context: RetryContext, error: HeadcountError): FailureDescription {
  const answered = error instanceof TransientStatusError ? error : null
  return {
    outcome: answered === null ? { retryable: error.retryable } : { status: answered.status },
    retryAfter: answered?.retryAfter ?? null,
    serviceDate: answered?.serviceDate ?? null,
    random: context.random(),
    now: Date.now(),
    runRemainingMs: context.lifetime.remainingMs(),
    maxPauseMs: context.pauseGate.maxWaitMs(),
    counts: context.counts,
    // guard: rejections of a former run
    rejectingForMs: Math.min(context.throttle.rejectingForMs(), context.lifetime.ageMs()),
    randomShare: context.throttle.randomShare,
  }
}

type GivenUp = Extract<RetryDecision, { giveUp: string }>

function finalError(
  context: RetryContext,
  error: HeadcountError,
  { giveUp, pause }: GivenUp,
  { rejections, pagesRead }: { readonly rejections: number; readonly pagesRead: number },
): HeadcountError {
  if (giveUp === 'final') return error
  if (giveUp === 'paused' || giveUp === 'rejecting') return closeGate(context, error, giveUp, pause)
  const { message, cause } = error
  if (giveUp === 'deferred')
    return new RejectedRequestError(message, context.clock.now() + pause, pagesRead, { cause })
  const why =
    giveUp === 'rejections'
      ? `Given up after ${rejections} rejections: the service allows fewer requests than this run needs.`
      : giveUpReasons[giveUp]
  return new UnreachableError(`${message} ${why}`, { cause })
}

const giveUpReasons = {
  attempts: `Given up after ${MAX_ATTEMPTS} tries.`,
  budget: 'Given up: this run has used up its retries (a tenth of its requests).',
}

function closeGate(
  context: RetryContext,
  error: HeadcountError,
  why: 'paused' | 'rejecting',
  pause: number,
): RetryLaterError {
  const until = new Date(Date.now() + pause)
  const reason =
    why === 'paused'
      ? `The service asks to come back at ${until.toISOString()} (Retry-After), later than this run may wait.`
      : 'The service has rejected every request for 15 minutes; the rest is left to the next run.'
  const paused = new RetryLaterError(`${error.message} ${reason}`, until)
  context.pauseGate.closePermanently(new RequestSkippedError(paused.message, until))
  return paused
}
