import { sql, type Kysely } from 'kysely'
import type { Tables } from '../../common/schema/tables.ts'
import type { Database, DatabaseLog } from '../database.ts'
import type { Engine, Transaction } from '../transaction.ts'

/** With fewer pages any plan will do. */
const MIN_PAGES = 64
/** On PGlite a table is due again once it is larger by that factor. */
const GROWTH = 1.2
/** A sample of 3,000 rows a table gives the same plans as that of the default, 100, in a sixth of the time. */
const STATISTICS_TARGET = 10
/** For whoever else analyses or vacuums a table. */
const LOCK_TIMEOUT_MS = 2000

/**
 * Analyses the tables of the mirror once a large one has no statistics: without them a view takes several times as long. On PGlite also once one
 * has grown, for PGlite has no autovacuum. Never throws: the next run tries again, or autovacuum does it.
 */
export async function analyzeTables(database: Database, log: DatabaseLog): Promise<void> {
  try {
    const due = await dueTables(database.kysely, database.engine)
    if (due.length === 0) return
    await database.transaction((trx) => analyze(trx, due), { lockTimeoutMs: LOCK_TIMEOUT_MS })
  } catch (error) {
    log('debug', 'The tables of the mirror could not be analysed; the next run tries again.', { err: error })
  }
}

/**
 * The same in the caller's transaction.
 *
 * @throws DatabaseError
 */
export async function analyzeTablesWithin(trx: Transaction): Promise<void> {
  await analyze(trx, await dueTables(trx.kysely, trx.engine))
}

/** All tables that this role owns, as `analyze` takes them, once one of them is due; otherwise none. */
async function dueTables(kysely: Kysely<Tables>, engine: Engine): Promise<readonly string[]> {
  const { rows } = await sql<{ target: string; is_due: boolean }>`
    select ${engine === 'pglite' ? sql`name` : sql`name || columns`} as target,
           pages >= ${MIN_PAGES} and (not has_statistics
             or ${engine === 'pglite' ? sql`pages > relpages * ${GROWTH}::numeric` : sql`false`}) as is_due
      from (select format('headcount.%I', relname) as name,
                   -- With its columns named, autovacuum still counts the table as not analysed, and takes a larger sample soon.
                   (select format('(%s)', string_agg(quote_ident(attname), ', '))
                      from pg_catalog.pg_attribute
                     where attrelid = c.oid and attnum > 0 and not attisdropped) as columns,
                   relpages,
                   pg_relation_size(c.oid) / current_setting('block_size')::int as pages,
                   exists (select from pg_catalog.pg_stats where schemaname = 'headcount' and tablename = c.relname) as has_statistics
              from pg_catalog.pg_class c
             where relnamespace = 'headcount'::regnamespace and relkind in ('r', 'p') and pg_catalog.pg_has_role(relowner, 'usage')) owned
     order by name`.execute(kysely)
  return rows.some(({ is_due }) => is_due) ? rows.map(({ target }) => target) : []
}

async function analyze(trx: Transaction, tables: readonly string[]): Promise<void> {
  if (tables.length === 0) return
  await trx.query(`set local default_statistics_target = ${STATISTICS_TARGET}`)
  await trx.query(`analyze ${tables.join(', ')}`)
}
