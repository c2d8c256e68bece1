/** Tries a request again as the policy of retry.ts says, with the clock, the chance and the gate of the source. */
import { HeadcountError, NotAskedError, PausedByServiceError, UnreachableError } from '../errors.ts'
import type { Line } from './exchange.ts'
import { decide, type Decision, type Failure, isRefusal, MOST_REFUSALS, MOST_TRIES } from './retry.ts'
import { PassingStatusError } from './status.ts'
import { sleep } from './wait.ts'

/**
 * @param attempt one try; throws one of the error family
 * @param failed is told of every failed try before anything is waited for, to give back what it held
 */
export async function withRetries<T>(line: Line, attempt: () => Promise<T>, failed: () => void): Promise<T> {
  let tries = 0
  let refusals = 0
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
      const decision = decide({ ...failure, tries, refusals })
      if (decision.pause > 0) line.gate.closeFor(decision.pause)
      if ('giveUp' in decision) throw lastError(line, error, decision)
      if (!refused) line.counts.retries += 1
      line.log('debug', `${error.message} Trying again.`, { tries, refusals, wait_ms: decision.wait })
      await sleep(decision.wait, line.gate.signal)
    }
  }
}

function describe(line: Line, error: HeadcountError): Omit<Failure, 'tries' | 'refusals'> {
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
  }
}

type GivenUp = Extract<Decision, { giveUp: string }>

function lastError(line: Line, error: HeadcountError, { giveUp, pause }: GivenUp): HeadcountError {
  if (giveUp === 'final') return error
  if (giveUp === 'paused' || giveUp === 'closed') return shutGate(line, error, giveUp, pause)
  return new UnreachableError(`${error.message} ${whyGivenUp[giveUp]}`, { cause: error.cause })
}

const whyGivenUp = {
  tries: `Given up after ${MOST_TRIES} tries.`,
  refusals: `Given up after ${MOST_REFUSALS} refusals: the service allows for fewer requests than this run needs.`,
  budget: 'Given up: this run has used up its retries (a tenth of its requests).',
}

function shutGate(
  line: Line,
  error: HeadcountError,
  why: 'paused' | 'closed',
  pause: number,
): PausedByServiceError {
  const until = new Date(Date.now() + pause)
  const words =
    why === 'paused'
      ? `The service asks to come back at ${until.toISOString()} (Retry-After), later than this run may wait.`
      : 'The service has refused every request for 15 minutes; what is left waits for the next run.'
  const paused = new PausedByServiceError(`${error.message} ${words}`, until)
  line.gate.shut(new NotAskedError(paused.message, until))
  return paused
}
