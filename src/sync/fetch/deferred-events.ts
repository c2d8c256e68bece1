/**
 * The back of the queue: events that the service refused twice (429, or 503 and when to come back) while it had others
 * to answer. They are read when all others were, hold neither a place nor memory until then, and a `Retry-After`
 * binds only the one that it was said to. Each fails when it is refused so many times more (`mostRefusals`) with
 * nothing answered between, or when nothing was answered for so long (`patienceMs`); a pause that ends later than
 * that is not waited for. One of which another page was answered starts anew.
 */
import { HeadcountError, RetryLaterError, UnreachableError } from '../../common/errors.ts'
import type { Clock } from '../../common/clock.ts'
import type { RefusedError } from '../../source/retry/rejected-request.ts'
import { mostInARow } from '../../source/throttle/rejection-share.ts'

/** How long a run stands behind events that the service refuses; a backfill, which is made to read all, longer. */
export const PATIENCE_MS = 60_000
export const BACKFILL_PATIENCE_MS = 15 * 60_000

const LEAST_REFUSALS = 3
const MOST_REFUSALS = 14
/** Chance brings so many refusals of one event hardly ever. */
const UNLUCKY = 0.0001
const FIRST_WAIT_MS = 250
const LONGEST_WAIT_MS = 2000

/** Three; more where so many requests are refused that three may be chance. */
export function maxRejections({ requests, refused }: { requests: number; refused: number }): number {
  const most = mostInARow(refused / Math.max(1, requests), UNLUCKY)
  return Math.min(MOST_REFUSALS, Math.max(LEAST_REFUSALS, most))
}

export interface DeferredOptions {
  readonly clock: Clock
  readonly signal: AbortSignal
  readonly patienceMs: number
}

export interface ReadAgain<Event> {
  readonly mostRefusals: number
  /** Reads an event; gives the refusal when it was refused again. */
  again(event: Event): Promise<RefusedError | null>
  failed(event: Event, error: HeadcountError): void
}

export class DeferredEvents<Event> {
  readonly #options: DeferredOptions
  readonly #waiting: { readonly event: Event; readonly refusal: RefusedError }[] = []
  /** What was answered, and when last. */
  #answers = 0
  #answeredAt = -Infinity

  constructor(options: DeferredOptions) {
    this.#options = options
  }

  get count(): number {
    return this.#waiting.length
  }

  /** When the service last says that one of them may come back, on the clock. */
  get notBefore(): number {
    return Math.max(...this.#waiting.map(({ refusal }) => refusal.notBefore))
  }

  add(event: Event, refusal: RefusedError): void {
    this.#waiting.push({ event, refusal })
  }

  /** The service answered for some event. */
  answered(): void {
    this.#answers += 1
    this.#answeredAt = this.#options.clock.now()
  }

  /** Reads all that wait, each at its time, until they are read or have failed. */
  async readAll(reading: ReadAgain<Event>): Promise<void> {
    this.#answeredAt = this.#options.clock.now()
    await Promise.all(
      this.#waiting.splice(0).map(({ event, refusal }) => this.#readOne(event, refusal, reading)),
    )
  }

  async #readOne(event: Event, first: RefusedError, reading: ReadAgain<Event>): Promise<void> {
    const { clock, signal, patienceMs } = this.#options
    let refusal = first
    for (let refusals = 0; ;) {
      const wait = Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** refusals)
      const until = Math.max(refusal.notBefore, clock.now() + wait)
      const isTooLate = until > this.#answeredAt + patienceMs
      if (refusals >= reading.mostRefusals || isTooLate) {
        return reading.failed(event, this.#failure(refusal, refusals, isTooLate))
      }
      const answers = this.#answers
      // The signal tells why by itself.
      const isOver = await clock.sleep(until - clock.now(), signal).then(
        () => false,
        () => true,
      )
      const again = isOver ? null : await reading.again(event)
      if (again === null) return
      const isAnew = again.pages > refusal.pages || this.#answers > answers
      refusals = isAnew ? 1 : refusals + 1
      refusal = again
    }
  }

  #failure({ message, notBefore }: RefusedError, refusals: number, isTooLate: boolean): HeadcountError {
    const { clock, patienceMs } = this.#options
    const leftMs = notBefore - clock.now()
    const why = isTooLate
      ? `Given up: nothing was answered for ${patienceMs / 1000} s.`
      : `Given up: it was refused ${refusals} times more when all others had been asked.`
    if (leftMs <= 0) return new UnreachableError(`${message} ${why}`)
    const until = new Date(Date.now() + leftMs)
    return new RetryLaterError(
      `${message} ${why} The service asks to come back at ${until.toISOString()} (Retry-After).`,
      until,
    )
  }
}
