/**
 * Rows whose parent is missing. No run makes any, but manual changes can. Runs find payments and slots by their response and
 * responses by their event, so that only `backfill` and `verify` look for them.
 */
import { sql, type Kysely, type RawBuilder } from 'kysely'
import type { TableCounts, Tables } from '../../common/schema/tables.ts'
import type { Transaction } from '../../db/transaction.ts'
import type { AbsentEvent } from './live-counts.ts'
import { noCounts } from '../statements.ts'

/** Live payments or slots of these events whose response is not live, under the name `live`. */
export function orphanRows(
  table: 'payments' | 'slots',
  account: number,
  event_ids: readonly string[],
): RawBuilder<unknown> {
  return sql`
    ${sql.table(`headcount.${table}`)} live
     where live.account_id = ${account} and live.event_id = any (${event_ids}::text[])
       and not exists (
         select 1
           from headcount.responses r
          where r.account_id = live.account_id and r.event_id = live.event_id and r.id = live.response_id)`
}

/** Deletes payments and slots of these events whose response is not live. */
export async function deleteOrphans(
  trx: Transaction,
  account: number,
  event_ids: readonly string[],
): Promise<TableCounts> {
  const removed = noCounts()
  if (event_ids.length === 0) return removed
  for (const table of ['payments', 'slots'] as const) {
    const { numAffectedRows = 0n } = await sql`delete from ${orphanRows(table, account, event_ids)}`.execute(
      trx.kysely,
    )
    removed[table].deleted += Number(numAffectedRows)
  }
  return removed
}

/**
 * Events that have live rows and that the service does not list. Skips from one event to the next in the index of each
 * table, so that the cost depends on the number of events and not of rows.
 */
export async function unlistedEvents(
  kysely: Kysely<Tables>,
  account: number,
  listed: readonly string[],
): Promise<readonly AbsentEvent[]> {
  const unlisted = new Map<string, number>()
  for (const table of ['responses', 'payments', 'slots'] as const) {
    const { rows } = await sql<AbsentEvent>`
      with recursive live as (
        select (select min(event_id) from ${sql.table(`headcount.${table}`)} where account_id = ${account}) as event_id
         union all
        select (select min(t.event_id)
                  from ${sql.table(`headcount.${table}`)} t
                 where t.account_id = ${account} and t.event_id > live.event_id)
          from live
         where live.event_id is not null
      )
      select live.event_id as id,
             (select count(*) from headcount.responses r where r.account_id = ${account} and r.event_id = live.event_id)::int
               as responses
        from live
       where live.event_id is not null and live.event_id <> all (${listed}::text[])`.execute(kysely)
    for (const { id, responses } of rows) unlisted.set(id, responses)
  }
  return [...unlisted].map(([id, responses]) => ({ id, responses }))
}
