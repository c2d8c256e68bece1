import type { RunMode } from '../../common/schema/tables.ts'
import type { EventList } from './event-list.ts'

/**
 * Whether the mirror has the records that the service lists, and no other event: the list is the one whose digest is
 * stored. It is stored when no event is in doubt, and taken away by whoever writes a record of another list
 * (`newEventsVersion`). A backfill trusts no digest.
 */
export function isEventListCurrent(mode: RunMode, list: Pick<EventList, 'digestMatch'>): boolean {
  return mode !== 'backfill' && list.digestMatch === 'same'
}
