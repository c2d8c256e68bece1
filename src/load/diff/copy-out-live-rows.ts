import { keyColumns } from '../../common/schema/live-tables.ts'
import type { Transaction } from '../../db/transaction.ts'
import { COPY_COLUMNS, type ResponseTable, type RowKey } from '../../copy-format/response-rows.ts'
import { fromCopy } from '../../copy-format/copy-framing.ts'

/** Live rows in the binary form of COPY, each table's in the order of its key. */
export type CopiedRows = Readonly<Record<ResponseTable, Buffer>>

/**
 * Reads what is live of these events, in the form in which it would be written: a tenth of the work of rows as text
 * that become objects. Null when no response of them is live; payments and slots without one are not looked at, unless
 * `withOrphans` is set.
 *
 * @param key of a row that would be written: the account, and the run, which stands in the rows as if it had written them
 * @param scope.ids only of responses with these ids; null: of all
 */
export async function copyOutLiveRows(
  trx: Transaction,
  { account, run }: Pick<RowKey, 'account' | 'run'>,
  event_ids: readonly string[],
  { ids, withOrphans }: { readonly ids: readonly string[] | null; readonly withOrphans: boolean },
): Promise<CopiedRows | null> {
  // COPY takes no parameters: what it reads stands in settings of the transaction, each looked at once (array(select …)).
  await trx.query(
    `select set_config('headcount.account_id', $1, true), set_config('headcount.events', $2, true),
            set_config('headcount.ids', $3, true), set_config('headcount.run', $4, true)`,
    [String(account), JSON.stringify(event_ids), `{${ids?.join(',') ?? ''}}`, run],
  )
  const onlyIds = ids !== null
  const responses = await read(trx, 'responses', onlyIds)
  // guard: new lists
  if (responses.length === 0 && !withOrphans) return null
  return {
    responses,
    payments: await read(trx, 'payments', onlyIds),
    slots: await read(trx, 'slots', onlyIds),
  }
}

async function read(trx: Transaction, table: ResponseTable, onlyIds: boolean): Promise<Buffer> {
  const key = keyColumns(table)
  const [, responseId] = key
  const selected = COPY_COLUMNS[table].map((column) =>
    column === '_run_id' ? `(select current_setting('headcount.run')::bigint)` : column,
  )
  return fromCopy(
    await trx.copyOut(`
    select ${selected.join(', ')}
      from headcount.${table}
     where account_id = current_setting('headcount.account_id')::int
       and event_id = any (array(select json_array_elements_text(current_setting('headcount.events')::json)))
       ${onlyIds ? `and ${responseId} = any (array(select unnest(current_setting('headcount.ids')::bigint[])))` : ''}
     order by ${['account_id', ...key].join(', ')}`),
  )
}
