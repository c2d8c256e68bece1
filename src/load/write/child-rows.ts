/** Writes the child rows of responses: payments and slots. */
import { sql, type RawBuilder } from 'kysely'
import type { ChildTable } from '../../common/schema/live-tables.ts'
import type { RowCounts } from '../../common/schema/tables.ts'
import type { Transaction } from '../../db/transaction.ts'
import { assertRowCount, singleRow } from '../statements.ts'
import {
  assignments,
  childRecordset,
  childRows,
  columnList,
  isDistinct,
  keyList,
  keyRecordset,
  keysOf,
  type EventResponse,
} from './recordsets.ts'

export async function insertChildRows(
  trx: Transaction,
  account: number,
  table: ChildTable,
  responses: readonly EventResponse[],
): Promise<number> {
  const { length } = childRows(table, responses)
  return length === 0 ? 0 : insert(trx, account, table, childRecordset(table, responses), length)
}

/** Makes the child rows of these responses equal to those of the service. Slots are matched by position. */
export async function replaceChildRows(
  trx: Transaction,
  account: number,
  table: ChildTable,
  responses: readonly EventResponse[],
): Promise<RowCounts> {
  const incoming = childRecordset(table, responses)
  const live = sql.table(`headcount.${table}`)
  const expected = await countChanges(trx, account, table, responses)
  if (expected.deleted > 0) {
    const deleted = await sql`
      delete from ${live} live
       using (${keyRecordset(keysOf(responses))}) k
       where live.account_id = ${account} and live.event_id = k.event_id and live.response_id = k.id
         and (${keyList(table, 'live')}) not in (select ${keyList(table)} from (${incoming}) i)`.execute(
      trx.kysely,
    )
    assertRowCount(`headcount.${table}, delete`, expected.deleted, deleted)
  }
  if (expected.updated > 0) {
    const updated = await sql`
      update ${live} live
         set ${assignments(table, 'i')}
        from (${incoming}) i
       where live.account_id = ${account} and (${keyList(table, 'live')}) = (${keyList(table, 'i')})
         and ${isDistinct(table, 'live', 'i')}`.execute(trx.kysely)
    assertRowCount(`headcount.${table}, update`, expected.updated, updated)
  }
  if (expected.inserted > 0) {
    const missing = sql`
      select * from (${incoming}) i
       where not exists (
         select from ${live} live
          where live.account_id = ${account} and (${keyList(table, 'live')}) = (${keyList(table, 'i')}))`
    await insert(trx, account, table, missing, expected.inserted)
  }
  return expected
}

async function insert(
  trx: Transaction,
  account: number,
  table: ChildTable,
  rows: RawBuilder<unknown>,
  count: number,
): Promise<number> {
  const result = await sql`
    insert into ${sql.table(`headcount.${table}`)} (account_id, ${columnList(table)})
    select ${account}, ${columnList(table)}
      from (${rows}) incoming
     order by ${keyList(table)}`.execute(trx.kysely)
  return assertRowCount(`headcount.${table}, insert`, count, result)
}

/** Counts the rows to write: most changes of a response do not change its payment or slots. */
async function countChanges(
  trx: Transaction,
  account: number,
  table: ChildTable,
  responses: readonly EventResponse[],
): Promise<RowCounts> {
  const { rows } = await sql<RowCounts>`
    select count(*) filter (where live.event_id is null)::int as inserted,
           count(*) filter (where i.event_id is null)::int as deleted,
           count(*) filter (
             where live.event_id is not null and i.event_id is not null and ${isDistinct(table, 'live', 'i')}
           )::int as updated
      from (${childRecordset(table, responses)}) i
      full join (${liveChildRows(table, account, keysOf(responses))}) live
        using (${keyList(table)})`.execute(trx.kysely)
  return singleRow(rows)
}

export function liveChildRows(
  table: ChildTable,
  account: number,
  keys: readonly { event_id: string; id: string }[],
): RawBuilder<unknown> {
  return sql`
    select c.*
      from ${sql.table(`headcount.${table}`)} c
      join (${keyRecordset(keys)}) k on k.event_id = c.event_id and k.id = c.response_id
     where c.account_id = ${account}`
}
