/** Lists of events of which nothing is in the mirror yet: they are copied as they were encoded when they were read. */
import type { Transaction } from '../../db/transaction.ts'
import { copyLists } from '../copy/response-encoder.ts'
import type { EncodedList } from '../copy/response-encoder.ts'
import { CLOCK_IS_BEHIND } from './history.ts'
import type { WriteResult } from '../statements.ts'

/**
 * Whether these events have no live response, and a row that is copied now begins after every former version ended
 * (the clock may have been set back): only then do they go into the tables unseen.
 */
export async function haveNoRows(
  trx: Transaction,
  account: number,
  event_ids: readonly string[],
): Promise<boolean> {
  const { rows } = await trx.query(
    `select not exists (select from headcount.responses where account_id = $1 and event_id = any ($2::text[]))
            and not ${CLOCK_IS_BEHIND}`,
    [account, event_ids],
  )
  // guard: new lists
  return rows[0]?.[0] === true
}

/** Writes lists of events that are new. */
export async function insertNewLists(trx: Transaction, lists: readonly EncodedList[]): Promise<WriteResult> {
  const rows = await copyLists(trx, lists)
  const events = lists.filter((list) => list.rows.responses.count > 0).map(({ event_id }) => event_id)
  return { rows, events: new Set(events) }
}
