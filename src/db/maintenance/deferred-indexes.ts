/**
 * The indexes of `responses` that queries use and runs do not. A first load is faster without them: they are created
 * after it, outside the transactions of the run. No code may assume that they exist.
 */
import { sql, type Kysely, type RawBuilder } from 'kysely'
import { TransactionConflictError } from '../../common/errors.ts'
import type { Tables } from '../../common/schema/tables.ts'
import type { Database, DatabaseLog } from '../database.ts'
import { executeOutsideTransaction } from '../cancel/execute-outside-transaction.ts'
import type { Transaction } from '../transaction.ts'
import { analyzeTables, analyzeTablesWithin } from './analyze-tables.ts'

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

/** Whether this role owns the table. */
const OWNS_TABLE = sql`(
  select pg_catalog.pg_has_role(relowner, 'usage') from pg_catalog.pg_class where oid = 'headcount.responses'::regclass)`

/** Whether the table is large enough for the indexes. */
const HAS_MANY_ROWS = sql`(
  select count(*) >= ${MIN_ROWS} from (select from headcount.responses limit ${MIN_ROWS}) counted)`

/** Whether any account has a live run, which may be a first load. */
// guard: indexes after all loads
const IS_RUN_LIVE = sql`exists (
  select from headcount.sync_runs
   where status = 'running' and heartbeat_at > clock_timestamp() - ${LIVE_RUN_S} * interval '1 second')`

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
 * Creates the missing indexes when the table is large enough and no run is live; then the tables are analysed, on PGlite in any case. Never
 * throws: the next run tries again.
 */
export async function prepareForQueries(database: Database, options: IndexOptions): Promise<void> {
  const isFirstLoad = await createMissingIndexes(database, options)
  // Later growth is a matter of autovacuum, which PGlite has not.
  const isDue = isFirstLoad || database.engine === 'pglite'
  if (isDue && !options.signal?.aborted) await analyzeTables(database, options.log)
}

/** @returns whether one was missing and all are there now: so it is after a first load */
async function createMissingIndexes(
  database: Database,
  { always, signal, log, onIndex }: IndexOptions,
): Promise<boolean> {
  try {
    const isDue = sql`${OWNS_TABLE} and not ${IS_RUN_LIVE} and ${always ? sql`true` : HAS_MANY_ROWS}`
    const missing = await missingIndexes(database.kysely, isDue)
    for (const index of missing) {
      if (signal?.aborted) return false
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
    return missing.length > 0
  } catch (error) {
    // Of two runs that build at once, the server ends one: the other goes on.
    const level = error instanceof TransactionConflictError ? 'debug' : 'warn'
    log(level, 'An index of the mirror could not be made; the next run tries again.', { err: error })
    return false
  }
}

/**
 * The same in the caller's transaction, when the table is large enough: nobody else uses it yet.
 *
 * @throws DatabaseError
 */
export async function prepareForQueriesWithin(trx: Transaction): Promise<void> {
  for (const index of await missingIndexes(trx.kysely, HAS_MANY_ROWS))
    await trx.query(createIndexStatement(index, ''))
  await analyzeTablesWithin(trx)
}

/** Those that are worth making and that this role may not make: no run of it does. */
export function indexesOfOtherOwner(kysely: Kysely<Tables>): Promise<readonly MissingIndex[]> {
  return missingIndexes(kysely, sql`not ${OWNS_TABLE} and ${HAS_MANY_ROWS}`)
}

/**
 * Which indexes are missing, or invalid; none where the condition does not hold.
 *
 * @param condition is looked at only when one is missing
 */
export async function missingIndexes(
  kysely: Kysely<Tables>,
  condition: RawBuilder<unknown> = sql`true`,
): Promise<readonly MissingIndex[]> {
  const { rows } = await sql<MissingIndex>`
    with missing as materialized (
      select expected.name, expected.position, found.relname is not null as "isInvalid"
        from unnest(${Object.keys(INDEXES)}::text[]) with ordinality as expected(name, position)
        left join (
          select c.relname, i.indisvalid
            from pg_catalog.pg_index i
            join pg_catalog.pg_class c on c.oid = i.indexrelid
           where i.indrelid = 'headcount.responses'::regclass
        ) found on found.relname = expected.name
       where found.indisvalid is not true
    )
    select name, "isInvalid" from missing
     where case when exists (select from missing) then ${condition} end
     order by position`.execute(kysely)
  return rows
}

/** The statement for an index; an operator runs it when the program has not the right to. */
export function createIndexStatement({ name }: Pick<MissingIndex, 'name'>, how = 'concurrently '): string {
  return `create index ${how}if not exists ${name} ${INDEXES[name]}`
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
