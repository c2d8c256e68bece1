/**
 * A list in several pages may change between two of them: an item that moves onto a page that was read already is in
 * none, although the service still has it. What such a list lacks is absent only when a second reading lacks it too.
 * Pure. The deletion guard (deletion-guard.ts) decides on the absences that are confirmed.
 */
import type { ListState } from '../../load/state/sync-state.ts'
import { compareUtf8 } from '../../common/text/collation.ts'
import type { FetchedListFacts } from '../fetch/list-facts.ts'
import type { DueEvent } from '../select/selected-event.ts'
import type { ListWrite } from '../write/event-write.ts'
import { heldIds, type Decision } from './deletion-guard.ts'

/** A list that lacks more is not read again in the same run: that is no page shift, and the next run reads it anyway. */
const MAX_ABSENCES_TO_REREAD = 10
/** Requests that a run may spend on second readings: a share of those that it has sent, and a few in a short run. */
const MIN_REREAD_REQUESTS = 3
const REREAD_SHARE = 0.05

export interface Absences {
  /** The list really lacks these: the deletion guard decides on them. */
  readonly confirmed: readonly string[]
  /** A second reading decides: these rows stay. */
  readonly unconfirmed: readonly string[]
}

/**
 * Tells which of the absent ids a second reading lacks too.
 *
 * @param former what earlier readings of the list lacked; what is held was lacking in one of them
 */
export function confirmAbsences(
  absent: readonly string[],
  { pages, digestMatch }: Pick<FetchedListFacts, 'pages' | 'digestMatch'>,
  former: Pick<ListState, 'unconfirmed_absences' | 'held_deletions'> | undefined,
): Absences {
  // One page is one moment. A list that is equal to the stored one, byte for byte, was read with the same ids before.
  // guard: one reading of pages
  if (pages === 1 || digestMatch !== 'other') return { confirmed: absent, unconfirmed: [] }
  const before = new Set([...(former?.unconfirmed_absences ?? []), ...heldIds(former?.held_deletions ?? [])])
  return {
    // guard: two readings of pages
    confirmed: absent.filter((id) => before.has(id)),
    unconfirmed: absent.filter((id) => !before.has(id)),
  }
}

/** What is decided of the absences that are confirmed, and those that are not: their rows stay. */
export interface ListDecision extends Decision {
  readonly unconfirmedAbsences: readonly string[]
}

/** A list of responses whose absences a second reading may confirm. */
export interface Reread {
  readonly event_id: string
  /** Requests that a second reading will take. */
  readonly pages: number
  /** How many absences are unconfirmed. */
  readonly absences: number
  /** The event as the first reading left it. */
  readonly due: DueEvent
}

/** Lists of this run that are stored, and worth a second reading. */
export class UnconfirmedLists {
  readonly lists: Reread[] = []

  /** Call it when the batch is committed. */
  add(load: ListWrite, decision: ListDecision | undefined, changed: boolean): void {
    const { event, isRejected, list, state } = load
    const absences = decision?.unconfirmedAbsences ?? []
    if (decision === undefined || state === undefined) return
    if (load.firstReading !== null || !isWorthRereading(absences.length)) return
    const { held: held_deletions, remove: removed } = decision
    const left = {
      digest: null,
      etag: null,
      error_code: null,
      held_deletions,
      unconfirmed_absences: absences,
    }
    const due: DueEvent = {
      event,
      eventRow: 'same',
      isRejected,
      state: { ...state, ...left },
      firstReading: { changed, removed },
    }
    this.lists.push({ event_id: event.id, pages: list.pages, absences: absences.length, due })
  }
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
export function chooseRereads<List extends Pick<Reread, 'event_id' | 'pages' | 'absences'>>(
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
