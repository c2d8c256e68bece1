import type { Observation } from '../../common/schema/items.ts'

/** How the ids of a list follow one another. */
export class IdOrder {
  readonly #compareIds: (a: string, b: string) => number
  #last: string | null = null
  #isSingle = true
  #ascends = true
  #descends = true
  #hasDuplicates = false

  constructor(compareIds: (a: string, b: string) => number) {
    this.#compareIds = compareIds
  }

  /** The next id, as sent. */
  add(id: string): void {
    if (this.#last !== null) {
      this.#isSingle = false
      if (this.#ascends || this.#descends) {
        const difference = this.#compareIds(this.#last, id)
        if (difference === 0) this.#hasDuplicates = true
        if (difference > 0) this.#ascends = false
        if (difference < 0) this.#descends = false
      }
    }
    this.#last = id
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
