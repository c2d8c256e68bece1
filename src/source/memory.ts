/**
 * Memory for large bodies: what is above 4 MB waits for the one place that a source has for it.
 *
 * Small bodies need none: their number is bounded by the number of requests at once.
 */
import type { LimitFunction } from 'p-limit'
import { takePlace, type GiveBack } from './places.ts'

const FREE_BYTES = 4 * 1024 * 1024

export class MemoryClaim implements Disposable {
  readonly #limit: LimitFunction
  #giveBack: GiveBack | null = null

  constructor(limit: LimitFunction) {
    this.#limit = limit
  }

  /** Whether this reading holds the place for large bodies. */
  get held(): boolean {
    return this.#giveBack !== null
  }

  /** Whether so many bytes need the place and do not have it yet. */
  lacks(bytes: number): boolean {
    return bytes > FREE_BYTES && !this.held
  }

  /** Waits for the place. */
  async take(signal: AbortSignal): Promise<void> {
    this.#giveBack ??= await takePlace(this.#limit, signal)
  }

  /** A try has failed and its bytes are gone: the place goes back unless the pages kept still need it. */
  keepOnly(bytes: number): void {
    if (bytes <= FREE_BYTES) this[Symbol.dispose]()
  }

  [Symbol.dispose](): void {
    this.#giveBack?.()
    this.#giveBack = null
  }
}
