import type { RunMode } from '../../common/schema/tables.ts'
import type { EventList } from './event-list.ts'

/**
 * Whether the mirror has the records that the service lists, and no other event: the list is the one whose digest is
 * stored. It is stored when every event row is current, and invalidated by whoever writes an event row of another list
 * (`newEventsVersion`). A backfill uses no digest.
 */
export function isEventListCurrent(mode: RunMode, list: Pick<EventList, 'digestMatch'>): boolean {
  return mode !== 'backfill' && list.digestMatch === 'same'
}
