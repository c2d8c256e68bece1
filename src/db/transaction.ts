import type { Kysely } from 'kysely'
import type { Tables } from '../common/schema/tables.ts'

/** Which database is behind a connection: a Postgres server, or the embedded PGlite. */
export type Engine = 'postgres' | 'pglite'

/**
 * An open transaction. Everything that writes takes it as its first argument, and inside it nothing else
 * reaches the database (on PGlite a second query outside would wait for ever).
 */
export interface Transaction {
  readonly engine: Engine
  readonly kysely: Kysely<Tables>
  /**
   * Sends one statement as text, by the extended protocol: two statements in one text are an error. For what
   * Kysely has no form for: a user's own query, whose columns are not known beforehand.
   *
   * @throws DatabaseError, TransactionConflictError
   */
  readonly query: (text: string, values?: readonly unknown[]) => Promise<QueryResult>
  /**
   * The same for a statement that the database cancels after so long, with SQLSTATE 57014. A PGlite of the caller's is
   * waited for until it is done.
   */
  readonly queryWithin: (ms: number, text: string) => Promise<QueryResult>
  /**
   * Copies rows in the binary form of COPY into a table.
   *
   * @param target the table with its columns, as SQL: `headcount.events (account_id, id)`
   * @returns how many rows the database wrote
   * @throws DatabaseError, TransactionConflictError
   */
  readonly copy: (target: string, rows: Buffer<ArrayBuffer>) => Promise<number>
  /**
   * Reads what a query gives in the binary form of COPY, whole.
   *
   * @param query one `select`; it takes no parameters
   * @throws DatabaseError, TransactionConflictError
   */
  readonly copyOut: (query: string) => Promise<Buffer>
}

/** What a statement answered. Rows are in the order of the columns; values as db/type-parsers.ts says. */
export interface QueryResult {
  readonly columns: readonly Column[]
  readonly rows: readonly (readonly unknown[])[]
  /** Rows read or written, by the statement's own count; null for a statement that has none. */
  readonly count: number | null
}

export interface Column {
  readonly name: string
  /** The type's object id in Postgres (20 is bigint, 1700 numeric …). */
  readonly type: number
}

export interface TransactionOptions {
  /** `repeatable read read only`: one view of the mirror for all its statements, and no way to write. */
  readonly readOnly?: boolean
  /** A batch of rows: it may be lost in a crash of the server (its events stay wholly old), never torn. */
  readonly batch?: boolean
  /** With `batch`: committed to disk all the same. */
  readonly durable?: boolean
  /** About how many bytes of content will be written: an embedded database must have room for them. */
  readonly contentBytes?: number
  /** How long a statement may wait for a lock; 10 s by default, or for ever with `readOnly`; 0 for ever. */
  readonly lockTimeoutMs?: number
  /** How long a statement may take; 5 minutes by default, 0 for ever. Without effect on PGlite: `queryWithin` has. */
  readonly statementTimeoutMs?: number
}

/**
 * What a transaction sets for itself; all of it ends with the transaction, so that a proxy may give every
 * transaction another connection. A server that keeps an idle transaction open for more than 20 s (a frozen
 * process) ends it, and its locks with it. On PGlite that limit would make the next query hang for ever.
 */
export function settingsOf(engine: Engine, options: TransactionOptions): Readonly<Record<string, string>> {
  const { readOnly, lockTimeoutMs, statementTimeoutMs = 300_000 } = options
  const settings = {
    TimeZone: 'UTC',
    DateStyle: 'ISO, YMD',
    IntervalStyle: 'postgres',
    bytea_output: 'hex',
    extra_float_digits: '1',
  }
  if (engine === 'pglite') return settings
  if (readOnly === true) {
    return lockTimeoutMs === undefined ? settings : { ...settings, lock_timeout: `${lockTimeoutMs}ms` }
  }
  return {
    ...settings,
    lock_timeout: `${lockTimeoutMs ?? 10_000}ms`,
    statement_timeout: `${statementTimeoutMs}ms`,
    idle_in_transaction_session_timeout: '20s',
    ...(options.batch === true && options.durable !== true && { synchronous_commit: 'off' }),
  }
}
