import { textMetric } from './observation-counter.ts'
import type { ObservationCounter } from './observation-counter.ts'
import { safeValue } from './safe-value.ts'

const orders = { event: textMetric('events', 'order'), response: textMetric('responses', 'order') }
const duplicates = {
  event: textMetric('event', 'duplicate_key'),
  response: textMetric('response', 'duplicate_key'),
}

type Name = 'event' | 'response'

/** Notes keys that stand twice in one object. */
export function countDuplicateKeys(
  observations: ObservationCounter,
  name: Name,
  keys: readonly string[],
): void {
  for (const key of keys) observations.texts(duplicates[name]).count(key, safeValue)
}

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

  /** Notes it, unless there are fewer than two. */
  report(observations: ObservationCounter, name: Name): void {
    if (this.#last === null || this.#isSingle) return
    const order = this.#ascends ? 'ids ascending' : this.#descends ? 'ids descending' : 'not by id'
    observations.texts(orders[name]).count(order)
  }
}
