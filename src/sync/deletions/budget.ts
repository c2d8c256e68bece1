import type { Decision, Removals } from './guard.ts'

/**
 * What a run has removed so far: the brake looks at it. Batches that are still being written count from the moment at
 * which they decide, so that two at once do not spend the same budget.
 */
export class RunRemovals {
  #removed = 0
  #brakes = 0

  get now(): Removals {
    return { removed: this.#removed, braked: this.#brakes > 0 }
  }

  add({ unconfirmed, brakes }: Decision): void {
    this.#removed += unconfirmed
    this.#brakes += Number(brakes)
  }

  /** A decision whose batch was rolled back. */
  takeBack({ unconfirmed, brakes }: Decision): void {
    this.#removed -= unconfirmed
    this.#brakes -= Number(brakes)
  }
}
