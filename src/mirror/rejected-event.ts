/** Whether an account lists an event with a record that cannot be stored: the id stands only in the rejected item itself. */
import type { Transaction } from '../db/transaction.ts'
import { isObject, parsePlain } from '../common/json/exact.ts'
import { readEventId } from '../normalise/values/ids.ts'

export async function isEventRejected(
  kysely: Transaction['kysely'],
  account: number,
  eventId: string,
): Promise<boolean> {
  const records = await kysely
    .selectFrom('headcount.rejects')
    .select('payload')
    .where('account_id', '=', account)
    .where('event_id', 'is', null)
    .execute()
  return records.some(({ payload }) => rejectedEventId(payload) === eventId)
}

/** Of an item above 64 KiB only the beginning is kept: its id is not told. */
function rejectedEventId(payload: string): string | null {
  try {
    const item = parsePlain(payload)
    return isObject(item) ? readEventId(item['id'] ?? null) : null
  } catch {
    return null
  }
}
