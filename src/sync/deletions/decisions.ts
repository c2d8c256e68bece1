import type { ListDiff } from '../../load/diff/list-diff.ts'
import type { Decision } from './guard.ts'

/** What is decided of each list that loses responses, by event. */
export type DeletionDecisions = Map<string, ListDecision>

/** What is decided of the absences that are confirmed, and those that are not: their rows stay. */
export interface ListDecision extends Decision {
  readonly unconfirmedAbsences: readonly string[]
}

/** Lists beside what was live of them, by event. */
export type Changes = ReadonlyMap<string, Pick<ListDiff, 'live' | 'fields' | 'absent'>>
