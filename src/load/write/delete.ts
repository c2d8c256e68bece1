import { sql } from 'kysely'
import type { TableCounts } from '../../common/schema/tables.ts'
import type { Transaction } from '../../db/transaction.ts'
import { archiveEvents, archiveResponses } from './history.ts'
import { keyRecordset } from './recordsets.ts'
import { deleteOrphans } from '../diff/orphans.ts'
import { newEventListVersion } from '../state/sync-state.ts'
import {
  addCounts,
  noCounts,
  singleRow,
  chunkRows,
  assertRowCount,
  type WriteOptions,
} from '../statements.ts'

type Key = { readonly event_id: string; readonly id: string }

/** Moves responses with their payments and slots from the live tables into history. */
export async function deleteResponses(
  trx: Transaction,
  options: WriteOptions,
  keys: readonly Key[],
): Promise<TableCounts> {
  const removed = noCounts()
  for (const chunk of chunkRows(keys)) {
    await archiveResponses(trx, options, 'delete', chunk)
    removed.slots.deleted += await deleteParts(trx, options.account, 'headcount.slots', chunk)
    removed.payments.deleted += await deleteParts(trx, options.account, 'headcount.payments', chunk)
    const result = await sql`
      delete from headcount.responses live
       using (${keyRecordset(chunk)}) k
       where live.account_id = ${options.account} and live.event_id = k.event_id and live.id = k.id`.execute(
      trx.kysely,
    )
    removed.responses.deleted += assertRowCount('headcount.responses, delete', chunk.length, result)
  }
  return removed
}

async function deleteParts(
  trx: Transaction,
  account: number,
  table: 'headcount.slots' | 'headcount.payments',
  keys: readonly Key[],
): Promise<number> {
  const { rows } = await sql<{ live: number; deleted: number }>`
    with k as materialized (${keyRecordset(keys)}),
    deleted as (
      delete from ${sql.table(table)} live
       using k
       where live.account_id = ${account} and live.event_id = k.event_id and live.response_id = k.id
      returning 1
    )
    select (select count(*)
              from ${sql.table(table)} live
              join k on live.event_id = k.event_id and live.response_id = k.id
             where live.account_id = ${account})::int as live,
           (select count(*) from deleted)::int as deleted`.execute(trx.kysely)
  // The count sees the table before the deletion: all parts of a statement use one snapshot.
  const { live, deleted } = singleRow(rows)
  return assertRowCount(`${table}, delete`, live, { numAffectedRows: BigInt(deleted) })
}

/** Moves events and their responses from the live tables into history, and deletes their state and rejects. */
export async function deleteEvents(
  trx: Transaction,
  options: WriteOptions,
  ids: readonly string[],
): Promise<TableCounts> {
  const { rows: live } = await sql<{ id: string }>`
    select id from headcount.events
     where account_id = ${options.account} and id = any (${ids}::text[])`.execute(trx.kysely)
  const { rows: keys } = await sql<Key>`
    select event_id, id from headcount.responses
     where account_id = ${options.account} and event_id = any (${ids}::text[])
     order by event_id, id`.execute(trx.kysely)
  const removed = await deleteResponses(trx, options, keys)
  addCounts(removed, await deleteOrphans(trx, options.account, ids))
  await archiveEvents(trx, options, 'delete', live)
  const events = await sql`
    delete from headcount.events
     where account_id = ${options.account} and id = any (${ids}::text[])`.execute(trx.kysely)
  await sql`
    delete from headcount.rejects
     where account_id = ${options.account} and event_id = any (${ids}::text[])`.execute(trx.kysely)
  // guard: version when events go
  const listed =
    live.length > 0 ? sql`with events as (${newEventListVersion(options.account, 'changed')})` : sql``
  // guard: removed events
  await sql`
    ${listed}
    delete from headcount.sync_state
     where account_id = ${options.account} and event_id = any (${ids}::text[])`.execute(trx.kysely)
  removed.events.deleted += assertRowCount('headcount.events, delete', live.length, events)
  return removed
}
