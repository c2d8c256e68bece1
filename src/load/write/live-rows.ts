/** Writes event rows and rows of responses, with the run that wrote them and the time of their version. */
import { sql, type RawBuilder } from 'kysely'
import type { Transaction } from '../../db/transaction.ts'
import { assertRowCount, type WriteOptions } from '../statements.ts'
import { eventValidFrom, responseValidFrom } from './history.ts'
import { assignments, columnList, keyList } from './recordsets.ts'

/** How many rows there are, and the rows as a recordset. */
interface Incoming {
  readonly count: number
  readonly rows: RawBuilder<unknown>
}

export async function insertRows(
  trx: Transaction,
  { account, run }: WriteOptions,
  table: 'events' | 'responses',
  { count, rows }: Incoming,
): Promise<number> {
  const validFrom = (table === 'events' ? eventValidFrom : responseValidFrom)(account)
  const result = await sql`
    insert into ${sql.table(`headcount.${table}`)} (account_id, ${columnList(table)}, _first_seen_at, _changed_at, _run_id)
    select ${account}, ${columnList(table)}, began, began, ${run}
      from (${rows}) incoming
     cross join lateral (select ${validFrom} as began) version
     order by ${keyList(table)}`.execute(trx.kysely)
  return assertRowCount(`headcount.${table}, insert`, count, result)
}

export async function updateRows(
  trx: Transaction,
  { account, run, history }: WriteOptions,
  table: 'events' | 'responses',
  { count, rows }: Incoming,
): Promise<number> {
  const result = await sql`
    update ${sql.table(`headcount.${table}`)} live
       set ${assignments(table, 'i')},
           _changed_at = case when ${history} then greatest(now(), live._changed_at) else live._changed_at end,
           _run_id = case when ${history} then ${run}::bigint else live._run_id end
      from (${rows}) i
     where live.account_id = ${account} and (${keyList(table, 'live')}) = (${keyList(table, 'i')})`.execute(
    trx.kysely,
  )
  return assertRowCount(`headcount.${table}, update`, count, result)
}
