import type { Observation } from '../../common/schema/tables.ts'
import { MAX_VALUES, OTHER_VALUES } from '../../normalise/observe/safe-value.ts'

/** Distinct observations. Of each path and kind a bounded number of values is counted separately; all further ones count as one. */
export class ObservationSet {
  /** By kind, path and value: asked for each list, so that no key is made. */
  readonly #groups = new Map<string, Map<string, Map<string, Observation>>>()

  constructor(observations: Iterable<Observation> = []) {
    for (const observation of observations) this.add(observation)
  }

  has({ path, kind, value }: Observation): boolean {
    return this.#groups.get(kind)?.get(path)?.has(value) === true
  }

  /** Adds an observation. @returns as what it is kept */
  add(observation: Observation): Observation {
    const { path, kind, value } = observation
    const paths = getOrAdd(this.#groups, kind)
    const values = getOrAdd(paths, path)
    const known = values.get(value)
    if (known !== undefined) return known
    const isFull = values.size - Number(values.has(OTHER_VALUES)) >= MAX_VALUES
    // guard: bound on observed values
    if (isFull && value !== OTHER_VALUES) return this.add({ ...observation, value: OTHER_VALUES })
    values.set(value, observation)
    return observation
  }

  *[Symbol.iterator](): Generator<Observation> {
    for (const paths of this.#groups.values()) for (const values of paths.values()) yield* values.values()
  }
}

function getOrAdd<Value>(map: Map<string, Map<string, Value>>, key: string): Map<string, Value> {
  const found = map.get(key) ?? new Map<string, Value>()
  map.set(key, found)
  return found
}
