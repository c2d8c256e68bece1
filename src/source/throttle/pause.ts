/** The pause that a service asks for: `Retry-After` on any response delays every request to it. */
import { type Clock, systemClock } from './clock.ts'

export class Pause {
  #notBefore = -Infinity
  readonly #clock: Pick<Clock, 'now'>

  constructor(clock: Pick<Clock, 'now'> = systemClock) {
    this.#clock = clock
  }

  /** Delays all requests for so many ms from now. A shorter pause never replaces a longer one. */
  extendTo(ms: number): void {
    this.#notBefore = Math.max(this.#notBefore, this.#clock.now() + ms)
  }

  /** 0 when requests may start. */
  get leftMs(): number {
    return Math.max(0, this.#notBefore - this.#clock.now())
  }
}
