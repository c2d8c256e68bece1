import type { Kysely } from 'kysely'
import type { Tables } from '../common/schema/tables.ts'
import type { Engine, Transaction, TransactionOptions } from './transaction.ts'

/** An open database: a pool of connections to Postgres, or an embedded PGlite. */
export interface Database extends AsyncDisposable {
  readonly engine: Engine
  /** Statements outside a transaction: single reads, the heartbeat. Time stamps are UTC here too. */
  readonly kysely: Kysely<Tables>
  /**
   * Runs `work` in one transaction: committed when it resolves, rolled back when it throws.
   * On PGlite transactions run one after the other.
   *
   * @throws whatever `work` throws; DatabaseError and TransactionConflictError from the database
   */
  transaction<T>(work: (trx: Transaction) => Promise<T>, options?: TransactionOptions): Promise<T>
  /** Of a folder: the same for several users of this process, who must not keep each other waiting for long. */
  readonly share?: () => SharedDatabase
  /** Gives back everything that was opened here; a pool that was given stays open. May be called twice. */
  close(): Promise<void>
}

export interface SharedDatabase {
  /** Whoever uses it is counted while he waits. It is not closed by itself. */
  readonly database: Database
  /** How long the one who has waited longest waits until now; 0 when nobody does. */
  readonly waitedMs: () => number
}

export type DatabaseLog = (level: 'debug' | 'warn', message: string, fields?: object) => void

/** How a database is opened. */
export interface ConnectOptions {
  readonly log?: DatabaseLog | undefined
  /** How long to wait for a PGlite folder that another process has open; 10 s by default. */
  readonly waitForFolderMs?: number
  /** Told that it waits, and for whom. */
  readonly onFolderInUse?: OnFolderInUse
  /** Whether the process that has the folder open answers in its place. */
  readonly isFolderServed?: () => Promise<boolean>
  /** Whether a missing PGlite folder is made; true by default. */
  readonly createFolder?: boolean
}

/** What is told of a folder that another process has open. */
export interface FolderUse {
  readonly folder: string
  /** For messages: `process 4711 on mill`. */
  readonly holder: string
  /** How long it is waited for. */
  readonly waitMs: number
}

/** Told once, before the wait; what it answers is disposed of when the wait is over. */
export type OnFolderInUse = (use: FolderUse) => Disposable
