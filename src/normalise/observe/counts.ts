import { MAX_VALUES, OTHER_VALUES } from './safe-value.ts'

interface Counter {
  times: number
}

/** Stands where no value came yet. */
const NO_COUNTER: Counter = { times: 0 }

export type Countable = string | number

/** How often each value of something was seen. Values beyond the first `most` are counted as one. */
export class ValueCounts<Value extends Countable> {
  readonly #maxValues: number
  /** Made with the first value: most series of a list stay empty. */
  #counters: Map<Value | typeof OTHER_VALUES, Counter> | null = null
  /** Neighbours in a list are mostly alike: the counter of the last value spares the look-up. */
  #last: Value | null = null
  #counter: Counter = NO_COUNTER

  constructor(most = MAX_VALUES) {
    this.#maxValues = most
  }

  /**
   * Counts one more of a value.
   *
   * @param keep asked once for each new value: what to count it as.
   */
  count(value: Value, keep?: (value: Value) => Value): void {
    if (value !== this.#last) {
      this.#counter = this.#counters?.get(value) ?? this.#start(keep === undefined ? value : keep(value))
      this.#last = value
    }
    this.#counter.times += 1
  }

  add(value: Value | typeof OTHER_VALUES, times: number): void {
    const counter = this.#counters?.get(value) ?? this.#start(value)
    counter.times += times
  }

  entries(): (readonly [Value | typeof OTHER_VALUES, number])[] {
    return [...(this.#counters ?? [])].map(([value, { times }]) => [value, times])
  }

  #start(value: Value | typeof OTHER_VALUES): Counter {
    const counters = (this.#counters ??= new Map<Value | typeof OTHER_VALUES, Counter>())
    const key = counters.size < this.#maxValues ? value : OTHER_VALUES
    const known = counters.get(key)
    if (known !== undefined) return known
    const counter = { times: 0 }
    counters.set(key, counter)
    return counter
  }
}
