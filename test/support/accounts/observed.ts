import type { Observation } from '../../../src/common/schema/tables.ts'
import type { NormalisedList } from '../../../src/normalise/list/list.ts'

/** What a list showed of one kind, as `path value`, sorted. */
export function observedOf(list: NormalisedList<unknown>, kind: string): readonly string[] {
  const ofKind = ({ path, kind: its, value }: Observation) => (its === kind ? [`${path} ${value}`] : [])
  return list.observations.flatMap(ofKind).toSorted()
}
