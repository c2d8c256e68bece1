/** Whether lists that came back empty are an outage: told from all that a run has read, and from the runs before it. */
import type { Mirror, Unit } from './mirror.ts'

/** What became of a list that was read. */
export interface ListSeen {
  readonly unit: Unit
  /** It was answered without an item. */
  readonly isEmpty: boolean
  /** It is as it was. */
  readonly isUnchanged: boolean
}

/** A list with live responses that came back without an item. */
export function isEmptied({ unit, isEmpty }: ListSeen): boolean {
  return isEmpty && unit.responses.size > 0
}

export function areMostEmptied(before: Mirror, seen: readonly ListSeen[], allowed: number): boolean {
  const emptied = seen.filter(isEmptied)
  const full = seen.filter(({ unit, isEmpty, isUnchanged }) =>
    isUnchanged ? unit.responses.size > 0 : !isEmpty,
  )
  if (emptied.length >= 3 && emptied.length > full.length) return true
  const rows = emptied.reduce((sum, { unit }) => sum + unit.responses.size, 0)
  return full.length === 0 && rows + goneSince(before, lastSignOfLife(before)) > allowed
}

/** The run that last read a list with responses, as far as the mirror tells: nothing of it is held. */
function lastSignOfLife(mirror: Mirror): number {
  const runs = [...mirror.values()].flatMap(({ facts, responses }) =>
    facts?.checkedBy != null && facts.held.size + facts.unconfirmed.size === 0 && responses.size > 0
      ? facts.checkedBy
      : [],
  )
  return Math.max(0, ...runs)
}

/** Events and responses that were deleted by this run and those after it. */
function goneSince(mirror: Mirror, run: number): number {
  const deleted = [...mirror.values()]
    .flatMap(({ recordHistory, history }) => [recordHistory, ...history.values()])
    .flat()
    .filter((ended) => ended.operation === 'delete' && (ended.run ?? 0) >= run)
  return deleted.length
}
