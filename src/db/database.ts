import type { Kysely } from 'kysely'
import type { Tables } from '../common/schema/tables.ts'
import type { Engine, Transaction, TransactionOptions } from './transaction.ts'

/** A run's connections to Postgres: two for batches, one for its heartbeat and for single reads. */
export const CONNECTIONS_PER_RUN = 3

/** An open database: a pool of connections to Postgres, or a PGlite. */
export interface Database extends AsyncDisposable {
  readonly engine: Engine
  /** Its name in messages, without user and password. */
  readonly label: string
  /** For statements outside a transaction: single reads, the heartbeat. */
  readonly kysely: Kysely<Tables>
  /**
   * Runs `work` in one transaction: committed when it resolves, rolled back when it throws.
   * On PGlite transactions run one after the other.
   *
   * @throws whatever `work` throws; DatabaseError and TransactionConflictError from the database
   */
  transaction<T>(work: (trx: Transaction) => Promise<T>, options?: TransactionOptions): Promise<T>
  /** Only for Postgres, where any other statement has a transaction: sends one that cannot run in any. */
  readonly queryOutsideTransaction?: (text: string) => Promise<unknown>
  /**
   * Only for Postgres: sends what another library wrote, on a connection of its own. Rows have the driver's own types. A text
   * without values may hold several statements, also `begin` and `commit`.
   *
   * @throws DatabaseError, TransactionConflictError
   */
  readonly queryAsDriver?: (text: string, values?: readonly unknown[]) => Promise<readonly object[]>
  /** Only for a PGlite folder: the same database for several users in this process. */
  readonly share?: () => ServedDatabase
  /** Only for Postgres: the same pool for one user of several, who has at most so many connections at once. */
  readonly reserve?: (connections: number) => Database
  /**
   * Only for a PGlite folder: makes sure that its disk has room, in the middle of a long transaction.
   *
   * @throws DatabaseError
   */
  readonly requireSpace?: (contentBytes: number) => Promise<void>
  /** Closes what `connect` opened; a pool of the caller stays open. May be called twice. */
  close(): Promise<void>
}

export interface ServedDatabase {
  /** Its `close` does nothing. */
  readonly database: Database
  /** The longest current wait for `database`; 0 when nobody waits. */
  readonly waitedMs: () => number
}

export type DatabaseLog = (level: 'debug' | 'warn', message: string, fields?: object) => void

/** How a database is opened. */
export interface ConnectOptions {
  readonly log?: DatabaseLog | undefined
  /** The wait for a PGlite folder that another process has open; 10 s by default. */
  readonly waitForFolderMs?: number
  readonly onFolderInUse?: OnFolderInUse
  /** Whether the process that has the folder open answers in place of this one. */
  readonly isFolderServed?: () => Promise<boolean>
  /** Whether a missing PGlite folder is created; true by default. */
  readonly createFolder?: boolean
  /** How many connections to Postgres are made at most; one run has 4 by default. */
  readonly connections?: number
  /** The URL as it is now: each new connection to Postgres takes its password, where nothing else of it differs. */
  readonly currentUrl?: (() => string) | undefined
  /** Ends the opening, and any wait of it: what opens too late is closed. */
  readonly signal?: AbortSignal | undefined
}

/** A folder that another process has open. */
interface FolderUse {
  readonly folder: string
  /** For messages: `process 4711 on mill`. */
  readonly holder: string
  /** The longest possible wait. */
  readonly waitMs: number
}

/** Called once, before the wait. Its result is disposed of after the wait. */
export type OnFolderInUse = (use: FolderUse) => Disposable
