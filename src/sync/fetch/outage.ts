import { OutageError, type HeadcountError } from '../../common/errors.ts'
import { raceAbort, sleep } from '../../common/abort.ts'
import type { Logger, OutageLimits } from '../options.ts'

export const OUTAGE_LIMITS: OutageLimits = {
  failuresPerRequest: 3,
  maxSilenceMs: 20_000,
  askEveryMs: 2000,
}

export interface OutageOptions {
  readonly limits: OutageLimits
  /** The most requests at once. */
  readonly concurrency: number
  /** Ends every wait. */
  readonly signal: AbortSignal
  readonly logger: Logger
  /** Ends the reading. */
  readonly end: (error: OutageError) => void
}

/** The time in which the circuit breaker is open. */
interface Away {
  readonly since: number
  /** Settled when it answers again. */
  readonly back: PromiseWithResolvers<void>
  /** The event that is asked for by itself has come to its end. */
  asked: Promise<void>
}

/**
 * A circuit breaker. It opens when many events in a row could not be read, for further requests would only fail. While
 * it is open, one event at a time is tried, and the others wait. It ends the reading when no response has come for too
 * long. What was not read stays due and does not count as failed.
 */
export class Outage implements Disposable {
  readonly #options: OutageOptions
  #lastAnswer = performance.now()
  #failures = 0
  #away: Away | null = null
  #timer: NodeJS.Timeout | undefined

  constructor(options: OutageOptions) {
    this.#options = options
  }

  /**
   * Waits until an event may be read; throws the signal's reason.
   *
   * @returns to be disposed of when it was read, or could not be
   */
  async admit(): Promise<Disposable> {
    const { limits, signal } = this.#options
    while (this.#away !== null) {
      const away = this.#away
      const { asked } = away
      await raceAbort(Promise.race([away.back.promise, asked]), signal)
      // Of those that waited for the same attempt, the first one goes on.
      if (this.#away !== away || away.asked !== asked) continue
      const { promise, resolve } = Promise.withResolvers<void>()
      away.asked = promise
      await sleep(limits.askEveryMs, signal)
      return { [Symbol.dispose]: resolve }
    }
    return { [Symbol.dispose]: () => undefined }
  }

  /** The service sent a response, if only a rejection. */
  answered(): void {
    this.#lastAnswer = performance.now()
    this.#failures = 0
    if (this.#away === null) return
    clearTimeout(this.#timer)
    const seconds = secondsSince(this.#away.since)
    this.#options.logger.warn({ seconds }, `The service answers again, after ${seconds} s.`)
    this.#away.back.resolve()
    this.#away = null
  }

  /** An event could not be read: no response came, or one that tells of an outage. */
  failed(cause: HeadcountError): void {
    const { limits, concurrency, logger } = this.#options
    this.#failures += 1
    if (this.#away !== null || this.#failures < limits.failuresPerRequest * concurrency) return
    this.#away = { since: performance.now(), back: Promise.withResolvers(), asked: Promise.resolve() }
    const leftMs = Math.max(0, this.#lastAnswer + limits.maxSilenceMs - this.#away.since)
    if (leftMs === 0) return this.#end()
    this.#timer = setTimeout(() => this.#end(), leftMs)
    logger.warn(
      { failures: this.#failures, code: cause.code },
      `The service does not answer any more: ${this.#failures} events in a row could not be read. ` +
        `It is given ${Math.ceil(leftMs / 1000)} s to come back. The last one: ${cause.message}`,
    )
  }

  [Symbol.dispose](): void {
    clearTimeout(this.#timer)
  }

  #end(): void {
    const seconds = secondsSince(this.#lastAnswer)
    this.#options.end(
      new OutageError(
        `The service has gone away: ${this.#failures} events in a row could not be read, and nothing was answered ` +
          `for ${seconds} s.`,
      ),
    )
  }
}

function secondsSince(moment: number): number {
  return Math.round((performance.now() - moment) / 1000)
}
