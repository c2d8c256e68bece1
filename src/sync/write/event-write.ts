/** What is written of an event. */
import type { EventRowsChange, UnchangedState } from '../../load/state/sync-state.ts'
import type { WriteResult } from '../../load/statements.ts'
import type { BufferedList, StorableList } from '../fetch/response-list.ts'
import type { StreamedResponses } from '../fetch/streamed-responses.ts'
import type { DueEvent } from '../select/selected-event.ts'

/** An event to be brought up to date: its record, and its responses unless they are unchanged. */
export type EventWrite = BufferedWrite | UnchangedWrite

export type BufferedWrite = ListWrite<BufferedList>

/** An event with its list, which is known whole. */
export type ListWrite<List extends StorableList = StorableList> = DueEvent & { readonly list: List }

/** An event whose list is as it was; its own record is not. */
export type UnchangedWrite = DueEvent & { readonly list: null; readonly unchanged: Unchanged }

/** What is known of a list that is still as it was. */
export type Unchanged = Pick<UnchangedState, 'etag' | 'read_whole'>

/** An event whose list is too large for memory. */
export type StreamedWrite = DueEvent & { readonly large: StreamedResponses }

/** What was written to the records of a batch's events, and of what hangs on no response. */
export interface EventRowsWritten extends WriteResult {
  readonly change: EventRowsChange
}
