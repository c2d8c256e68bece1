/** One pause gate for all requests of a source: `Retry-After` on any response closes it. */
import type { RequestSkippedError } from '../../common/errors.ts'
import { type Clock, systemClock } from './clock.ts'

export class PauseGate {
  #notBefore = 0
  readonly #clock: Clock
  readonly #closed = new AbortController()
  /** Ends every wait before a request: the source has ended, or the pause gate is closed permanently. */
  readonly signal: AbortSignal

  constructor(lifetime: AbortSignal, clock: Clock = systemClock) {
    this.#clock = clock
    this.signal = this.#closed.signal
    const end = (): void => this.#closed.abort(lifetime.reason)
    if (lifetime.aborted) end()
    // Not AbortSignal.any: each check of such a signal checks all its sources.
    else lifetime.addEventListener('abort', end, { once: true })
  }

  /** Delays all requests for so many ms from now. A shorter pause never replaces a longer one. */
  pauseFor(ms: number): void {
    this.#notBefore = Math.max(this.#notBefore, this.#clock.now() + ms)
  }

  /** No further request starts, and every wait ends with the error: the pause is longer than this run may wait. */
  closePermanently(error: RequestSkippedError): void {
    this.#closed.abort(error)
  }

  /** Waits until the pause gate is open. @throws the reason when the source ends or the gate is closed permanently */
  async wait(): Promise<void> {
    for (;;) {
      this.signal.throwIfAborted()
      const left = this.#notBefore - this.#clock.now()
      if (left <= 0) return
      await this.#clock.sleep(Math.ceil(left), this.signal)
    }
  }
}
