/** Tries a request again as the policy of policy.ts says, with the clock, the chance and the gate of the source. */
import {
  HeadcountError,
  RequestSkippedError,
  RetryLaterError,
  UnreachableError,
} from '../../common/errors.ts'
import type { Line } from '../http/send-request.ts'
import { RefusedError, type Turn } from './rejected-request.ts'
import { decide, type Decision, type Failure, isRefusal, MOST_TRIES } from './policy.ts'
import { PassingStatusError } from '../http/status.ts'

/** What trying again needs of a source. */
export type RetryLine = Pick<Line, 'gate' | 'clock' | 'life' | 'pacing' | 'counts' | 'random' | 'log'>

export interface Retrying {
  readonly turn: Turn
  /** Pages of the same list that are here already. */
  readonly pages: number
  /** Is told of every failed try before anything is waited for, to give back what it held. */
  readonly failed: () => void
}

/** @param attempt one try; throws one of the error family */
export async function withRetries<T>(
  line: RetryLine,
  attempt: () => Promise<T>,
  { turn, pages, failed }: Retrying,
): Promise<T> {
  let tries = 0
  let refusals = 0
  let answersBefore = 0
  if (turn === 'again' && pages === 0) line.counts.askedAgain += 1
  for (;;) {
    try {
      return await attempt()
    } catch (error) {
      failed()
      // The end of the source's life and a gate that was shut for good concern every request alike.
      if (!(error instanceof HeadcountError) || error === line.gate.signal.reason) throw error
      const failure = describe(line, error)
      const refused = isRefusal(failure)
      if (refused) refusals += 1
      else tries += 1
      if (refused) line.counts.refused += 1
      if (refusals === 1) answersBefore = line.pacing.answers
      const othersAnswered = refusals > 1 && line.pacing.answers > answersBefore
      const decision = decide({ ...failure, tries, refusals, turn, pages, othersAnswered })
      if (decision.pause > 0 && !decision.isAlone) line.pacing.paused(decision.pause)
      if ('giveUp' in decision) throw lastError(line, error, decision, { refusals, pages })
      if (refused) line.counts.askedAgain += 1
      else line.counts.retries += 1
      line.log('debug', `${error.message} Trying again.`, { tries, refusals, wait_ms: decision.wait })
      await line.clock.sleep(decision.wait, line.gate.signal)
    }
  }
}

type Described = Omit<Failure, 'tries' | 'refusals' | 'turn' | 'pages' | 'othersAnswered'>

function describe(line: RetryLine, error: HeadcountError): Described {
  const answered = error instanceof PassingStatusError ? error : null
  return {
    outcome: answered === null ? { retryable: error.retryable } : { status: answered.status },
    retryAfter: answered?.retryAfter ?? null,
    serviceDate: answered?.serviceDate ?? null,
    random: line.random(),
    now: Date.now(),
    runLeftMs: line.life.leftMs(),
    counts: line.counts,
    closedMs: line.pacing.closedMs(),
    randomShare: line.pacing.randomShare,
  }
}

type GivenUp = Extract<Decision, { giveUp: string }>

function lastError(
  line: RetryLine,
  error: HeadcountError,
  { giveUp, pause }: GivenUp,
  { refusals, pages }: { readonly refusals: number; readonly pages: number },
): HeadcountError {
  if (giveUp === 'final') return error
  if (giveUp === 'paused' || giveUp === 'closed') return shutGate(line, error, giveUp, pause)
  if (giveUp === 'deferred')
    return new RefusedError(error.message, line.clock.now() + pause, pages, { cause: error.cause })
  const why =
    giveUp === 'refusals'
      ? `Given up after ${refusals} refusals: the service allows for fewer requests than this run needs.`
      : whyGivenUp[giveUp]
  return new UnreachableError(`${error.message} ${why}`, { cause: error.cause })
}

const whyGivenUp = {
  tries: `Given up after ${MOST_TRIES} tries.`,
  budget: 'Given up: this run has used up its retries (a tenth of its requests).',
}

function shutGate(
  line: RetryLine,
  error: HeadcountError,
  why: 'paused' | 'closed',
  pause: number,
): RetryLaterError {
  const until = new Date(Date.now() + pause)
  const words =
    why === 'paused'
      ? `The service asks to come back at ${until.toISOString()} (Retry-After), later than this run may wait.`
      : 'The service has refused every request for 15 minutes; what is left waits for the next run.'
  const paused = new RetryLaterError(`${error.message} ${words}`, until)
  line.gate.shut(new RequestSkippedError(paused.message, until))
  return paused
}
