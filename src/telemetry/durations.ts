/** A histogram of durations whose values are counted many at once. */
import { ROOT_CONTEXT, type Attributes, type Histogram } from '@opentelemetry/api'

const MAX_WAITING = 2000

/**
 * Values wait until somebody collects, or until there are many: one after the other they are counted in half of the time that it takes between two
 * requests, where the code for it is seldom at hand.
 */
export class Durations {
  readonly #histogram: Histogram
  readonly #seconds: number[] = []
  readonly #attributes: Attributes[] = []

  constructor(histogram: Histogram) {
    this.#histogram = histogram
  }

  record(seconds: number, attributes: Attributes): void {
    this.#attributes.push(attributes)
    if (this.#seconds.push(seconds) === MAX_WAITING) this.flush()
  }

  flush(): void {
    for (const [index, seconds] of this.#seconds.entries())
      this.#histogram.record(seconds, this.#attributes[index], ROOT_CONTEXT)
    this.#seconds.length = 0
    this.#attributes.length = 0
  }
}
