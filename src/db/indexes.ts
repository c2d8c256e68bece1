/**
 * The indexes of `responses` that queries use and no run needs. A first load is quicker without them, so that they are
 * made when it has ended: of all rows at once, outside the transactions of the run. Nothing may assume that they are there.
 */
import { sql, type Kysely } from 'kysely'
import type { Tables } from '../common/schema/tables.ts'
import type { Database, DatabaseLog } from './database.ts'

const INDEXES = {
  responses_email: 'on headcount.responses using hash (email)',
  responses_created_at: 'on headcount.responses (created_at)',
} as const

type IndexName = keyof typeof INDEXES

/** With fewer rows a query needs no index, and the next load of many rows is quicker without. */
const MIN_ROWS = 20_000
/** A heartbeat older than this: the run is dead. */
const LIVE_RUN_S = 30
/** How long readers and writers of the table may have to wait for an invalid index to be dropped. */
const LOCK_TIMEOUT_MS = 2000
/** How long one index may take. */
const TIME_LIMIT_MS = 300_000

/** An index that is not there, or that a build which was interrupted left invalid. */
export interface MissingIndex {
  readonly name: IndexName
  readonly isInvalid: boolean
}

/** What the indexes are made for, and how. */
export interface IndexOptions {
  /** Also where there are few rows: at the end of a backfill. */
  readonly always: boolean
  /** Ends the build: the index is made by the next run. */
  readonly signal?: AbortSignal | undefined
  readonly log: DatabaseLog
  /** Called before each index. */
  readonly onIndex: () => void
}

/**
 * Makes the indexes that are missing, when the table is worth it and no run is live. Never throws: what could not be made is
 * left to the next run.
 */
export async function createMissingIndexes(database: Database, options: IndexOptions): Promise<void> {
  try {
    const missing = await missingIndexes(database.kysely)
    if (missing.length === 0 || !(await mayCreate(database.kysely, options.always))) return
    for (const index of missing) {
      if (options.signal?.aborted) return
      options.onIndex()
      await (database.engine === 'pglite' ? createPlainly : createConcurrently)(database, index, options)
    }
  } catch (error) {
    options.log('warn', 'An index of the mirror could not be made; the next run tries again.', { err: error })
  }
}

/** Which indexes are missing, or invalid. */
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

/** The statement that makes an index, for an operator whose program has not the right to. */
export function createIndexStatement({ name }: Pick<MissingIndex, 'name'>, how = 'concurrently '): string {
  return `create index ${how}if not exists ${name} ${INDEXES[name]}`
}

/** Whether the table has so many rows that its indexes are worth it. */
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

/** Whether a run of any account goes on: it may be a first load. */
async function isRunLive(kysely: Kysely<Tables>): Promise<boolean> {
  const { rows } = await sql<{ live: boolean }>`
    select exists (
      select from headcount.sync_runs
       where status = 'running' and heartbeat_at > clock_timestamp() - ${LIVE_RUN_S} * interval '1 second'
    ) as live`.execute(kysely)
  // guard: indexes after all loads
  return rows[0]?.live !== false
}

/** PGlite has one connection: nobody else can write meanwhile. */
async function createPlainly(database: Database, index: MissingIndex): Promise<void> {
  await database.transaction((trx) => trx.query(createIndexStatement(index, '')))
}

async function createConcurrently(
  database: Database,
  index: MissingIndex,
  { signal }: IndexOptions,
): Promise<void> {
  if (index.isInvalid) await dropInvalid(database, index)
  // No setting outlives a transaction behind a proxy, and this statement cannot run in one: its limit is kept here.
  const mark = `headcount ${crypto.randomUUID()}`
  const cancel = () => void cancelStatement(database, mark)
  const limit = AbortSignal.any([AbortSignal.timeout(TIME_LIMIT_MS), ...(signal ? [signal] : [])])
  limit.addEventListener('abort', cancel, { once: true })
  try {
    await sql.raw(`/* ${mark} */ ${createIndexStatement(index)}`).execute(database.kysely)
  } finally {
    limit.removeEventListener('abort', cancel)
  }
}

/** Whoever builds an index holds this lock until it is valid: an index under construction is not dropped. */
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

async function cancelStatement(database: Database, mark: string): Promise<void> {
  await sql`
    select pg_catalog.pg_cancel_backend(pid)
      from pg_catalog.pg_stat_activity
     where pid <> pg_catalog.pg_backend_pid() and starts_with(query, ${`/* ${mark} */`})`
    .execute(database.kysely)
    .catch(() => {})
}
