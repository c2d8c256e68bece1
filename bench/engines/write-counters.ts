import { setTimeout } from 'node:timers/promises'
import { sql } from 'kysely'
import { executeOutsideTransaction } from '../../src/db/cancel/execute-outside-transaction.ts'
import { connect } from '../../src/db/connect.ts'
import type { Database } from '../../src/db/connect.ts'
import { migrate } from '../../src/db/migrate.ts'
import { tableNames } from '../account/rows.ts'

/** A point in the life of a database, to reckon from. */
export interface Mark {
  /** Place in the WAL, in bytes. */
  readonly wal: number
  /** The next transaction's number. */
  readonly transaction: number
  /** Rows of live tables inserted, updated and deleted since the statistics began. */
  readonly written: number
  /** The same of the tables of history. */
  readonly historyWritten: number
}

/** What was written between a mark and now. */
export interface Writes {
  readonly walBytes: number
  /** Rows of live tables: inserted, updated and deleted. */
  readonly rows: number
  /** Rows of history: inserted, updated and deleted. */
  readonly historyRows: number
}

const historyTables = ['event_history', 'response_history'] as const

/** Makes a database an empty mirror at rest. */
export async function makeEmpty(url: string): Promise<Mark> {
  await using database = await connect(url)
  await migrate(database)
  await settle(database)
  // Awaited here: the database is closed as soon as this returns.
  return await setMark(database)
}

/** The mark of a mirror at rest, once everything so far is on the disk. */
export async function markNow(url: string): Promise<Mark> {
  await using database = await connect(url)
  await sql`checkpoint`.execute(database.kysely)
  // Awaited here: the database is closed as soon as this returns.
  return await setMark(database)
}

export async function setMark(database: Database): Promise<Mark> {
  const { rows } = await sql<Mark>`
    select (pg_current_wal_insert_lsn() - '0/0')::float8 as wal,
           pg_snapshot_xmax(pg_current_snapshot())::text::float8 as transaction,
           ${rowsWritten(tableNames)} as written,
           ${rowsWritten(historyTables)} as "historyWritten"`.execute(database.kysely)
  const [mark] = rows
  if (mark === undefined) throw new Error('The database does not tell its place in the WAL.')
  return mark
}

function rowsWritten(tables: readonly string[]) {
  return sql<number>`(
    select coalesce(sum(n_tup_ins + n_tup_upd + n_tup_del), 0)::float8
      from pg_stat_user_tables
     where schemaname = 'headcount' and relname = any (${tables}::text[]))`
}

const tablesOfRuns = [...tableNames, ...historyTables, 'accounts', 'sync_runs', 'sync_state'].map(
  (name) => `headcount.${name}`,
)

/**
 * Leaves a database at rest, as autovacuum and the checkpointer would have before the next run: statistics taken,
 * and hint bits set, for that writes WAL.
 */
export async function settle(database: Database): Promise<void> {
  await executeOutsideTransaction(database, `vacuum (analyze) ${tablesOfRuns.join(', ')}`, {
    timeLimitMs: 600_000,
  })
  await sql`checkpoint`.execute(database.kysely)
}

export async function writesSince(database: Database, before: Mark): Promise<Writes> {
  await untilAlone(database)
  const now = await setMark(database)
  const walBytes = now.wal - before.wal
  if (database.engine === 'postgres') {
    const historyRows = now.historyWritten - before.historyWritten
    return { walBytes, rows: now.written - before.written, historyRows }
  }
  const rows = await newVersions(database, before, tableNames)
  return { walBytes, rows, historyRows: await newVersions(database, before, historyTables) }
}

/** A session hands in its statistics when it ends, which its client does not wait for. */
async function untilAlone(database: Database): Promise<void> {
  for (let waited = 0; waited < 5000; waited += 20) {
    const { rows } = await sql`
      select 1
        from pg_stat_activity
       where datname = current_database() and pid <> pg_backend_pid() and backend_type = 'client backend'`.execute(
      database.kysely,
    )
    if (rows.length === 0) return
    await setTimeout(20)
  }
  throw new Error('A session of the measured process did not end.')
}

/** PGlite's statistics end with its process: there, rows whose live version is younger than the mark (no deletions). */
async function newVersions(
  database: Database,
  { transaction }: Mark,
  tables: readonly string[],
): Promise<number> {
  let versions = 0
  for (const table of tables) {
    const { rows } = await sql<{ count: number }>`
      select count(*)::float8 as count
        from headcount.${sql.ref(table)}
       where xmin::text::bigint >= ${transaction}`.execute(database.kysely)
    versions += rows[0]?.count ?? 0
  }
  return versions
}
