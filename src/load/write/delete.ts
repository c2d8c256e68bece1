import { sql } from 'kysely'
import type { TableCounts } from '../../common/schema/tables.ts'
import type { Transaction } from '../../db/transaction.ts'
import { keepFormerEvents, keepFormerResponses } from './history.ts'
import { incomingKeys } from './recordsets.ts'
import { removeOrphans } from '../diff/orphans.ts'
import { newEventsVersion } from '../state/sync-state.ts'
import { addCounts, noCounts, onlyRow, pieces, requireCount } from '../statements.ts'
import type { Writing } from '../statements.ts'

type Key = { readonly event_id: string; readonly id: string }

/** Takes responses with their payments and slots out of the live tables and into history. */
export async function removeResponses(
  trx: Transaction,
  writing: Writing,
  keys: readonly Key[],
): Promise<TableCounts> {
  const removed = noCounts()
  for (const piece of pieces(keys)) {
    await keepFormerResponses(trx, writing, 'delete', piece)
    removed.slots.deleted += await removeParts(trx, writing.account, 'headcount.slots', piece)
    removed.payments.deleted += await removeParts(trx, writing.account, 'headcount.payments', piece)
    const result = await sql`
      delete from headcount.responses live
       using (${incomingKeys(piece)}) k
       where live.account_id = ${writing.account} and live.event_id = k.event_id and live.id = k.id`.execute(
      trx.kysely,
    )
    removed.responses.deleted += requireCount('headcount.responses, delete', piece.length, result)
  }
  return removed
}

async function removeParts(
  trx: Transaction,
  account: number,
  table: 'headcount.slots' | 'headcount.payments',
  keys: readonly Key[],
): Promise<number> {
  const { rows } = await sql<{ live: number; gone: number }>`
    with k as materialized (${incomingKeys(keys)}),
    gone as (
      delete from ${sql.table(table)} live
       using k
       where live.account_id = ${account} and live.event_id = k.event_id and live.response_id = k.id
      returning 1
    )
    select (select count(*)
              from ${sql.table(table)} live
              join k on live.event_id = k.event_id and live.response_id = k.id
             where live.account_id = ${account})::int as live,
           (select count(*) from gone)::int as gone`.execute(trx.kysely)
  // Both parts of a statement see the table as it was before the statement.
  const { live, gone } = onlyRow(rows)
  return requireCount(`${table}, delete`, live, { numAffectedRows: BigInt(gone) })
}

/** Takes events with everything that hangs on them out of the live tables: rows into history, state and rejects away. */
export async function removeEvents(
  trx: Transaction,
  writing: Writing,
  ids: readonly string[],
): Promise<TableCounts> {
  const { rows: live } = await sql<{ id: string }>`
    select id from headcount.events
     where account_id = ${writing.account} and id = any (${ids}::text[])`.execute(trx.kysely)
  const { rows: keys } = await sql<Key>`
    select event_id, id from headcount.responses
     where account_id = ${writing.account} and event_id = any (${ids}::text[])
     order by event_id, id`.execute(trx.kysely)
  const removed = await removeResponses(trx, writing, keys)
  addCounts(removed, await removeOrphans(trx, writing.account, ids))
  await keepFormerEvents(
    trx,
    writing,
    'delete',
    live.map(({ id }) => id),
  )
  const events = await sql`
    delete from headcount.events
     where account_id = ${writing.account} and id = any (${ids}::text[])`.execute(trx.kysely)
  await sql`
    delete from headcount.rejects
     where account_id = ${writing.account} and event_id = any (${ids}::text[])`.execute(trx.kysely)
  const listed =
    live.length > 0 ? sql`with events as (${newEventsVersion(writing.account, 'changed')})` : sql``
  await sql`
    ${listed}
    delete from headcount.sync_state
     where account_id = ${writing.account} and event_id = any (${ids}::text[])`.execute(trx.kysely)
  removed.events.deleted += requireCount('headcount.events, delete', live.length, events)
  return removed
}
