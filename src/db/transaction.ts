import { setTimeout } from 'node:timers/promises'
import type { Kysely } from 'kysely'
import { TransactionConflictError } from '../common/errors.ts'
import type { Tables } from '../common/schema/tables.ts'

/** A Postgres server, or the embedded PGlite. */
export type Engine = 'postgres' | 'pglite'

/**
 * An open transaction. Every function that writes takes it as its first argument. Inside it no other connection is used:
 * on PGlite a query outside would wait for ever.
 */
export interface Transaction {
  readonly engine: Engine
  readonly kysely: Kysely<Tables>
  /**
   * Sends one statement as text by the extended protocol: two statements in one text are an error. For statements that
   * Kysely cannot express, such as a user's query with unknown columns.
   *
   * @throws DatabaseError, TransactionConflictError
   */
  readonly query: (text: string, values?: readonly unknown[]) => Promise<QueryResult>
  /**
   * As `query`; the database cancels the statement after so many ms, with SQLSTATE 57014. A PGlite of the caller does
   * not cancel it.
   */
  readonly queryWithin: (ms: number, text: string, values?: readonly unknown[]) => Promise<QueryResult>
  /**
   * Copies rows as COPY writes them into a table.
   *
   * @param target the table with its columns, as SQL: `headcount.events (account_id, id)`
   * @param form options of COPY: `format text`; binary when not given
   * @returns the number of rows written
   * @throws DatabaseError, TransactionConflictError
   */
  readonly copy: (target: string, rows: Buffer<ArrayBuffer>, form?: string) => Promise<number>
  /**
   * Reads the whole result of a query in the binary form of COPY.
   *
   * @param query one `select` without parameters
   * @throws DatabaseError, TransactionConflictError
   */
  readonly copyOut: (query: string) => Promise<Buffer>
  /**
   * Reads the whole result of a query as COPY writes it, part by part. A part may end in the middle of a row. PGlite gives
   * the result in one part.
   *
   * @param query one `select` without parameters
   * @param form options of COPY: `format csv, header`
   * @returns the number of rows
   * @throws DatabaseError, TransactionConflictError; what `receive` throws
   */
  readonly copyOutParts: (query: string, form: string, receive: ReceivePart) => Promise<number>
}

/** Takes a part of a result; the next one is read when the promise resolves. */
export type ReceivePart = (part: Buffer) => Promise<void>

/** The result of a statement. Each row has its values in the order of the columns (type-parsers.ts). */
export interface QueryResult {
  readonly columns: readonly Column[]
  readonly rows: readonly (readonly unknown[])[]
  /** The database's count of rows read or written; null for a statement without one. */
  readonly count: number | null
}

/** The rows as objects; of columns with the same name the last one counts. */
export function rowObjects({
  columns,
  rows,
}: Pick<QueryResult, 'columns' | 'rows'>): Record<string, unknown>[] {
  return rows.map((row) => Object.fromEntries(columns.map(({ name }, at) => [name, row[at]])))
}

export interface Column {
  readonly name: string
  /** The object id of the type in Postgres (20 is bigint, 1700 numeric …). */
  readonly type: number
}

export interface TransactionOptions {
  /** `repeatable read read only`: one snapshot for all statements, without writes. */
  readonly readOnly?: boolean
  /** With `readOnly`: an error where row security hides rows from the role. What writes always has it: it would take hidden rows for missing ones. */
  readonly everyRow?: boolean
  /** A batch of rows: a crash of the server may lose it as a whole, and its events keep their old rows. */
  readonly batch?: boolean
  /** With `batch`: a crash of the server does not lose it. */
  readonly durable?: boolean
  /** About how many bytes of content will be written: the disk of a PGlite must have space for them. */
  readonly contentBytes?: number
  /** For each statement; 10 s by default, none with `readOnly`; 0: none. */
  readonly lockTimeoutMs?: number
  /** For each statement; 5 minutes by default; 0: none. It has no effect on PGlite, where `queryWithin` has one. */
  readonly statementTimeoutMs?: number
  /** How long the transaction may wait for its next statement: 20 s by default, with `readOnly` what the server allows; 0: for ever. */
  readonly idleTimeoutMs?: number
}

/** How values are sent and read, and statements are planned. A role, a database or another user of a pooled session may have set it otherwise. */
export const statementSettings = {
  TimeZone: 'UTC',
  DateStyle: 'ISO, YMD',
  IntervalStyle: 'postgres',
  bytea_output: 'hex',
  extra_float_digits: '1',
  // Without it a NULL in an array is the text NULL.
  array_nulls: 'on',
  // Without it a backslash in a literal of a statement, as in a regular expression, escapes what follows.
  standard_conforming_strings: 'on',
  // With it format_type() writes `"text"`: no text would be known as one that a spreadsheet may run.
  // guard: names of types
  quote_all_identifiers: 'off',
  // To compile what a view asks takes longer than to answer it: up to 40 times, measured (docs/performance.md).
  jit: 'off',
} as const

/**
 * The settings of a transaction. All end with it, for a proxy may give every transaction another connection. The server
 * ends the transaction of a frozen process, with its locks, after 20 s. On PGlite that limit would make the next query
 * hang for ever.
 */
export function settingsOf(engine: Engine, options: TransactionOptions): Readonly<Record<string, string>> {
  const { readOnly = false, everyRow = !readOnly, lockTimeoutMs, statementTimeoutMs = 300_000 } = options
  const { idleTimeoutMs } = options
  const settings = { ...statementSettings, .../* guard: hidden rows */ (everyRow && { row_security: 'off' }) }
  if (engine === 'pglite') return settings
  if (readOnly) {
    return {
      ...settings,
      ...(lockTimeoutMs !== undefined && { lock_timeout: `${lockTimeoutMs}ms` }),
      ...(idleTimeoutMs !== undefined && { idle_in_transaction_session_timeout: `${idleTimeoutMs}ms` }),
    }
  }
  return {
    ...settings,
    lock_timeout: `${lockTimeoutMs ?? 10_000}ms`,
    statement_timeout: `${statementTimeoutMs}ms`,
    idle_in_transaction_session_timeout: `${idleTimeoutMs ?? 20_000}ms`,
    ...(options.batch === true && options.durable !== true && { synchronous_commit: 'off' }),
  }
}

/** How often a transaction is tried when another one is in its way (deadlock, serialization failure). */
const MAX_ATTEMPTS = 4

/**
 * @param transact one transaction, which is tried anew
 * @throws what `transact` throws; TransactionConflictError after the last try
 */
export async function retryConflicts<T>(transact: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await transact()
    } catch (error) {
      if (!(error instanceof TransactionConflictError) || attempt === MAX_ATTEMPTS) throw error
      await setTimeout(Math.random() * 100 * 2 ** attempt)
    }
  }
}
