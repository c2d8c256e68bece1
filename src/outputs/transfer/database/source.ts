/** A mirror in a database, as a source of a copy. */
import { sql } from 'kysely'
import { commandName } from '../../../common/command-name.ts'
import { DatabaseError } from '../../../common/errors.ts'
import { COPIED_TABLES } from '../../../common/schema/copied-tables.ts'
import type { Timestamp } from '../../../common/schema/items.ts'
import type { Database, DatabaseLog } from '../../../db/database.ts'
import { schemaState } from '../../../db/migrate.ts'
import { RELATIONS } from '../../../db/readers/readable.ts'
import type { Transaction, TransactionOptions } from '../../../db/transaction.ts'
import { accountNames } from '../../../sync/open/find-account.ts'
import type { ContentsSource } from '../mirror-contents.ts'
import { cancelTransactionOnAbort } from '../../../db/cancel/cancel-on-abort.ts'
import { readTables } from './read-tables.ts'
import { checkTables } from './table-checks.ts'
import { readColumns, readIdentities, tableName } from './table-rows.ts'

/** One snapshot, however long its reader takes. */
export const SNAPSHOT: TransactionOptions = {
  readOnly: true,
  everyRow: true,
  statementTimeoutMs: 0,
  // A signal is not noticed meanwhile.
  lockTimeoutMs: 5000,
  idleTimeoutMs: 0,
}

/** @param signal ends it between two parts */
export async function openSource(trx: Transaction, signal: AbortSignal): Promise<ContentsSource> {
  const { current } = await schemaState(trx)
  const { tables, added } = await readColumns(trx)
  const { rows } = await sql<{ now: Timestamp }>`select now() as now`.execute(trx.kysely)
  return {
    outline: {
      schema: current,
      moment: rows[0]?.now ?? '',
      accounts: await accountNames(trx),
      bytes: await readSize(trx),
      tables,
      identities: await readIdentities(trx, tables),
      readers: await trx.kysely
        .selectFrom('headcount.readers')
        .select(['role_name', 'with_personal'])
        .orderBy('role_name')
        .execute(),
    },
    addedColumns: added,
    addedRelations: await readAddedRelations(trx),
    read: (receive) =>
      readTables(trx, tables, async (part) => {
        signal.throwIfAborted()
        await receive(part)
      }),
    checks: () => checkTables(trx, tables, () => signal.throwIfAborted()),
  }
}

/**
 * Lets others read the tables and not write to them, until the transaction ends, which may write itself. To be called before the first
 * query, which takes the snapshot. Heartbeats of the held accounts go on in `sync_runs`.
 */
async function lockAgainstWriters(trx: Transaction): Promise<void> {
  await trx.query('set transaction read write')
  const tables = WRITTEN_BY_OTHERS.map(tableName).join(', ')
  // guard: writers during a move
  await trx.query(`lock table ${tables} in share mode`)
}

/** What commands write to that hold no account, and what a first run of a new account would. */
const WRITTEN_BY_OTHERS = [
  'accounts',
  'accepted_rejects',
  'api_keys',
  'deliveries',
  'links',
  'rejects',
  'rsvp_meanings',
  'slot_targets',
  'event_history',
  'response_history',
] as const

async function readAddedRelations(trx: Transaction): Promise<readonly string[]> {
  const { rows } = await trx.query(
    `select relname::text from pg_catalog.pg_class
      where relnamespace = 'headcount'::regnamespace and relkind in ('r', 'p', 'v', 'm', 'f') order by relname`,
  )
  return rows.map(([name]) => String(name)).filter((name) => !RELATIONS.has(name))
}

/** Says which tables somebody dropped, for the copy is none of the whole mirror, and which columns, tables and views somebody added. */
export function warnOfOtherTables(
  { outline, addedColumns, addedRelations }: ContentsSource,
  log: DatabaseLog | undefined,
): void {
  if (addedColumns.length > 0)
    log?.('warn', `Columns that headcount did not make are not copied: ${addedColumns.join(', ')}`)
  if (addedRelations.length > 0)
    log?.(
      'warn',
      `Tables and views that headcount did not make are not copied: ${addedRelations.join(', ')}. They stand in the schema headcount, and go when that is dropped`,
    )
  const lacking = COPIED_TABLES.filter((name) => !outline.tables.some(({ table }) => table === name))
  if (lacking.length === 0) return
  log?.(
    'warn',
    `The mirror lacks ${lacking.join(', ')}: somebody dropped that, and the copy has none of its rows. ${commandName()} doctor says what to do`,
  )
}

/** Of a server as the last vacuum found it: the size itself would wait for whoever locks a table. */
async function readSize(trx: Transaction): Promise<number> {
  const pages = 'sum(c.relpages + coalesce(t.relpages, 0)) * current_setting($$block_size$$)::float8'
  const size = trx.engine === 'pglite' ? 'sum(pg_catalog.pg_table_size(c.oid))::float8' : pages
  const { rows } = await trx.query(
    `select coalesce(${size}, 0)
       from pg_catalog.pg_class c
       left join pg_catalog.pg_class t on t.oid = c.reltoastrelid
      where c.relnamespace = 'headcount'::regnamespace and c.relkind = 'r'`,
  )
  return Number(rows[0]?.[0])
}

/** Works on one snapshot of the mirror. */
export function withSnapshot<T>(
  database: Database,
  signal: AbortSignal,
  work: (contents: ContentsSource) => Promise<T>,
): Promise<T> {
  return database.transaction((trx) => readSnapshot(database, trx, signal, work), SNAPSHOT)
}

/**
 * The same while nobody else writes.
 *
 * @param finish writes in the same transaction: whoever waited meanwhile finds what it wrote. No signal ends it.
 */
export function withLastSnapshot<T, Finished>(
  database: Database,
  signal: AbortSignal,
  work: (contents: ContentsSource) => Promise<T>,
  finish: (trx: Transaction) => Promise<Finished>,
): Promise<T & Finished> {
  // Nobody else is there during a transaction on PGlite.
  const isShared = database.engine === 'postgres'
  return database.transaction(
    async (trx) => {
      if (isShared) await lockAgainstWriters(trx)
      const done = await readSnapshot(database, trx, signal, work)
      return { ...done, ...(await finish(trx)) }
    },
    { ...SNAPSHOT, readOnly: isShared },
  )
}

async function readSnapshot<T>(
  database: Database,
  trx: Transaction,
  signal: AbortSignal,
  work: (contents: ContentsSource) => Promise<T>,
): Promise<T> {
  using _ = await cancelTransactionOnAbort(database, trx, signal)
  return await work(await openSource(trx, signal))
}

/**
 * Tells a role that only reads or syncs that no grant was forgotten.
 *
 * @throws DatabaseError
 */
export async function requireReadable(database: Database): Promise<void> {
  const { rows } = await sql`
    select from pg_catalog.pg_class
     where relnamespace = to_regnamespace('headcount') and relname::text = any (${COPIED_TABLES}::text[])
       and not (has_table_privilege(oid, 'select') and (relname <> 'sync_runs' or has_table_privilege(oid, 'insert')))
     limit 1`.execute(database.kysely)
  if (rows.length === 0) return
  throw new DatabaseError(
    'The role of the database URL may not read the whole mirror. A copy holds keys of serve as hashes and the secret of the pseudonyms: use the role that owns the mirror.',
  )
}
