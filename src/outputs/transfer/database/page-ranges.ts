/**
 * A table in ranges of its pages, each read in a fraction of a second: a statement on PGlite cannot be interrupted, and no signal
 * is handled meanwhile.
 */
import type { Transaction } from '../../../db/transaction.ts'
import { tableName } from './table-rows.ts'

const FIRST_PAGES = 64
const MAX_PAGES = 65_536
/** Long enough that a statement's own cost does not count, and well below a second. */
const AIM_MS = 250
/** Of content: what a range gives is in memory at once on PGlite. */
const AIM_BYTES = 4_000_000

/**
 * Calls `read` for every range of the table's pages, as a condition on `ctid`. Rows that the transaction sees keep their place.
 *
 * @param read gives the bytes that it read; 0 when they stayed in the database
 */
export async function forEachPageRange(
  trx: Transaction,
  table: string,
  read: (where: string) => Promise<number>,
): Promise<void> {
  const { rows } = await trx.query(
    `select (pg_catalog.pg_relation_size(c.oid) / current_setting('block_size')::bigint)::text, c.relkind = 'p'
       from pg_catalog.pg_class c
      where c.oid = '${tableName(table)}'::regclass`,
  )
  const [size, isPartitioned] = rows[0] ?? []
  if (isPartitioned === true) {
    // Its rows stand in its parts: it has no pages of its own.
    await read('true')
    return
  }
  const total = Number(size)
  let pages = FIRST_PAGES
  for (let from = 0; from < total;) {
    const to = from + pages
    const began = performance.now()
    // The last range has no end: the size may be older than the rows.
    const end = to >= total ? '' : ` and ctid < '(${to},0)'::tid`
    const bytes = await read(`ctid >= '(${from},0)'::tid${end}`)
    from = to
    pages = nextPages(pages, performance.now() - began, bytes)
  }
}

/** How many pages the next range has. Pages differ: values of a megabyte may stand elsewhere, and count as a few bytes here. */
export function nextPages(pages: number, ms: number, bytes: number): number {
  const factor = Math.min(AIM_MS / Math.max(ms, 1), AIM_BYTES / Math.max(bytes, 1), 4)
  return Math.min(MAX_PAGES, Math.max(1, Math.floor(pages * factor)))
}
