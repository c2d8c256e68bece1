import type { Observation } from '../../../src/common/schema/tables.ts'
import type { NormalisedList } from '../../../src/normalise/list/list.ts'

/** What a list showed, as `path kind value` with how often. */
export function observedIn(list: NormalisedList<unknown>): Readonly<Record<string, number>> {
  return byFact(list.observations.toObservations())
}

/** The same of one kind, by path and value. */
export function observedOf(list: NormalisedList<unknown>, kind: string): Readonly<Record<string, number>> {
  return Object.fromEntries(
    list.observations
      .toObservations()
      .filter((observation) => observation.kind === kind)
      .map(({ path, value, count }) => [`${path} ${value}`, count]),
  )
}

export function byFact(observations: readonly Observation[]): Readonly<Record<string, number>> {
  return Object.fromEntries(
    observations.map(({ path, kind, value, count }) => [`${path} ${kind} ${value}`, count]),
  )
}
