/** The context of a run: its settings, its source, its mirror, and its state so far. */
import type { Kysely } from 'kysely'
import type { Plan, RunMode, Tables } from '../common/schema/tables.ts'
import type { Database } from '../db/connect.ts'
import type { Lease } from '../db/lease/lease.ts'
import type { Transaction } from '../db/transaction.ts'
import type { LiveCounts } from '../load/diff/live-counts.ts'
import type { Loader } from '../load/loader.ts'
import type { FailedState, ListState, UnchangedState } from '../load/state/sync-state.ts'
import type { Source } from '../source/api.ts'
import type { DeletionBudget } from './deletions/budget.ts'
import type { ListsRead } from './deletions/emptied-lists.ts'
import type { HoldPolicy } from './deletions/deletion-guard.ts'
import type { UnconfirmedLists } from './deletions/unconfirmed-absences.ts'
import type { Observations } from './drift/observations.ts'
import type { FirstResponses } from './fetch/event-list.ts'
import type { StoredAccount } from './open/find-account.ts'
import type { OpenSuppressions } from './open/suppressions.ts'
import type { Suppressions } from '../normalise/suppression/suppressions.ts'
import type { ResolvedOptions } from './options.ts'
import type { RunStats } from './run-stats.ts'
import type { Backfill } from './select/backfill.ts'

/** The part of the context that every run has, also one that only reads (`verify`). */
export interface ReadContext extends AsyncDisposable {
  readonly settings: ResolvedOptions
  readonly source: Source
  readonly mirror: Pick<MirrorAccess, 'database' | 'account'>
  readonly initial: Pick<InitialState, 'states'>
  readonly stats: RunStats
  /** Aborted when the run must end: by the caller, its deadline, the loss of the lease, or `stop`. */
  readonly signal: AbortSignal
  readonly stop: (cause: unknown) => void
}

/** A run that has begun: it holds its account until it is finished. A dry run holds none, and writes nothing. */
export interface RunContext extends ReadContext {
  readonly mode: RunMode
  readonly mirror: MirrorAccess
  readonly initial: InitialState
  readonly deletions: DeletionState
  readonly pending: PendingState
}

/** The account's part of the mirror, and the way to change it. */
export interface MirrorAccess {
  readonly database: Database
  readonly account: StoredAccount
  readonly lease: Lease
  /** What writes the rows; in a dry run it only compares them. */
  readonly load: Loader
  /** Of a dry run: what it would write, so far. */
  readonly plan: ((trx: Transaction) => Promise<Plan>) | null
  /**
   * A transaction that begins by making sure that this run still holds its account. None is begun once the
   * caller has aborted, but for the last, which finishes the run and is durable.
   */
  write<T>(work: (trx: Transaction) => Promise<T>, options?: CommitOptions): Promise<T>
}

export interface CommitOptions {
  /** The transaction that finishes the run. */
  readonly isLast?: boolean
  /** About how many bytes of content it writes. */
  readonly bytes?: number
}

/** What was known when the run began. */
export interface InitialState {
  /** Of a backfill of the whole account; null of any other run. */
  readonly backfill: Backfill | null
  /** What the service returned before there was a mirror; null: it is still to be requested. */
  readonly firstResponses: FirstResponses | null
  /** Who was erased: their responses are stored without personal data. */
  suppressions: Suppressions
  /** Erasures that were broken off: this run goes on with them. */
  readonly unfinished: OpenSuppressions['unfinished']
  /** Whether fields are left out, or are pseudonyms, that were not before, or the other way round. */
  readonly rulesChanged: boolean
  /** What was known of each list, by event. */
  states: ReadonlyMap<string, ListState>
  /**
   * Counts the live rows of the account. That takes a scan, so it is done only when rows are to be deleted. It may miss
   * what another batch writes meanwhile: the count only bounds what looks like an outage.
   */
  liveCounts(kysely: Kysely<Tables>): Promise<LiveCounts>
  /**
   * Rows that were deleted since a list with responses was last read, by runs before this one; asked before this run
   * stores that rows of a list are missing, for that hides when the list was last read whole.
   */
  deletedBefore(kysely: Kysely<Tables>): Promise<number>
}

/** What decides the deletions of a run, and what the lists have shown so far. */
export interface DeletionState {
  readonly policy: HoldPolicy
  readonly budget: DeletionBudget
  /** What the response lists show of the service as a whole. */
  readonly listsRead: ListsRead
  /** Lists in several pages that lacked rows, to be read once more. */
  readonly unconfirmed: UnconfirmedLists
}

/** What is stored when the run is finished, at the latest. */
export interface PendingState {
  /** Lists that were read and are unchanged, and not marked so yet. */
  readonly unchanged: UnchangedState[]
  /** Lists that could not be read. */
  readonly failures: FailedEvent[]
  readonly observations: Observations
}

/** An event that could not be read. */
export interface FailedEvent extends FailedState {
  /** Its row is missing in the mirror, or not as it is listed now. */
  readonly isEventRowOld: boolean
}
