/**
 * The back of the queue: events that the service rejected twice (429, or 503 with `Retry-After`) while others were
 * left. They are read after all others, take neither a permit nor memory until then, and a `Retry-After` delays only
 * its own event. An event fails when it is rejected `maxRejections` times more without any response between, or when
 * no response came for `patienceMs`; a longer pause is not waited for. One of which another page came starts anew.
 */
import { HeadcountError, RetryLaterError, UnreachableError } from '../../common/errors.ts'
import type { Clock } from '../../source/throttle/clock.ts'
import type { RejectedRequestError } from '../../source/retry/rejected-request.ts'
import { maxConsecutive } from '../../source/throttle/rejection-share.ts'

/** How long a run waits for rejected events; a backfill, which is to read all, longer. */
export const PATIENCE_MS = 60_000
export const BACKFILL_PATIENCE_MS = 15 * 60_000

const MIN_REJECTIONS = 3
const MAX_REJECTIONS = 14
/** So many rejections in a row are chance with this probability. */
const CHANCE = 0.0001
const FIRST_WAIT_MS = 250
const MAX_WAIT_MS = 2000

/** Three; more where so many requests are rejected that three may be chance. */
export function maxRejections({ requests, rejected }: { requests: number; rejected: number }): number {
  const most = maxConsecutive(rejected / Math.max(1, requests), CHANCE)
  // guard: chance
  return Math.min(MAX_REJECTIONS, Math.max(MIN_REJECTIONS, most))
}

export interface DeferredOptions {
  readonly clock: Clock
  readonly signal: AbortSignal
  readonly patienceMs: number
}

export interface RetryDeferred<Event> {
  readonly maxRejections: number
  /** Reads an event; gives the refusal when it was refused again. */
  again(event: Event): Promise<RejectedRequestError | null>
  failed(event: Event, error: HeadcountError): void
}

export class DeferredEvents<Event> {
  readonly #options: DeferredOptions
  readonly #waiting: { readonly event: Event; readonly refusal: RejectedRequestError }[] = []
  /** Responses so far, and when the last came. */
  #answers = 0
  #answeredAt = -Infinity

  constructor(options: DeferredOptions) {
    this.#options = options
  }

  get count(): number {
    return this.#waiting.length
  }

  /** The latest time, on the clock, until which one of them is to wait. */
  get notBefore(): number {
    return Math.max(...this.#waiting.map(({ refusal }) => refusal.notBefore))
  }

  add(event: Event, refusal: RejectedRequestError): void {
    this.#waiting.push({ event, refusal })
  }

  /** The service responded for some event. */
  answered(): void {
    this.#answers += 1
    this.#answeredAt = this.#options.clock.now()
  }

  /** Reads all that wait, each at its time, until they are read or have failed. */
  async readAll(reading: RetryDeferred<Event>): Promise<void> {
    this.#answeredAt = this.#options.clock.now()
    await Promise.all(
      this.#waiting.splice(0).map(({ event, refusal }) => this.#readOne(event, refusal, reading)),
    )
  }

  async #readOne(event: Event, first: RejectedRequestError, reading: RetryDeferred<Event>): Promise<void> {
    const { clock, signal, patienceMs } = this.#options
    let refusal = first
    for (let refusals = 0; ;) {
      const wait = Math.min(MAX_WAIT_MS, FIRST_WAIT_MS * 2 ** refusals)
      const until = Math.max(refusal.notBefore, clock.now() + wait)
      // guard: patience
      const isTooLate = until > this.#answeredAt + patienceMs
      if (refusals >= reading.maxRejections || isTooLate) {
        return reading.failed(event, this.#failure(refusal, refusals, isTooLate))
      }
      const answers = this.#answers
      // The signal has the reason.
      const isOver = await clock.sleep(until - clock.now(), signal).then(
        () => false,
        () => true,
      )
      const again = isOver ? null : await reading.again(event)
      if (again === null) return
      const isAnew = again.pagesRead > refusal.pagesRead || this.#answers > answers
      refusals = isAnew ? 1 : refusals + 1
      refusal = again
    }
  }

  #failure(
    { message, notBefore }: RejectedRequestError,
    refusals: number,
    isTooLate: boolean,
  ): HeadcountError {
    const { clock, patienceMs } = this.#options
    const leftMs = notBefore - clock.now()
    const why = isTooLate
      ? `Given up: nothing was answered for ${patienceMs / 1000} s.`
      : `Given up: it was rejected ${refusals} more times after all others had been requested.`
    if (leftMs <= 0) return new UnreachableError(`${message} ${why}`)
    const until = new Date(Date.now() + leftMs)
    return new RetryLaterError(
      `${message} ${why} The service asks to come back at ${until.toISOString()} (Retry-After).`,
      until,
    )
  }
}
