import type { DueEvent } from '../select/due-event.ts'
import { isWorthRereading } from './unconfirmed-absences.ts'
import type { UnconfirmedList } from './unconfirmed-absences.ts'
import type { ListWrite } from '../write/event-write.ts'
import type { ListDecision } from './decisions.ts'

/** A list of responses whose absences a second reading may confirm. */
export interface Reread extends UnconfirmedList {
  /** The event as the first reading left it. */
  readonly due: DueEvent
}

/** Lists of this run that are stored, and worth a second reading. */
export class UnconfirmedLists {
  readonly lists: Reread[] = []

  /** Call it when the batch is committed. */
  add(load: ListWrite, decision: ListDecision | undefined, changed: boolean): void {
    const absences = decision?.unconfirmedAbsences ?? []
    if (decision === undefined || load.firstReading !== null || !isWorthRereading(absences.length)) return
    const { event, isRejected, list } = load
    const state: NonNullable<DueEvent['state']> = {
      ...(load.state ?? neverRead(event.id)),
      digest: null,
      etag: null,
      held_deletions: decision.held,
      unconfirmed_absences: absences,
      error_code: null,
    }
    const firstReading = { changed, removed: decision.remove }
    const due: DueEvent = { event, eventRow: 'same', isRejected, state, firstReading }
    this.lists.push({ event_id: event.id, pages: list.pages, absences: absences.length, due })
  }
}

/** Of a list whose rows are live although nothing is known of it: someone has deleted that by hand. */
function neverRead(event_id: string): NonNullable<DueEvent['state']> {
  return {
    event_id,
    digest: null,
    normaliser_version: null,
    etag: null,
    last_full_read_at: null,
    checked_at: null,
    next_check_at: null,
    poll_interval_s: null,
    backfill_id: null,
    held_deletions: [],
    unconfirmed_absences: [],
    error_code: null,
  }
}
