import type { EventItem, Observation, TableCounts } from '../common/schema/tables.ts'
import type { Transaction } from '../db/transaction.ts'
import { recordIdentity } from './account-identity.ts'
import type { EncodedList } from './copy/response-encoder.ts'
import { loadEvents } from './write/events.ts'
import type { EventResponse } from './write/recordsets.ts'
import { loadNewLists } from './write/new-lists.ts'
import { recordObservations } from './state/observations.ts'
import { removeOrphans } from './diff/orphans.ts'
import { replaceRejects } from './state/rejects.ts'
import type { ListRejects } from './state/rejects.ts'
import { removeEvents, removeResponses } from './write/delete.ts'
import { loadResponses } from './write/responses.ts'
import {
  countOpenMatters,
  forgetUnlisted,
  recordFailed,
  recordRead,
  recordUnchanged,
} from './state/sync-state.ts'
import type {
  FailedState,
  OpenMatters,
  ReadState,
  RecordsChange,
  UnchangedState,
} from './state/sync-state.ts'
import type { Writing, Written } from './statements.ts'

/**
 * The door through which a run changes the mirror: every decision is taken before it. Behind it stands what writes
 * (`load`), or what only compares and counts (planner.ts), so that a dry run tells the story of the real one.
 */
export interface Load {
  identity(
    trx: Transaction,
    account: number,
    identity: { readonly email: string | null; readonly base_url: string },
    isOther: boolean,
  ): Promise<void>
  events(trx: Transaction, writing: Writing, events: readonly EventItem[]): Promise<Written>
  responses(
    trx: Transaction,
    writing: Writing,
    fresh: readonly EventResponse[],
    others: readonly EventResponse[],
  ): Promise<Written>
  /** Null where nothing is written: then no list is encoded. */
  readonly newLists: ((trx: Transaction, lists: readonly EncodedList[]) => Promise<Written>) | null
  removeResponses(
    trx: Transaction,
    writing: Writing,
    keys: readonly { readonly event_id: string; readonly id: string }[],
  ): Promise<TableCounts>
  removeEvents(trx: Transaction, writing: Writing, ids: readonly string[]): Promise<TableCounts>
  removeOrphans(trx: Transaction, account: number, event_ids: readonly string[]): Promise<TableCounts>
  rejects(trx: Transaction, account: number, run: string, lists: readonly ListRejects[]): Promise<void>
  read(
    trx: Transaction,
    account: number,
    backfill: string | null,
    states: readonly ReadState[],
    records: RecordsChange,
  ): Promise<void>
  unchanged(trx: Transaction, account: number, lists: readonly UnchangedState[]): Promise<void>
  observations(trx: Transaction, account: number, observations: readonly Observation[]): Promise<void>
  failed(trx: Transaction, account: number, failures: readonly FailedState[]): Promise<void>
  forgetUnlisted(trx: Transaction, account: number, listed: readonly string[]): Promise<void>
  /** What is held back or rejected once all of this is done. */
  openMatters(trx: Transaction, account: number): Promise<OpenMatters>
}

/** Writes. */
export const load: Load = {
  identity: recordIdentity,
  events: loadEvents,
  responses: loadResponses,
  newLists: loadNewLists,
  removeResponses,
  removeEvents,
  removeOrphans,
  rejects: replaceRejects,
  read: recordRead,
  unchanged: recordUnchanged,
  failed: recordFailed,
  observations: recordObservations,
  forgetUnlisted,
  openMatters: countOpenMatters,
}
