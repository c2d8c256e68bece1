/**
 * The indexes of `responses` that queries use and runs do not. A first load is faster without them: they are created
 * after it, outside the transactions of the run. No code may assume that they exist.
 */
import { sql, type Kysely } from 'kysely'
import { TransactionConflictError } from '../common/errors.ts'
import type { Tables } from '../common/schema/tables.ts'
import type { Database, DatabaseLog } from './database.ts'
import { executeOutsideTransaction } from './cancel/execute-outside-transaction.ts'
import type { Transaction } from './transaction.ts'

const INDEXES = {
  responses_email_key: 'on headcount.responses (headcount.email_key(email) text_pattern_ops)',
  responses_created_at: 'on headcount.responses (created_at)',
} as const

type IndexName = keyof typeof INDEXES

/** With fewer rows a query needs no index, and the next load of many rows is faster without. */
const MIN_ROWS = 20_000
/** A run with an older heartbeat is dead. */
const LIVE_RUN_S = 30
/** For the drop of an invalid index: readers and writers of the table wait as long. */
const LOCK_TIMEOUT_MS = 2000
/** For one index. */
const TIME_LIMIT_MS = 300_000

/** An index that does not exist, or that an interrupted build left invalid. */
interface MissingIndex {
  readonly name: IndexName
  readonly isInvalid: boolean
}

interface IndexOptions {
  /** Also with few rows: at the end of a backfill. */
  readonly always: boolean
  /** Ends the build; the next run creates the index. */
  readonly signal?: AbortSignal | undefined
  readonly log: DatabaseLog
  /** Called before each index. */
  readonly onIndex: () => void
}

/**
 * Creates the missing indexes when the table is large enough and no run is live. Never throws: the next run tries again.
 */
export async function createMissingIndexes(
  database: Database,
  { always, signal, log, onIndex }: IndexOptions,
): Promise<void> {
  try {
    const missing = await missingIndexes(database.kysely)
    if (missing.length === 0 || !(await mayCreate(database.kysely, always))) return
    for (const index of missing) {
      if (signal?.aborted) return
      onIndex()
      if (database.engine === 'pglite') {
        // It has one connection, so there are no other writers to wait for.
        await database.transaction((trx) => trx.query(createIndexStatement(index, '')))
        continue
      }
      if (index.isInvalid) await dropInvalid(database, index)
      await executeOutsideTransaction(database, createIndexStatement(index), {
        signal,
        timeLimitMs: TIME_LIMIT_MS,
      })
    }
  } catch (error) {
    // Of two runs that build at once, the server ends one: the other goes on.
    const level = error instanceof TransactionConflictError ? 'debug' : 'warn'
    log(level, 'An index of the mirror could not be made; the next run tries again.', { err: error })
  }
}

/**
 * Creates the missing indexes in the caller's transaction, when the table is large enough: nobody else uses it yet.
 *
 * @throws DatabaseError
 */
export async function createIndexesWithin(trx: Transaction): Promise<void> {
  if (!(await hasManyRows(trx.kysely))) return
  for (const index of await missingIndexes(trx.kysely)) await trx.query(createIndexStatement(index, ''))
}

export async function missingIndexes(kysely: Kysely<Tables>): Promise<readonly MissingIndex[]> {
  const { rows } = await sql<{ name: string; valid: boolean }>`
    select c.relname as name, i.indisvalid as valid
      from pg_catalog.pg_index i
      join pg_catalog.pg_class c on c.oid = i.indexrelid
     where i.indrelid = 'headcount.responses'::regclass`.execute(kysely)
  const found = new Map(rows.map(({ name, valid }) => [name, valid]))
  return (Object.keys(INDEXES) as IndexName[])
    .filter((name) => found.get(name) !== true)
    .map((name) => ({ name, isInvalid: found.has(name) }))
}

/** The statement for an index; an operator runs it when the program has not the right to. */
export function createIndexStatement({ name }: Pick<MissingIndex, 'name'>, how = 'concurrently '): string {
  return `create index ${how}if not exists ${name} ${INDEXES[name]}`
}

/** Whether the table is large enough for the indexes. */
export async function hasManyRows(kysely: Kysely<Tables>): Promise<boolean> {
  const { rows } = await sql<{ enough: boolean }>`
    select count(*) >= ${MIN_ROWS} as enough
      from (select from headcount.responses limit ${MIN_ROWS}) counted`.execute(kysely)
  return rows[0]?.enough === true
}

/** Whether this role owns the table. */
export async function ownsTable(kysely: Kysely<Tables>): Promise<boolean> {
  const { rows } = await sql<{ owner: boolean }>`
    select pg_catalog.pg_has_role(relowner, 'usage') as owner
      from pg_catalog.pg_class
     where oid = 'headcount.responses'::regclass`.execute(kysely)
  return rows[0]?.owner === true
}

async function mayCreate(kysely: Kysely<Tables>, always: boolean): Promise<boolean> {
  if (!(await ownsTable(kysely)) || (await isRunLive(kysely))) return false
  return always || hasManyRows(kysely)
}

/** Whether any account has a live run, which may be a first load. */
async function isRunLive(kysely: Kysely<Tables>): Promise<boolean> {
  const { rows } = await sql<{ live: boolean }>`
    select exists (
      select from headcount.sync_runs
       where status = 'running' and heartbeat_at > clock_timestamp() - ${LIVE_RUN_S} * interval '1 second'
    ) as live`.execute(kysely)
  // guard: indexes after all loads
  return rows[0]?.live !== false
}

/** The builder of an index holds the same lock until the index is valid: no index under construction is dropped. */
async function dropInvalid(database: Database, { name }: MissingIndex): Promise<void> {
  await database.transaction(
    async (trx) => {
      await trx.query('lock table headcount.responses in share update exclusive mode')
      const missing = await missingIndexes(trx.kysely)
      // guard: invalid index
      if (missing.some((index) => index.name === name && index.isInvalid))
        await trx.query(`drop index headcount.${name}`)
    },
    { lockTimeoutMs: LOCK_TIMEOUT_MS },
  )
}
