import { sql } from 'kysely'
import type { RowCounts } from '../../common/schema/tables.ts'
import type { Transaction } from '../../db/transaction.ts'
import { paymentRecordset, responseRecordset } from './recordsets.ts'
import type { EventResponse } from './recordsets.ts'
import { singleRow, assertRowCount } from '../statements.ts'

/** Writes the payments of responses that have none in the mirror yet. */
export async function insertPayments(
  trx: Transaction,
  account: number,
  responses: readonly EventResponse[],
): Promise<number> {
  const sent = responses.filter(({ response }) => response.payment !== null).length
  if (sent === 0) return 0
  const result = await sql`
    insert into headcount.payments (account_id, event_id, response_id, amount, processing_fee)
    select ${account}, event_id, response_id, amount, processing_fee
      from (${paymentRecordset(responses)}) incoming
     order by event_id, response_id`.execute(trx.kysely)
  return assertRowCount('headcount.payments, insert', sent, result)
}

/** Brings the payments of these responses to what was sent; an amount that only gained a digit (12.5, 12.50) counts. */
export async function replacePayments(
  trx: Transaction,
  account: number,
  responses: readonly EventResponse[],
): Promise<RowCounts> {
  const expected = await countPaymentChanges(trx, account, responses)
  if (expected.deleted > 0) {
    const deleted = await sql`
      delete from headcount.payments live
       using (${responseRecordset(responses)}) i
       where live.account_id = ${account} and live.event_id = i.event_id and live.response_id = i.id
         and not i.is_paid`.execute(trx.kysely)
    assertRowCount('headcount.payments, delete', expected.deleted, deleted)
  }
  if (expected.updated > 0) {
    const updated = await sql`
      update headcount.payments live
         set amount = i.amount, processing_fee = i.processing_fee
        from (${paymentRecordset(responses)}) i
       where live.account_id = ${account} and live.event_id = i.event_id and live.response_id = i.response_id
         and (live.amount::text, live.processing_fee::text)
             is distinct from (i.amount::text, i.processing_fee::text)`.execute(trx.kysely)
    assertRowCount('headcount.payments, update', expected.updated, updated)
  }
  if (expected.inserted > 0) {
    const inserted = await sql`
      insert into headcount.payments (account_id, event_id, response_id, amount, processing_fee)
      select ${account}, event_id, response_id, amount, processing_fee
        from (${paymentRecordset(responses)}) i
       where not exists (
         select 1
           from headcount.payments live
          where live.account_id = ${account} and live.event_id = i.event_id and live.response_id = i.response_id)
       order by event_id, response_id`.execute(trx.kysely)
    assertRowCount('headcount.payments, insert', expected.inserted, inserted)
  }
  return expected
}

/** How many payments of these responses are to be written; most changes of a response are none of its payment. */
async function countPaymentChanges(
  trx: Transaction,
  account: number,
  responses: readonly EventResponse[],
): Promise<RowCounts> {
  const { rows } = await sql<RowCounts>`
    select count(*) filter (where i.is_paid and live.response_id is null)::int as inserted,
           count(*) filter (
             where i.is_paid and live.response_id is not null
               and (live.amount::text, live.processing_fee::text)
                   is distinct from (i.amount::text, i.processing_fee::text)
           )::int as updated,
           count(*) filter (where not i.is_paid and live.response_id is not null)::int as deleted
      from (${responseRecordset(responses)}) i
      left join headcount.payments live
        on live.account_id = ${account} and live.event_id = i.event_id and live.response_id = i.id`.execute(
    trx.kysely,
  )
  return singleRow(rows)
}
