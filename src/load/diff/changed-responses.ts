import { sql } from 'kysely'
import type { ChildTable } from '../../common/schema/live-tables.ts'
import type { Transaction } from '../../db/transaction.ts'
import { liveChildRows } from '../write/child-rows.ts'
import {
  childRecordset,
  isDistinct,
  keyList,
  keysOf,
  responseRecordset,
  type EventResponse,
} from '../write/recordsets.ts'
import { chunkRows } from '../statements.ts'

/**
 * Responses that are not in the mirror yet, and those whose row, payment or slots differ from it. The live rows are not
 * touched: no lock, no new row version, no WAL. Rows that someone changed by hand differ, too.
 *
 * @param withoutPersonal rows that differ in personal data alone are equal
 */
export async function changedResponses(
  trx: Transaction,
  account: number,
  responses: readonly EventResponse[],
  { withoutPersonal = false } = {},
): Promise<{ readonly added: readonly EventResponse[]; readonly changed: readonly EventResponse[] }> {
  const added: EventResponse[] = []
  const changed: EventResponse[] = []
  for (const chunk of chunkRows(responses)) {
    const { rows } = await sql<{ index: number; is_new: boolean }>`
      with incoming as materialized (${responseRecordset(chunk)})
      select i.index, l.id is null as is_new
        from incoming i
        left join headcount.responses l
          on l.account_id = ${account} and l.event_id = i.event_id and l.id = i.id
       where l.id is null
          or ${isDistinct('responses', 'i', 'l', withoutPersonal)}
          or (i.event_id, i.id) in (${differingChildRows('payments', account, chunk, withoutPersonal)})
          or (i.event_id, i.id) in (${differingChildRows('slots', account, chunk, withoutPersonal)})
       order by i.index`.execute(trx.kysely)
    for (const { index, is_new } of rows) {
      const response = chunk[index]
      if (response) (is_new ? added : changed).push(response)
    }
  }
  return { added, changed }
}

/** The keys of responses of which a payment or a slot differs, or is on one side only. */
function differingChildRows(
  table: ChildTable,
  account: number,
  responses: readonly EventResponse[],
  withoutPersonal: boolean,
) {
  return sql`
    select event_id, response_id
      from (${childRecordset(table, responses)}) i
      full join (${liveChildRows(table, account, keysOf(responses))}) l
        using (${keyList(table)})
     where i.event_id is null or l.event_id is null or ${isDistinct(table, 'i', 'l', withoutPersonal)}`
}
