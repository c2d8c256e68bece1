import { sql, type Kysely, type RawBuilder } from 'kysely'
import type { StoredReject, Tables } from '../../common/schema/tables.ts'
import type { Transaction } from '../../db/transaction.ts'
import { prefetch } from '../prefetch.ts'
import { chunkRowStream, singleRow, assertRowCount } from '../statements.ts'

/** The rejects of one list; `event_id` is null for the event list. */
export interface ListRejects {
  readonly event_id: string | null
  /** In chunks: every item of a list may be rejected. */
  readonly rejects: Iterable<readonly StoredReject[]> | AsyncIterable<readonly StoredReject[]>
}

export async function replaceRejects(
  trx: Transaction,
  account: number,
  run: string,
  lists: readonly ListRejects[],
): Promise<void> {
  const ids = lists.map(({ event_id }) => event_id).filter((id) => id !== null)
  const holdsEventsList = lists.some(({ event_id }) => event_id === null)
  await sql`
    delete from headcount.rejects
     where account_id = ${account}
       and (event_id = any (${ids}::text[]) or (event_id is null and ${holdsEventsList}))`.execute(trx.kysely)
  for await (const chunk of chunkRowStream(prefetch(trx, rowsOf(lists)))) {
    const result = await sql`
      insert into headcount.rejects (account_id, event_id, item_index, reason, path, payload, bytes, sha256, run_id)
      select ${account}, event_id, item_index, reason, path, payload, bytes, sha256, ${run}
        from json_to_recordset(${JSON.stringify(chunk)}::json) as item(
          event_id text, item_index int, reason text, path text, payload text, bytes bigint, sha256 text)`.execute(
      trx.kysely,
    )
    assertRowCount('headcount.rejects, insert', chunk.length, result)
  }
}

async function* rowsOf(lists: readonly ListRejects[]) {
  for (const { event_id, rejects } of lists) {
    for await (const chunk of rejects) yield chunk.map(({ id: _, ...reject }) => ({ event_id, ...reject }))
  }
}

/** Rejects that need a decision, and those that the owner accepted. */
export interface RejectCounts {
  readonly rejected: number
  readonly accepted: number
}

/** The rejects of an account, or of one of its events. */
export async function countRejects(
  kysely: Kysely<Tables>,
  account: number,
  event_id: string | null = null,
): Promise<RejectCounts> {
  const { rows } = await rejectCountsQuery(account, event_id).execute(kysely)
  return singleRow(rows)
}

/** @param account its number, or where an outer query has it */
export function rejectCountsQuery(account: number | RawBuilder<unknown>, event_id: string | null) {
  // guard: accepted as it was
  return sql<RejectCounts>`
    select (count(*) filter (where k.sha256 is null))::int as rejected, count(k.sha256)::int as accepted
      from headcount.rejects j
      left join headcount.accepted_rejects k
        on k.account_id = j.account_id and k.event_id is not distinct from j.event_id and k.sha256 = j.sha256
     where j.account_id = ${account} and (${event_id}::text is null or j.event_id = ${event_id})`
}

/** The rejects of each of these accounts; one without any is missing. */
export async function countRejectsOf(
  kysely: Kysely<Tables>,
  accounts: readonly number[],
): Promise<ReadonlyMap<number, RejectCounts>> {
  const { rows } = await sql<RejectCounts & { readonly account_id: number }>`
    select a.account_id, counts.rejected, counts.accepted
      from unnest(${accounts}::int[]) a(account_id)
     cross join lateral (${rejectCountsQuery(sql.ref('a.account_id'), null)}) counts`.execute(kysely)
  return new Map(rows.map(({ account_id, ...counts }) => [account_id, counts]))
}
