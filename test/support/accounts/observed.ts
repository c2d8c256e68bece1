import type { Observation } from '../../../src/common/schema/tables.ts'
import type { ListSummary } from '../../../src/normalise/list/list-summary.ts'

/** What a list showed of one kind, as `path value`, sorted. */
export function observedOf(list: ListSummary, kind: string): readonly string[] {
  const ofKind = ({ path, kind: its, value }: Observation) => (its === kind ? [`${path} ${value}`] : [])
  return list.observations.flatMap(ofKind).toSorted()
}
