/** Items of a list, read in chunks in the order of their ids. */
import { sql, type RawBuilder } from 'kysely'
import type { Transaction } from '../../../db/transaction.ts'
import { EVENTS, type PageRequest } from '../store.ts'
import { eventText, responseText } from './serialise-items.ts'

interface ListScope {
  readonly trx: Pick<Transaction, 'kysely'>
  readonly account: number
  readonly list: string
}

/** Consecutive items. */
export interface ItemChunk {
  /** Their JSON texts with commas between them. */
  readonly text: string
  readonly count: number
  /** The id of the last item. */
  readonly last: string
  /** Whether this is certainly the last chunk. */
  readonly isEnd: boolean
}

/** A small first chunk is fast; the size of the next ones follows from their items. */
const FIRST_ROWS = 500
/** For more rows Postgres compiles the statement (`jit_above_cost`), which takes longer than to execute it. */
const MAX_ROWS = 3_000
/** Of one chunk; the last item may exceed it. */
const CHUNK_BYTES = 1024 ** 2

/** The table of the items, and the order of their ids. */
function listSql({ account, list }: ListScope) {
  if (list === EVENTS) {
    // guard: account of the events served
    const from = sql`headcount.events e where e.account_id = ${account}`
    return { from, id: sql`e.id`, type: sql`text collate "C"`, item: sql.raw(eventText) }
  }
  // guard: account of the responses served
  const from = sql`headcount.responses r where r.account_id = ${account} and r.event_id = ${list}`
  return { from, id: sql`r.id`, type: sql`bigint`, item: sql.raw(responseText) }
}

/** The last id of the page when more items follow; else null. */
export async function lastIdOfPage(scope: ListScope, { after, limit }: PageRequest): Promise<string | null> {
  if (limit === null) return null
  const { from, id, type } = listSql(scope)
  const { rows } = await sql<{ id: string }>`
    select ${id}::text as id
      from ${from} and (${after}::text is null or ${id} > ${after}::${type})
     order by ${id}
    offset ${limit - 1} limit 2`.execute(scope.trx.kysely)
  return rows.length === 2 ? (rows[0]?.id ?? null) : null
}

/** Whether more than `count` items follow `after`, up to `upTo`. */
export async function hasMoreThan(
  scope: ListScope,
  after: string,
  upTo: string | null,
  count: number,
): Promise<boolean> {
  const { from, id } = listSql(scope)
  const { rows } = await sql`
    select from ${from}${idBounds(scope, after, upTo)} order by ${id} offset ${count} limit 1`.execute(
    scope.trx.kysely,
  )
  return rows.length === 1
}

/** The items after `after` and up to `upTo`, in chunks. */
export async function* readChunks(
  scope: ListScope,
  after: string | null,
  upTo: string | null,
): AsyncGenerator<ItemChunk, void> {
  let last = after
  let rows = FIRST_ROWS
  while (true) {
    const chunk = await readChunk(scope, last, upTo, rows)
    if (chunk === null) return
    yield chunk
    if (chunk.isEnd) return
    last = chunk.last
    rows = nextChunkRows(chunk)
  }
}

/** The number of items that fill a chunk if they are as long as these. */
function nextChunkRows({ text, count }: ItemChunk): number {
  return Math.max(1, Math.min(MAX_ROWS, Math.floor((count * CHUNK_BYTES) / Buffer.byteLength(text))))
}

function idBounds(scope: ListScope, after: string | null, upTo: string | null): RawBuilder<unknown> {
  const { id, type } = listSql(scope)
  const bounds: RawBuilder<unknown>[] = []
  if (after !== null) bounds.push(sql` and ${id} > ${after}::${type}`)
  if (upTo !== null) bounds.push(sql` and ${id} <= ${upTo}::${type}`)
  return sql.join(bounds, sql``)
}

/** @returns null when there is nothing more */
async function readChunk(
  scope: ListScope,
  after: string | null,
  upTo: string | null,
  rows: number,
): Promise<ItemChunk | null> {
  const { from, id, item } = listSql(scope)
  const answer = await sql<{ text: string; last: string; count: number; found: number }>`
    select string_agg(text, ',' order by id) filter (where before < ${CHUNK_BYTES}) as text,
           (max(id) filter (where before < ${CHUNK_BYTES}))::text as last,
           (count(*) filter (where before < ${CHUNK_BYTES}))::int as count,
           count(*)::int as found
      from (select id, text,
                   coalesce(sum(octet_length(text)) over (w rows between unbounded preceding and 1 preceding), 0) as before
              from (select ${id} as id, ${item} as text
                      from ${from}${idBounds(scope, after, upTo)}
                     order by ${id}
                     limit ${rows}) item
            window w as (order by id)) measured`.execute(scope.trx.kysely)
  const [chunk] = answer.rows
  if (chunk === undefined || chunk.found === 0) return null
  const { found, ...rest } = chunk
  // When items are longer than expected, the chunk has fewer items than were found.
  return { ...rest, isEnd: found < rows && rest.count === found }
}
