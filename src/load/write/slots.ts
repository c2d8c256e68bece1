import { sql } from 'kysely'
import type { RowCounts } from '../../common/schema/tables.ts'
import type { Transaction } from '../../db/transaction.ts'
import { keyRecordset, slotRecordset } from './recordsets.ts'
import type { EventResponse } from './recordsets.ts'
import { singleRow, assertRowCount } from '../statements.ts'

/** Writes the slots of responses that have none in the mirror yet. */
export async function insertSlots(
  trx: Transaction,
  account: number,
  responses: readonly EventResponse[],
): Promise<number> {
  const sent = responses.reduce((sum, { response }) => sum + response.slots.length, 0)
  if (sent === 0) return 0
  const result = await sql`
    insert into headcount.slots (account_id, event_id, response_id, position, name,
                                 start_date, end_date, start_local, end_local, _extra)
    select ${account}, event_id, response_id, position, name, start_date, end_date, start_local, end_local, _extra
      from (${slotRecordset(responses)}) incoming
     order by event_id, response_id, position`.execute(trx.kysely)
  return assertRowCount('headcount.slots, insert', sent, result)
}

/** Brings the slots of these responses, matched by position, to what was sent. */
export async function replaceSlots(
  trx: Transaction,
  account: number,
  responses: readonly EventResponse[],
): Promise<RowCounts> {
  const expected = await countSlotChanges(trx, account, responses)
  if (expected.deleted > 0) {
    const deleted = await sql`
      delete from headcount.slots live
       using (${keyRecordset(keysOf(responses))}) k
       where live.account_id = ${account} and live.event_id = k.event_id and live.response_id = k.id
         and (live.event_id, live.response_id, live.position) not in (
           select event_id, response_id, position from (${slotRecordset(responses)}) i)`.execute(trx.kysely)
    assertRowCount('headcount.slots, delete', expected.deleted, deleted)
  }
  if (expected.updated > 0) {
    const updated = await sql`
      update headcount.slots live
         set name = i.name, start_date = i.start_date, end_date = i.end_date,
             start_local = i.start_local, end_local = i.end_local, _extra = i._extra
        from (${slotRecordset(responses)}) i
       where live.account_id = ${account} and live.event_id = i.event_id
         and live.response_id = i.response_id and live.position = i.position
         and (live.name, live.start_date, live.end_date, live.start_local, live.end_local, live._extra)
             is distinct from (i.name, i.start_date, i.end_date, i.start_local, i.end_local, i._extra)`.execute(
      trx.kysely,
    )
    assertRowCount('headcount.slots, update', expected.updated, updated)
  }
  if (expected.inserted > 0) {
    const inserted = await sql`
      insert into headcount.slots (account_id, event_id, response_id, position, name,
                                   start_date, end_date, start_local, end_local, _extra)
      select ${account}, event_id, response_id, position, name, start_date, end_date, start_local, end_local, _extra
        from (${slotRecordset(responses)}) i
       where not exists (
         select 1
           from headcount.slots live
          where live.account_id = ${account} and live.event_id = i.event_id
            and live.response_id = i.response_id and live.position = i.position)
       order by event_id, response_id, position`.execute(trx.kysely)
    assertRowCount('headcount.slots, insert', expected.inserted, inserted)
  }
  return expected
}

/** How many slots of these responses are to be written; most changes of a response are none of its slots. */
async function countSlotChanges(
  trx: Transaction,
  account: number,
  responses: readonly EventResponse[],
): Promise<RowCounts> {
  const { rows } = await sql<RowCounts>`
    select count(*) filter (where live.position is null)::int as inserted,
           count(*) filter (where i.position is null)::int as deleted,
           count(*) filter (
             where live.position is not null and i.position is not null
               and (live.name, live.start_date, live.end_date, live.start_local, live.end_local, live._extra)
                   is distinct from (i.name, i.start_date, i.end_date, i.start_local, i.end_local, i._extra)
           )::int as updated
      from (${slotRecordset(responses)}) i
      full join (
        select s.*
          from headcount.slots s
          join (${keyRecordset(keysOf(responses))}) k on k.event_id = s.event_id and k.id = s.response_id
         where s.account_id = ${account}
      ) live on live.event_id = i.event_id and live.response_id = i.response_id and live.position = i.position`.execute(
    trx.kysely,
  )
  return singleRow(rows)
}

function keysOf(responses: readonly EventResponse[]) {
  return responses.map(({ event_id, response }) => ({ event_id, id: response.id }))
}
