import { MOST_VALUES, OTHERS } from './safe-value.ts'

interface Counter {
  times: number
}

/** Stands where no value came yet. */
const NONE: Counter = { times: 0 }

export type Countable = string | number

/** How often each value of something was seen. Values beyond the first `most` are counted as one. */
export class Counts<Value extends Countable> {
  readonly #most: number
  /** Made with the first value: most series of a list stay empty. */
  #counters: Map<Value | typeof OTHERS, Counter> | null = null
  /** Neighbours in a list are mostly alike: the counter of the last value spares the look-up. */
  #last: Value | null = null
  #counter: Counter = NONE

  constructor(most = MOST_VALUES) {
    this.#most = most
  }

  /**
   * Counts one more of a value.
   *
   * @param keep asked once for each new value: what to count it as.
   */
  note(value: Value, keep?: (value: Value) => Value): void {
    if (value !== this.#last) {
      this.#counter = this.#counters?.get(value) ?? this.#start(keep === undefined ? value : keep(value))
      this.#last = value
    }
    this.#counter.times += 1
  }

  add(value: Value | typeof OTHERS, times: number): void {
    const counter = this.#counters?.get(value) ?? this.#start(value)
    counter.times += times
  }

  entries(): (readonly [Value | typeof OTHERS, number])[] {
    return [...(this.#counters ?? [])].map(([value, { times }]) => [value, times])
  }

  #start(value: Value | typeof OTHERS): Counter {
    const counters = (this.#counters ??= new Map<Value | typeof OTHERS, Counter>())
    const key = counters.size < this.#most ? value : OTHERS
    const known = counters.get(key)
    if (known !== undefined) return known
    const counter = { times: 0 }
    counters.set(key, counter)
    return counter
  }
}
