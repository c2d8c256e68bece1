/**
 * A list in several pages may change between two of them: an item that moves onto a page that was read already is in
 * none, although the service still has it. What such a list lacks is absent only when a second reading lacks it too.
 * Pure. The guard of deletions (deletions.ts) decides on the absences that are confirmed.
 */
import type { HeldGroup } from '../../common/schema/tables.ts'
import { compareUtf8 } from '../../normalise/values/collation.ts'
import type { DigestMatch } from '../fetch/change-detection.ts'

/** A list that lacks more is not read again in the same run: that is no page shift, and the next run reads it anyway. */
const MAX_ABSENCES_TO_REREAD = 10
/** Requests that a run may spend on second readings: a share of those that it has sent, and a few in a short run. */
const MIN_REREAD_REQUESTS = 3
const REREAD_SHARE = 0.05

/** What one reading of a list shows of its own completeness. */
export interface PagedReading {
  /** Pages in which the list came; one page is one moment. */
  readonly pages: number
  readonly digestMatch: DigestMatch
}

/** What former readings of the list lacked. */
export interface FormerAbsences {
  readonly unconfirmed_absences: readonly string[]
  readonly held_deletions: readonly HeldGroup[]
}

export interface Absences {
  /** The list really lacks these: the guard of deletions decides on them. */
  readonly confirmed: readonly string[]
  /** A second reading decides: these rows stay. */
  readonly unconfirmed: readonly string[]
}

/** Tells which of the absent ids a second reading lacks too. What is held was lacking in an earlier one. */
export function confirmAbsences(
  absent: readonly string[],
  { pages, digestMatch }: PagedReading,
  former: FormerAbsences | undefined,
): Absences {
  // A list that is equal to the stored one, byte for byte, was read with the same ids before.
  // guard: one reading of pages
  if (pages === 1 || digestMatch !== 'other') return { confirmed: absent, unconfirmed: [] }
  const before = new Set([
    ...(former?.unconfirmed_absences ?? []),
    ...(former?.held_deletions.flatMap(({ ids }) => ids) ?? []),
  ])
  return {
    // guard: two readings of pages
    confirmed: absent.filter((id) => before.has(id)),
    unconfirmed: absent.filter((id) => !before.has(id)),
  }
}

/** A list that was read once. */
export interface UnconfirmedList {
  readonly event_id: string
  /** Requests that a second reading will take. */
  readonly pages: number
  /** How many absences are unconfirmed. */
  readonly absences: number
}

/** Whether few enough absences are unconfirmed that the list is read once more in the same run. */
export function isWorthRereading(absences: number): boolean {
  return absences > 0 && absences <= MAX_ABSENCES_TO_REREAD
}

/** How many requests a run may spend on second readings. @param requests that it has sent so far */
export function rereadBudget(requests: number): number {
  return Math.max(MIN_REREAD_REQUESTS, Math.floor(requests * REREAD_SHARE))
}

/** The lists that are read once more within the budget: the short ones first, so that as many as can be are settled. */
export function chooseRereads<List extends UnconfirmedList>(
  lists: readonly List[],
  budget: number,
): readonly List[] {
  let left = budget
  return lists
    .filter(({ absences }) => isWorthRereading(absences))
    .toSorted((one, other) => one.pages - other.pages || compareUtf8(one.event_id, other.event_id))
    .filter(({ pages }) => {
      if (pages > left) return false
      left -= pages
      return true
    })
}
