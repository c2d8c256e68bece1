import type { Decision, DeletionTotals } from './deletion-guard.ts'

/**
 * What a run has deleted so far, beside what it may. Batches that are still being written count from the moment at
 * which they decide, so that two at once do not spend the same budget.
 */
export class DeletionBudget {
  #removed = 0
  #trips = 0

  get totals(): DeletionTotals {
    return { removed: this.#removed, breakerOpen: this.#trips > 0 }
  }

  add({ unconfirmedCount, tripsBreaker }: Decision): void {
    this.#removed += unconfirmedCount
    this.#trips += Number(tripsBreaker)
  }

  /** A decision whose batch was rolled back. */
  release({ unconfirmedCount, tripsBreaker }: Decision): void {
    // guard: removals taken back
    this.#removed -= unconfirmedCount
    this.#trips -= Number(tripsBreaker)
  }
}
