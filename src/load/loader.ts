import type { EventItem, Observation, TableCounts } from '../common/schema/tables.ts'
import type { Transaction } from '../db/transaction.ts'
import { saveIdentity } from './stored-identity.ts'
import { upsertEvents } from './write/events.ts'
import type { ListChanges } from './diff/list-diff.ts'
import { saveObservations } from './state/observations.ts'
import { deleteOrphans } from './diff/orphans.ts'
import { replaceRejects } from './state/rejects.ts'
import type { ListRejects } from './state/rejects.ts'
import { deleteEvents, deleteResponses } from './write/delete.ts'
import { forgetEvents, type ForgettableEvent, type ForgottenCounts } from './write/forget.ts'
import { suppressResponses } from './write/erase.ts'
import type { SuppressedResponse } from './state/suppressions.ts'
import { upsertResponses } from './write/responses.ts'
import {
  countOpenIssues,
  deleteStaleState,
  saveFailures,
  saveRead,
  markUnchanged,
} from './state/sync-state.ts'
import type {
  FailedState,
  OpenIssues,
  AppliedState,
  EventRowsChange,
  StateWriter,
  UnchangedState,
} from './state/sync-state.ts'
import type { WriteOptions, WriteResult } from './statements.ts'

/**
 * All writes of a run to the mirror. `postgresLoader` writes; the planner of a dry run (planner.ts) compares and counts.
 * So a dry run takes the same decisions as a real run.
 */
export interface Loader {
  saveIdentity(
    trx: Transaction,
    account: number,
    identity: { readonly email: string | null; readonly base_url: string },
    isOther: boolean,
  ): Promise<void>
  events(trx: Transaction, options: WriteOptions, events: readonly EventItem[]): Promise<WriteResult>
  responses(trx: Transaction, options: WriteOptions, lists: readonly ListChanges[]): Promise<WriteResult>
  deleteResponses(
    trx: Transaction,
    options: WriteOptions,
    keys: readonly { readonly event_id: string; readonly id: string }[],
  ): Promise<TableCounts>
  deleteEvents(trx: Transaction, options: WriteOptions, ids: readonly string[]): Promise<TableCounts>
  deleteOrphans(trx: Transaction, account: number, event_ids: readonly string[]): Promise<TableCounts>
  replaceRejects(trx: Transaction, account: number, run: string, lists: readonly ListRejects[]): Promise<void>
  saveRead(
    trx: Transaction,
    run: StateWriter,
    states: readonly AppliedState[],
    eventRows: EventRowsChange,
  ): Promise<void>
  markUnchanged(trx: Transaction, account: number, lists: readonly UnchangedState[]): Promise<void>
  saveObservations(
    trx: Transaction,
    account: number,
    observations: readonly Observation[],
    runs: 0 | 1,
  ): Promise<void>
  saveFailures(
    trx: Transaction,
    run: Pick<StateWriter, 'account' | 'run'>,
    failures: readonly FailedState[],
  ): Promise<void>
  forget(trx: Transaction, account: number, events: readonly ForgettableEvent[]): Promise<ForgottenCounts>
  /** Notes responses of erased people, and erases what is held of them. */
  suppress(trx: Transaction, account: number, found: readonly SuppressedResponse[]): Promise<void>
  deleteStaleState(trx: Transaction, account: number, listed: readonly string[]): Promise<void>
  /** The open issues after all these writes. */
  openIssues(trx: Transaction, account: number): Promise<OpenIssues>
}

export const postgresLoader: Loader = {
  saveIdentity,
  events: upsertEvents,
  responses: upsertResponses,
  deleteResponses,
  deleteEvents,
  deleteOrphans,
  replaceRejects,
  saveRead,
  markUnchanged,
  saveFailures,
  saveObservations,
  forget: forgetEvents,
  suppress: suppressResponses,
  deleteStaleState,
  openIssues: countOpenIssues,
}
