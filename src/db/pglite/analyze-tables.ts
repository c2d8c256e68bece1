import { sql } from 'kysely'
import type { Database, DatabaseLog } from '../database.ts'
import { identifier } from '../quote.ts'

/** With fewer pages any plan will do. */
const MIN_PAGES = 64
/** A table is due once it is larger by that factor. */
const GROWTH = 1.2
/** A sample of 3,000 rows a table gives the same plans as that of the default, 100, in a sixth of the time. */
const STATISTICS_TARGET = 10

/**
 * Analyses the tables of the mirror once one of them has no statistics yet, or has grown since: PGlite has no autovacuum, and without statistics a
 * view takes several times as long. Never throws: the next run tries again. On a server autovacuum does it.
 */
export async function analyzeTables(database: Database, log: DatabaseLog): Promise<void> {
  if (database.engine !== 'pglite') return
  try {
    const { rows } = await sql<{ name: string; is_due: boolean }>`
      select name,
             pages >= ${MIN_PAGES}
             and (pages > relpages * ${GROWTH}::numeric
                  or not exists (select from pg_catalog.pg_statistic s where s.starelid = mirrored.oid)) as is_due
        from (select c.oid, c.relname as name, c.relpages, pg_relation_size(c.oid) / current_setting('block_size')::int as pages
                from pg_catalog.pg_class c
               where c.relnamespace = 'headcount'::regnamespace and c.relkind = 'r') mirrored
       order by name`.execute(database.kysely)
    if (!rows.some(({ is_due }) => is_due)) return
    const tables = rows.map(({ name }) => `headcount.${identifier(name)}`).join(', ')
    await database.transaction(async (trx) => {
      await trx.query(`set local default_statistics_target = ${STATISTICS_TARGET}`)
      await trx.query(`analyze ${tables}`)
    })
  } catch (error) {
    log('debug', 'The tables of the mirror could not be analysed; the next run tries again.', { err: error })
  }
}
