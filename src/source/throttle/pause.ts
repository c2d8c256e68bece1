/** The pauses that a service asks for: `Retry-After` on a rejection. */
import { type Clock, systemClock } from './clock.ts'

/** What one account has to wait for. */
export interface Pause {
  /** 0 when its requests may start. */
  readonly leftMs: number
  /**
   * The service asks the account to wait for so many ms from now. A shorter pause never replaces a longer one.
   *
   * @returns whether nobody may ask meanwhile
   */
  extendTo(ms: number): boolean
}

/**
 * Of a service and all its accounts. A rejection may concern one key alone, and one account must delay no other: a pause binds the account that was asked for
 * it, and all of them once a second one is asked before the service has answered anybody.
 */
export class Pauses {
  readonly #clock: Pick<Clock, 'now'>
  readonly #accounts = new Map<string, number>()
  #ofAll = -Infinity
  /** The accounts that were asked to wait since the last answer. */
  readonly #asked = new Set<string>()

  constructor(clock: Pick<Clock, 'now'> = systemClock) {
    this.#clock = clock
  }

  of(account: string): Pause {
    if (!this.#accounts.has(account)) this.#accounts.set(account, -Infinity)
    const left = () => Math.max(this.leftOfAllMs, this.#left(this.#accounts.get(account) ?? -Infinity))
    return {
      get leftMs() {
        return left()
      },
      extendTo: (ms) => this.#extend(account, this.#clock.now() + ms),
    }
  }

  /** 0 unless all must wait. */
  get leftOfAllMs(): number {
    return this.#left(this.#ofAll)
  }

  /** The service has answered a request, whoever sent it. */
  onAnswer(): void {
    this.#asked.clear()
  }

  #left(notBefore: number): number {
    return Math.max(0, notBefore - this.#clock.now())
  }

  #extend(account: string, notBefore: number): boolean {
    this.#asked.add(account)
    this.#accounts.set(account, Math.max(this.#accounts.get(account) ?? -Infinity, notBefore))
    // guard: pause of one account
    if (this.#asked.size > 1) this.#ofAll = Math.max(this.#ofAll, notBefore)
    return this.leftOfAllMs > 0 || this.#accounts.size === 1
  }
}
