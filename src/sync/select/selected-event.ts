import type { EventItem } from '../../common/schema/tables.ts'
import type { ListState } from '../../load/state/sync-state.ts'

/** An event whose responses are to be read. */
export interface DueEvent {
  readonly event: EventItem
  /** The event's own record beside the mirror's; `renormalised`: only our own version reads it differently. */
  readonly eventRow: 'same' | 'changed' | 'renormalised'
  /** The record as listed cannot be stored: `event` is the mirror's own, and is not written. */
  readonly isRejected: boolean
  readonly state: ListState | undefined
  /** Null unless this run has read the list before, and reads it once more (second-reading.ts). */
  readonly firstReading: FirstReading | null
}

/** What the first reading of a list has done that is read twice in a run. */
export interface FirstReading {
  /** Whether it changed anything. */
  readonly changed: boolean
  /** Responses that it removed: in a dry run they are live still. */
  readonly removed: readonly string[]
}

/** Whether personal data of the responses come back that were forgotten. */
export function restoresPersonal({ state }: DueEvent): boolean {
  return state?.retention === 'restored'
}

/** The same event: this reading brings its personal data back. */
export function restored(due: DueEvent): DueEvent {
  return due.state === undefined ? due : { ...due, state: { ...due.state, retention: 'restored' } }
}
