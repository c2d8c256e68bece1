import type { Transaction } from '../../db/transaction.ts'
import { PAYMENT_COLUMNS, RESPONSE_COLUMNS, SLOT_COLUMNS } from '../copy/response-rows.ts'
import { CopyDecoder } from '../copy/decoder.ts'

/** Live rows in the binary form of COPY, each table's in the order of its key. */
export interface LiveRows {
  readonly responses: Buffer
  readonly payments: Buffer
  readonly slots: Buffer
}

/**
 * Reads what is live of these events, in the form in which it would be written: a tenth of the work of rows as text
 * that become objects. Null when no response of them is live; payments and slots without one are not looked at.
 *
 * @param ids only of responses with these ids; null: of all
 */
export async function copyOutLiveRows(
  trx: Transaction,
  account: number,
  event_ids: readonly string[],
  ids: readonly string[] | null,
): Promise<LiveRows | null> {
  // COPY takes no parameters: what it reads stands in settings of the transaction, each looked at once (array(select …)).
  await trx.query(
    `select set_config('headcount.account', $1, true), set_config('headcount.events', $2, true),
            set_config('headcount.ids', $3, true)`,
    [String(account), JSON.stringify(event_ids), `{${ids?.join(',') ?? ''}}`],
  )
  const onlyIds = ids !== null
  const responses = await read(trx, 'responses', RESPONSE_COLUMNS, 2, onlyIds)
  if (!new CopyDecoder(responses).next()) return null
  const payments = await read(trx, 'payments', PAYMENT_COLUMNS, 2, onlyIds)
  const slots = await read(trx, 'slots', SLOT_COLUMNS, 3, onlyIds)
  return { responses, payments, slots }
}

/** @param keys so many columns are the key, the second the id of the response */
function read(trx: Transaction, table: string, columns: readonly string[], keys: number, onlyIds: boolean) {
  return trx.copyOut(`
    select ${columns.join(', ')}
      from headcount.${table}
     where account_id = current_setting('headcount.account')::int
       and event_id = any (array(select json_array_elements_text(current_setting('headcount.events')::json)))
       ${onlyIds ? `and ${columns[1]} = any (array(select unnest(current_setting('headcount.ids')::bigint[])))` : ''}
     order by ${columns.slice(0, keys).join(', ')}`)
}
