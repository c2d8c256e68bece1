/** One pause gate for all requests of a source: `Retry-After` closes it, whichever request was told. */
import type { RequestSkippedError } from '../../common/errors.ts'
import { type Clock, systemClock } from './clock.ts'

export class PauseGate {
  #notBefore = 0
  readonly #clock: Clock
  readonly #closed = new AbortController()
  /** Ends every wait before a request: the source's life is over, or the pause gate is shut for good. */
  readonly signal: AbortSignal

  constructor(lifetime: AbortSignal, clock: Clock = systemClock) {
    this.#clock = clock
    this.signal = this.#closed.signal
    const end = (): void => this.#closed.abort(lifetime.reason)
    if (lifetime.aborted) end()
    // Not AbortSignal.any: whoever looks at such a signal makes it look at all that it is made of.
    else lifetime.addEventListener('abort', end, { once: true })
  }

  /** Lets no request start for so many ms from now; a shorter time never replaces a longer one. */
  pauseFor(ms: number): void {
    this.#notBefore = Math.max(this.#notBefore, this.#clock.now() + ms)
  }

  /** The service asked for more time than this run has: no request starts any more, and all that wait are told why. */
  closePermanently(error: RequestSkippedError): void {
    this.#closed.abort(error)
  }

  /** Waits until the pause gate is open; throws the reason when the source's life ends or the pause gate is shut for good. */
  async wait(): Promise<void> {
    for (;;) {
      this.signal.throwIfAborted()
      const left = this.#notBefore - this.#clock.now()
      if (left <= 0) return
      await this.#clock.sleep(Math.ceil(left), this.signal)
    }
  }
}
