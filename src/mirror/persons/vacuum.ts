import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import { accountFlag, commandName } from '../../common/command-name.ts'
import type { ErasedCounts, ErasureReport } from '../../common/schema/tables.ts'
import type { Database } from '../../db/connect.ts'
import { executeOutsideTransaction } from '../../db/cancel/execute-outside-transaction.ts'
import { singleRow } from '../../load/statements.ts'

/** The tables that an erasure writes to. */
const TABLES = {
  responses: ['responses', 'slots'],
  versions: ['response_history'],
  rejects: ['rejects'],
  messages: ['sync_state', 'sync_runs'],
} as const satisfies Partial<Record<keyof ErasedCounts, readonly string[]>>
/** Longest time for one table. */
const VACUUM_LIMIT_MS = 3_600_000

/** How long other transactions may go on that keep old rows alive. */
const MAX_WAIT_MS = 30_000
const ASK_EVERY_MS = 100

/** How long a table is waited for at first; then twice as long each time. */
const FIRST_LOCK_WAIT_MS = 1000

export interface Vacuumed {
  /** The tables that were written anew. */
  readonly vacuumed: readonly string[]
  /** Whether old rows may still be in the files: another transaction that could need them, or that holds a table, was open for long, or this role does not own the tables. */
  readonly old_rows_remain: boolean
}

export const NOT_VACUUMED: Vacuumed = { vacuumed: [], old_rows_remain: true }

/**
 * Writes the tables anew from which something was erased, now or before, so that their files and statistics hold it no longer. Nobody can read
 * a table meanwhile.
 */
export async function vacuumErased(
  database: Database,
  { erased, is_repeated }: ErasureReport,
  signal: AbortSignal,
): Promise<Vacuumed> {
  const tables = Object.entries(TABLES).flatMap(([what, names]) =>
    is_repeated || erased[what as keyof typeof TABLES] > 0 ? [...names] : [],
  )
  if (tables.length === 0) return { vacuumed: [], old_rows_remain: false }
  // guard: old rows that others keep
  const areGone = database.engine === 'pglite' || (await olderTransactionsEnd(database, signal))
  const owned = await ownedTables(database)
  const vacuumed: string[] = []
  for (const table of tables.filter((name) => owned.has(name)))
    if (await writeAnew(database, table, signal)) vacuumed.push(table)
  return { vacuumed, old_rows_remain: !areGone || vacuumed.length < tables.length }
}

/**
 * Gives up a lock that does not come, lets pass who waited behind it, and tries again: a session that stands idle in a transaction
 * would lock out all readers and runs.
 *
 * @returns false when the lock did not come in all that time
 */
async function writeAnew(database: Database, table: string, signal: AbortSignal): Promise<boolean> {
  const giveUpAt = performance.now() + MAX_WAIT_MS
  for (let lockWaitMs = FIRST_LOCK_WAIT_MS; ; lockWaitMs *= 2) {
    signal.throwIfAborted()
    const isDone = await executeOutsideTransaction(database, `vacuum (full, analyze) headcount.${table}`, {
      signal,
      timeLimitMs: VACUUM_LIMIT_MS,
      lockWaitMs,
    })
    if (isDone) return true
    if (performance.now() + lockWaitMs > giveUpAt) return false
    await sleep(lockWaitMs, undefined, { signal })
  }
}

/** Of any other table Postgres would say that it skips it, and succeed. */
async function ownedTables({ kysely }: Database): Promise<ReadonlySet<string>> {
  const { rows } = await sql<{ relname: string }>`
    select relname::text
      from pg_catalog.pg_class
     where relnamespace = 'headcount'::regnamespace and pg_catalog.pg_has_role(relowner, 'usage')`.execute(
    kysely,
  )
  return new Set(rows.map(({ relname }) => relname))
}

/**
 * Postgres keeps a row that a transaction which began before its end may still read, also when it writes the table anew: one of this
 * database, or one of any database that has written something, for a snapshot looks back to the oldest of them. Sessions of others whose
 * transactions this role may not see (without `pg_read_all_stats`) count as old.
 */
async function olderTransactionsEnd({ kysely }: Database, signal: AbortSignal): Promise<boolean> {
  const { rows: own } = await sql<{ xid: string }>`select pg_current_xact_id()::text as xid`.execute(kysely)
  const { xid } = singleRow(own)
  const until = performance.now() + MAX_WAIT_MS
  for (;;) {
    const { rows } = await sql<{ older: boolean }>`
      select pg_snapshot_xmin(pg_current_snapshot()) <= ${xid}::text::xid8
          or exists (
               select from pg_catalog.pg_stat_activity
                where datname = current_database() and pid <> pg_backend_pid()
                  and (age(backend_xmin) >= age(${xid}::text::xid8::xid) or query = '<insufficient privilege>')) as older`.execute(
      kysely,
    )
    if (!singleRow(rows).older) return true
    if (performance.now() > until) return false
    await sleep(ASK_EVERY_MS, undefined, { signal })
  }
}

/** What no command of this program reaches. */
export const notReached = (account: string): readonly string[] => [
  'the service itself: ask it to delete the responses',
  `backups of this database: after one is restored, run ${commandName()} person erase --suppressions FILE${accountFlag(account)} with the list of today`,
  'write-ahead logs, archives and replicas, until they have passed on or were overwritten',
  'mirrors that read this one, and files that were exported: run the same command there',
  'tables, columns and materialized views of others in this database, as dbt makes them of these rows: make them anew',
]
