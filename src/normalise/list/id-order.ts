import type { Observation } from '../../common/schema/items.ts'

/** How the ids of a list follow one another. */
export class IdOrder {
  #isSingle = true
  #ascends = true
  #descends = true
  #hasDuplicates = false

  /** @param difference positive when the next id comes after the one before it, negative before it, 0 for the same */
  add(difference: number): void {
    this.#isSingle = false
    if (difference > 0) this.#descends = false
    else if (difference < 0) this.#ascends = false
    else this.#hasDuplicates = true
  }

  /** Whether each id comes after the one before it. */
  get isStrictlyAscending(): boolean {
    return this.#ascends && !this.#hasDuplicates
  }

  /** Whether each id follows in one direction so far, so that none stands twice. */
  get isStrictlyMonotonic(): boolean {
    // guard: one reading of a large list
    return (this.#ascends || this.#descends) && !this.#hasDuplicates
  }

  /** The order as an observation, unless there are fewer than two ids. */
  observations(name: 'event' | 'response'): readonly Observation[] {
    if (this.#isSingle) return []
    const value = this.#ascends ? 'ids ascending' : this.#descends ? 'ids descending' : 'not by id'
    return [{ path: `${name}s`, kind: 'order', value }]
  }
}
