/** Tries a request again as the policy of retry.ts says, with the clock, the chance and the gate of the source. */
import { HeadcountError, PausedByServiceError, UnreachableError } from '../errors.ts'
import type { Line } from './exchange.ts'
import { decide, type Decision } from './retry.ts'
import { PassingStatusError } from './status.ts'
import { sleep } from './wait.ts'

/**
 * @param attempt one try; throws one of the error family
 * @param failed is told of every failed try before anything is waited for, to give back what it held
 */
export async function withRetries<T>(line: Line, attempt: () => Promise<T>, failed: () => void): Promise<T> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await attempt()
    } catch (error) {
      failed()
      // The end of the source's life and a gate that was shut for good concern every request alike.
      if (!(error instanceof HeadcountError) || error === line.gate.signal.reason) throw error
      const decision = judge(line, error, tries)
      if (decision.pause > 0) line.gate.closeFor(decision.pause)
      if ('giveUp' in decision) throw lastError(line, error, decision, tries)
      line.counts.retries += 1
      line.log('debug', `${error.message} Trying again.`, { tries, wait_ms: decision.wait })
      await sleep(decision.wait, line.gate.signal)
    }
  }
}

function judge(line: Line, error: HeadcountError, attempt: number): Decision {
  const answered = error instanceof PassingStatusError ? error : null
  return decide({
    outcome: answered === null ? { retryable: error.retryable } : { status: answered.status },
    attempt,
    retryAfter: answered?.retryAfter ?? null,
    serviceDate: answered?.serviceDate ?? null,
    random: line.random(),
    now: Date.now(),
    runLeftMs: line.life.leftMs(),
    counts: line.counts,
  })
}

type GivenUp = Extract<Decision, { giveUp: string }>

function lastError(line: Line, error: HeadcountError, decision: GivenUp, tries: number): HeadcountError {
  if (decision.giveUp === 'final') return error
  if (decision.giveUp === 'paused') return shutGate(line, error, decision.pause)
  const why =
    decision.giveUp === 'tries'
      ? `Given up after ${tries} tries.`
      : 'Given up: this run has used up its retries (a tenth of its requests).'
  return new UnreachableError(`${error.message} ${why}`, { cause: error.cause })
}

function shutGate(line: Line, error: HeadcountError, pause: number): PausedByServiceError {
  const until = new Date(Date.now() + pause)
  const paused = new PausedByServiceError(
    `${error.message} The service asks to come back at ${until.toISOString()} (Retry-After), ` +
      'later than this run may wait.',
    until,
  )
  line.gate.shut(paused)
  return paused
}
