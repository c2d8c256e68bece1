/** A clock on which hours pass in a moment: whenever nothing can go on, it jumps to the next timer. */
import { setImmediate } from 'node:timers/promises'
import type { Clock } from '../../src/source/throttle/clock.ts'
import { raceAbort } from '../../src/common/abort.ts'

interface Timer {
  readonly at: number
  readonly fire: () => void
}

export class SimulatedClock implements Clock {
  #now = 0
  /** In order of their times; those of one time in the order in which they were set. */
  readonly #timers: Timer[] = []

  now(): number {
    return this.#now
  }

  async sleep(ms: number, signal: AbortSignal): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    this.at(this.#now + Math.max(0, ms), resolve)
    await raceAbort(promise, signal)
  }

  at(at: number, fire: () => void): void {
    let place = this.#timers.length
    while (place > 0 && (this.#timers[place - 1]?.at ?? 0) > at) place -= 1
    this.#timers.splice(place, 0, { at, fire })
  }

  /** Lets the time pass until the work is done. */
  async run<T>(work: Promise<T>): Promise<T> {
    let isDone = false
    const end = (): void => {
      isDone = true
    }
    void work.then(end, end)
    for (;;) {
      // Everything that needs no time goes on first.
      await setImmediate()
      if (isDone) return work
      const timer = this.#timers.shift()
      if (timer === undefined)
        throw new Error('The simulated work waits for something that is not simulated.')
      this.#now = Math.max(this.#now, timer.at)
      timer.fire()
    }
  }
}

/** Chance that is the same each time. */
export function randomFrom(seed: number): () => number {
  let state = seed
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}
