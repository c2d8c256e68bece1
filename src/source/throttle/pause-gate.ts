/** What a source waits behind while the service has asked for a pause (pause.ts). */
import { RequestSkippedError } from '../../common/errors.ts'
import { type Clock, systemClock } from './clock.ts'
import { type Pause, Pauses } from './pause.ts'

export interface PauseGateOptions {
  /** Of the account, at the service that all its sources share. */
  readonly pause?: Pause
  readonly clock?: Clock
  readonly maxWaitMs?: () => number
}

export class PauseGate {
  readonly #pause: Pause
  readonly #clock: Clock
  /** The longest pause that this source may wait for now, in ms. */
  readonly maxWaitMs: () => number
  readonly #closed = new AbortController()
  /** Ends every wait before a request: the source has ended, or the pause gate is closed permanently. */
  readonly signal: AbortSignal

  constructor(
    lifetime: AbortSignal,
    {
      clock = systemClock,
      pause = new Pauses(clock).of(''),
      maxWaitMs = () => Infinity,
    }: PauseGateOptions = {},
  ) {
    this.#clock = clock
    this.#pause = pause
    this.maxWaitMs = maxWaitMs
    this.signal = this.#closed.signal
    const end = (): void => this.#closed.abort(lifetime.reason)
    if (lifetime.aborted) end()
    // Not AbortSignal.any: each check of such a signal checks all its sources.
    else lifetime.addEventListener('abort', end, { once: true })
  }

  /** @returns whether nobody may ask meanwhile */
  pauseFor(ms: number): boolean {
    return this.#pause.extendTo(ms)
  }

  /** No further request of this source starts, and every wait ends with the error: the pause is longer than this run may wait. */
  closePermanently(error: RequestSkippedError): void {
    this.#closed.abort(error)
  }

  /** Waits until the pause is over. @throws the reason when the source ends or the gate is closed permanently */
  async wait(): Promise<void> {
    for (;;) {
      this.signal.throwIfAborted()
      const left = this.#pause.leftMs
      if (left <= 0) return
      // The pause may be the answer to another source, which may wait for longer.
      // guard: pause of another run
      if (left > this.maxWaitMs()) this.closePermanently(pausedByOther(left))
      await this.#clock.sleep(Math.ceil(left), this.signal)
    }
  }
}

function pausedByOther(leftMs: number): RequestSkippedError {
  const until = new Date(Date.now() + leftMs)
  return new RequestSkippedError(
    `The service has asked to come back at ${until.toISOString()} (Retry-After), later than this run may wait: no request was sent.`,
    until,
  )
}
