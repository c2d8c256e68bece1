import { textsOf } from './observation-counter.ts'
import type { Observed } from './observation-counter.ts'
import { quotable } from './safe-value.ts'

const orders = { event: textsOf('events', 'order'), response: textsOf('responses', 'order') }
const duplicates = {
  event: textsOf('event', 'duplicate_key'),
  response: textsOf('response', 'duplicate_key'),
}

type Name = 'event' | 'response'

/** Notes keys that stand twice in one object. */
export function noteDuplicateKeys(observed: Observed, name: Name, keys: readonly string[]): void {
  for (const key of keys) observed.texts(duplicates[name]).note(key, quotable)
}

/** How the ids of a list follow one another. */
export class IdOrder {
  readonly #compareIds: (a: string, b: string) => number
  #last: string | null = null
  #isOne = true
  #ascends = true
  #descends = true
  #hasTwins = false

  constructor(compareIds: (a: string, b: string) => number) {
    this.#compareIds = compareIds
  }

  /** The next id, as sent. */
  add(id: string): void {
    if (this.#last !== null) {
      this.#isOne = false
      if (this.#ascends || this.#descends) {
        const difference = this.#compareIds(this.#last, id)
        if (difference === 0) this.#hasTwins = true
        if (difference > 0) this.#ascends = false
        if (difference < 0) this.#descends = false
      }
    }
    this.#last = id
  }

  /** Whether each id comes after the one before it. */
  get isStrict(): boolean {
    return this.#ascends && !this.#hasTwins
  }

  /** Whether each id follows in one direction so far, so that none stands twice. */
  get isOneWay(): boolean {
    return (this.#ascends || this.#descends) && !this.#hasTwins
  }

  /** Notes it, unless there are fewer than two. */
  note(observed: Observed, name: Name): void {
    if (this.#last === null || this.#isOne) return
    const order = this.#ascends ? 'ids ascending' : this.#descends ? 'ids descending' : 'not by id'
    observed.texts(orders[name]).note(order)
  }
}
