import { setTimeout } from 'node:timers/promises'
import { sql } from 'kysely'
import type { Database } from '../src/db/connect.ts'
import { tableNames } from './rows.ts'

/** A point in the life of a database, to reckon from. */
export interface Mark {
  /** Place in the WAL, in bytes. */
  readonly wal: number
  /** The next transaction's number. */
  readonly transaction: number
  /** Rows of live tables inserted, updated and deleted since the statistics began. */
  readonly written: number
}

/** What was written between a mark and now. */
export interface Writes {
  readonly walBytes: number
  /** Rows of live tables: inserted, updated and deleted. */
  readonly rows: number
}

export async function setMark(database: Database): Promise<Mark> {
  const { rows } = await sql<Mark>`
    select (pg_current_wal_insert_lsn() - '0/0')::float8 as wal,
           pg_snapshot_xmax(pg_current_snapshot())::text::float8 as transaction,
           (select coalesce(sum(n_tup_ins + n_tup_upd + n_tup_del), 0)::float8
              from pg_stat_user_tables
             where schemaname = 'headcount' and relname = any (${tableNames}::text[])) as written`.execute(
    database.kysely,
  )
  const [mark] = rows
  if (mark === undefined) throw new Error('The database does not tell its place in the WAL.')
  return mark
}

const tablesOfRuns = [...tableNames, 'accounts', 'sync_runs', 'sync_state'].map((name) => `headcount.${name}`)

/**
 * Leaves a database at rest, as autovacuum and the checkpointer would have before the next run: statistics taken,
 * and hint bits set, for that writes WAL.
 */
export async function settle(database: Database): Promise<void> {
  const tables = sql.join(tablesOfRuns.map((table) => sql.table(table)))
  await sql`vacuum (analyze) ${tables}`.execute(database.kysely)
  await sql`checkpoint`.execute(database.kysely)
}

export async function writesSince(database: Database, before: Mark): Promise<Writes> {
  await untilAlone(database)
  const now = await setMark(database)
  const rows =
    database.engine === 'postgres' ? now.written - before.written : await newVersions(database, before)
  return { walBytes: now.wal - before.wal, rows }
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
async function newVersions(database: Database, { transaction }: Mark): Promise<number> {
  let versions = 0
  for (const table of tableNames) {
    const { rows } = await sql<{ count: number }>`
      select count(*)::float8 as count
        from headcount.${sql.ref(table)}
       where xmin::text::bigint >= ${transaction}`.execute(database.kysely)
    versions += rows[0]?.count ?? 0
  }
  return versions
}
