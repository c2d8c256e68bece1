/**
 * Permits that are acquired and released by hand. Not p-limit: it runs functions, and its queue is a linked list, whose
 * old nodes keep alive what newer ones hold until the next full garbage collection.
 */
import { raceAbort } from './abort.ts'

/** Releases the permit; a second call does nothing. */
export type Release = () => void

export class Semaphore {
  #concurrency: number
  #taken = 0
  readonly #waiting: ((release: Release) => void)[] = []

  constructor(concurrency: number) {
    this.#concurrency = concurrency
  }

  get concurrency(): number {
    return this.#concurrency
  }

  /** With fewer permits than are taken, none is given until enough were released. */
  set concurrency(concurrency: number) {
    this.#concurrency = concurrency
    this.#giveNext()
  }

  /** Waits for a permit. @throws the signal's reason when it is aborted first; no permit stays taken */
  async acquire(signal: AbortSignal): Promise<Release> {
    signal.throwIfAborted()
    if (this.#taken < this.#concurrency) return this.#take()
    const { promise, resolve } = Promise.withResolvers<Release>()
    this.#waiting.push(resolve)
    try {
      return await raceAbort(promise, signal)
    } catch (error) {
      const index = this.#waiting.indexOf(resolve)
      if (index >= 0) this.#waiting.splice(index, 1)
      // The permit arrived at the moment of the abort.
      else (await promise)()
      throw error
    }
  }

  #take(): Release {
    let isTaken = true
    this.#taken += 1
    return () => {
      if (!isTaken) return
      isTaken = false
      this.#taken -= 1
      this.#giveNext()
    }
  }

  #giveNext(): void {
    while (this.#taken < this.#concurrency) {
      const next = this.#waiting.shift()
      if (next === undefined) return
      next(this.#take())
    }
  }
}
