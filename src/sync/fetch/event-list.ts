import type { EventItem, StoredReject, RunMode } from '../../common/schema/tables.ts'
import type { Identity } from '../../load/stored-identity.ts'
import type { FetchedListFacts } from './list-facts.ts'

/** The event list. It is in memory whole, however long: a run needs all of it at once. */
export interface EventList extends FetchedListFacts {
  readonly rows: readonly EventItem[]
  readonly rejects: readonly StoredReject[]
  /** Ids of its rows, and of rejects whose id can be read. */
  readonly ids: readonly string[]
}

/** The first two responses of the service. */
export interface FirstResponses {
  readonly identity: Identity
  readonly list: EventList
}

/**
 * Whether the mirror has the event rows that the service lists, and no other event: the list is the one whose digest is
 * stored. The digest is stored when every event row is current, and invalidated by whoever writes an event row of another
 * list (`newEventListVersion`). A backfill uses no digest.
 */
export function isEventListCurrent(mode: RunMode, list: Pick<EventList, 'digestMatch'>): boolean {
  return mode !== 'backfill' && list.digestMatch === 'same'
}
