/** A mirror in a database, as a source of a copy. */
import { sql } from 'kysely'
import type { Timestamp } from '../../common/schema/items.ts'
import type { StoredReader } from '../../db/readers/readable.ts'
import type { Database } from '../../db/database.ts'
import { schemaState } from '../../db/migrate.ts'
import type { Transaction, TransactionOptions } from '../../db/transaction.ts'
import type { ContentsSource } from '../mirror-contents.ts'
import { readTables } from './read-tables.ts'
import { checkTables } from './table-checks.ts'
import { readColumns, readIdentities, tableName } from './table-rows.ts'

/** One snapshot, however long its reader takes. */
export const SNAPSHOT: TransactionOptions = {
  readOnly: true,
  statementTimeoutMs: 0,
  lockTimeoutMs: 10_000,
  idleTimeoutMs: 0,
}

/** @param signal ends it between two parts */
export async function openSource(trx: Transaction, signal: AbortSignal): Promise<ContentsSource> {
  const { current } = await schemaState(trx)
  const tables = await readColumns(trx)
  const { rows } = await sql<{ now: Timestamp }>`select now() as now`.execute(trx.kysely)
  return {
    outline: {
      schema: current,
      moment: rows[0]?.now ?? '',
      tables,
      identities: await readIdentities(trx, tables),
      readers: await readReaders(trx),
    },
    read: (receive) =>
      readTables(trx, tables, async (part) => {
        signal.throwIfAborted()
        await receive(part)
      }),
    checks: () => checkTables(trx, tables, () => signal.throwIfAborted()),
  }
}

async function readReaders({ kysely }: Transaction): Promise<readonly StoredReader[]> {
  return kysely
    .selectFrom('headcount.readers')
    .select(['role_name', 'with_personal'])
    .orderBy('role_name')
    .execute()
}

/**
 * Lets others read the tables and not write to them, until the transaction ends. To be called before the first query, which takes the
 * snapshot. Heartbeats of the held accounts go on in `sync_runs`.
 */
export async function lockAgainstWriters(trx: Transaction): Promise<void> {
  if (trx.engine === 'pglite') return
  const tables = WRITTEN_BY_OTHERS.map(tableName).join(', ')
  // guard: writers during a move
  await trx.query(`lock table ${tables} in share mode`)
}

/** What commands write to that hold no account, and what a first run of a new account would. */
const WRITTEN_BY_OTHERS = [
  'accounts',
  'accepted_rejects',
  'api_keys',
  'rejects',
  'rsvp_meanings',
  'slot_targets',
  'event_history',
  'response_history',
] as const

/** About how many bytes the rows have, without indexes. */
export async function contentBytes(database: Database): Promise<number> {
  const { rows } = await sql<{ bytes: number }>`
    select coalesce(sum(pg_catalog.pg_table_size(oid)), 0)::float8 as bytes
      from pg_catalog.pg_class where relnamespace = 'headcount'::regnamespace and relkind = 'r'`.execute(
    database.kysely,
  )
  return rows[0]?.bytes ?? 0
}
