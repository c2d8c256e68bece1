/** What is written of an event. */
import type { RecordsChange, UnchangedState } from '../../load/state/sync-state.ts'
import type { Written } from '../../load/statements.ts'
import type { ListInMemory, NewList, StorableList } from '../fetch/response-list.ts'
import type { LargeResponses } from '../fetch/streamed-responses.ts'
import type { DueEvent } from '../select/due-event.ts'

/** An event to be brought up to date: its record, and its responses unless they are unchanged. */
export type EventLoad = NewLoad | LoadInMemory | UnchangedLoad

export type NewLoad = ListLoad<NewList>

export type LoadInMemory = ListLoad<ListInMemory>

/** An event with its list, which is known whole. */
export type ListLoad<List extends StorableList = StorableList> = DueEvent & { readonly list: List }

/** An event whose list is as it was; its own record is not. */
export type UnchangedLoad = DueEvent & { readonly list: null; readonly unchanged: Unchanged }

/** What is known of a list that is still as it was. */
export type Unchanged = Pick<UnchangedState, 'etag' | 'read_whole'>

/** An event whose list is too large for memory. */
export type LargeLoad = DueEvent & { readonly large: LargeResponses }

/** What was written to the records of a batch's events, and of what hangs on no response. */
export interface RecordsWritten extends Written {
  readonly change: RecordsChange
}
