import type { Observation } from '../../src/common/schema/tables.ts'
import type { Normalised } from '../../src/normalise/list/list.ts'

/** What a list showed, as `subject fact value` with how often. */
export function observedIn(list: Normalised<unknown>): Readonly<Record<string, number>> {
  return byFact(list.observed.tell())
}

/** The same of one fact, by subject and value. */
export function observedOf(list: Normalised<unknown>, fact: string): Readonly<Record<string, number>> {
  return Object.fromEntries(
    list.observed
      .tell()
      .filter((observation) => observation.fact === fact)
      .map(({ subject, value, seen }) => [`${subject} ${value}`, seen]),
  )
}

export function byFact(observations: readonly Observation[]): Readonly<Record<string, number>> {
  return Object.fromEntries(
    observations.map(({ subject, fact, value, seen }) => [`${subject} ${fact} ${value}`, seen]),
  )
}
