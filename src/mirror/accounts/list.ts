import { sql } from 'kysely'
import { defineCall } from '../calls/call.ts'
import { object } from '../calls/input.ts'
import { stateOf } from '../keys/keys.ts'
import type { Transaction } from '../../db/transaction.ts'
import type { LiveRows } from '../status/account-facts.ts'
import { lastGoodRunAt } from '../status/last-good-run.ts'

/** What the mirror has of an account. */
export interface AccountSummary extends LiveRows {
  readonly id: number
  readonly account: string
  readonly email: string | null
  readonly base_url: string | null
  readonly created_at: string
  /** Whether its removal was begun and is not finished. */
  readonly removing_since: string | null
  /** In both tables of history. */
  readonly former_versions: number
  readonly runs: number
  readonly active_keys: number
  readonly last_good_run_at: string | null
  /** Of days and months in the views. */
  readonly time_zone: string
}

/** Every account, in the order in which they were made. */
export async function readAccountSummaries({ kysely }: Transaction): Promise<readonly AccountSummary[]> {
  const count = (table: string, condition = sql`true`) =>
    sql`(select count(*) from ${sql.table(`headcount.${table}`)} where account_id = a.id and ${condition})::float8`
  const { rows } = await sql<AccountSummary>`
    select a.id, a.name as account, a.email, a.base_url, a._created_at as created_at,
           a._removing_since as removing_since, ${count('events')} as events, ${count('responses')} as responses,
           ${count('payments')} as payments, ${count('slots')} as slots,
           ${count('event_history')} + ${count('response_history')} as former_versions,
           ${count('sync_runs', sql`mode in ('sync', 'backfill')`)} as runs,
           ${count('api_keys', sql`${stateOf('api_keys')} = 'active'`)} as active_keys,
           ${lastGoodRunAt('a.id')} as last_good_run_at,
           a.time_zone
      from headcount.accounts a
     order by a.id`.execute(kysely)
  return rows
}

export const accountsCall = defineCall({
  name: 'accounts',
  changes: false,
  readInput: object({}),
  run: (database) => database.transaction(readAccountSummaries, { readOnly: true }),
})

/** The accounts that are half removed. */
export async function readUnfinishedRemovals({
  kysely,
}: Transaction): Promise<readonly { readonly name: string; readonly since: string }[]> {
  const { rows } = await sql<{ name: string; since: string }>`
    select name, _removing_since as since from headcount.accounts where _removing_since is not null order by id`.execute(
    kysely,
  )
  return rows
}
