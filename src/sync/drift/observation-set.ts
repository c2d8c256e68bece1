import type { Observation } from '../../common/schema/tables.ts'
import { MAX_VALUES, OTHER_VALUES } from '../../normalise/observe/safe-value.ts'

/** Distinct observations. Of each path and kind a bounded number of values is told apart; all further ones are one. */
export class ObservationSet {
  readonly #byKey = new Map<string, Observation>()
  /** Values of each path and kind. */
  readonly #values = new Map<string, number>()

  constructor(observations: Iterable<Observation> = []) {
    for (const observation of observations) this.add(observation)
  }

  has(observation: Observation): boolean {
    return this.#byKey.has(keyOf(observation))
  }

  /** Adds an observation. @returns as what it is kept */
  add(observation: Observation): Observation {
    const known = this.#byKey.get(keyOf(observation))
    if (known !== undefined) return known
    const group = `${observation.path} ${observation.kind}`
    const values = this.#values.get(group) ?? 0
    if (observation.value !== OTHER_VALUES) {
      // guard: bound on observed values
      if (values >= MAX_VALUES) return this.add({ ...observation, value: OTHER_VALUES })
      this.#values.set(group, values + 1)
    }
    this.#byKey.set(keyOf(observation), observation)
    return observation
  }

  [Symbol.iterator](): Iterator<Observation> {
    return this.#byKey.values()
  }
}

function keyOf({ path, kind, value }: Observation): string {
  return `${path} ${kind} ${value}`
}
