import { sql } from 'kysely'
import type { Transaction } from '../db/transaction.ts'
import { singleRow } from '../load/statements.ts'

/**
 * The tables that a removal empties, what is live first. Keys and the account itself go last, in one transaction; of
 * `sync_runs` the row that holds the account stays until then.
 */
export const accountTables = [
  'slots',
  'payments',
  'responses',
  'events',
  'response_history',
  'event_history',
  'rejects',
  'accepted_rejects',
  'sync_state',
  'api_observations',
  'sync_runs',
] as const
type AccountTable = (typeof accountTables)[number]

/** Calls the account by another name; all that belongs to it knows it by its number. */
export async function renameAccount({ kysely }: Transaction, id: number, name: string): Promise<void> {
  await kysely.updateTable('headcount.accounts').set({ name }).where('id', '=', id).execute()
}

/**
 * Begins a removal: no run and no new key from then on, and its keys open nothing. Whoever makes a key at this very moment is waited for.
 */
export async function beginRemoval({ kysely }: Transaction, id: number): Promise<void> {
  await sql`select from headcount.accounts where id = ${id} for update`.execute(kysely)
  await sql`
    update headcount.accounts set _removing_since = coalesce(_removing_since, now()) where id = ${id}`.execute(
    kysely,
  )
  await sql`
    update headcount.api_keys set revoked_at = now() where account_id = ${id} and revoked_at is null`.execute(
    kysely,
  )
}

/** Deletes rows of the account, at most so many. @returns how many they were */
export async function deleteAccountRows(
  { kysely }: Transaction,
  table: AccountTable,
  id: number,
  maxRows: number,
): Promise<number> {
  const name = sql.table(`headcount.${table}`)
  const others = table === 'sync_runs' ? sql`and status <> 'running'` : sql``
  const { rows } = await sql<{ deleted: number }>`
    with gone as (
      delete from ${name}
       where ctid = any (array(select ctid from ${name} where account_id = ${id} ${others} limit ${maxRows}))
      returning 1
    )
    select count(*)::int as deleted from gone`.execute(kysely)
  return singleRow(rows).deleted
}

/** Deletes the account, its keys, and what came meanwhile from others than runs. */
export async function finishRemoval({ kysely }: Transaction, id: number): Promise<void> {
  await sql`delete from headcount.accounts where id = ${id}`.execute(kysely)
  for (const table of ['api_keys', ...accountTables]) {
    await sql`delete from ${sql.table(`headcount.${table}`)} where account_id = ${id}`.execute(kysely)
  }
}

/** What the mirror has of an account. */
export interface AccountSummary {
  readonly id: number
  readonly account: string
  readonly email: string | null
  readonly base_url: string | null
  readonly created_at: string
  /** It is half removed. */
  readonly removing_since: string | null
  readonly events: number
  readonly responses: number
  readonly payments: number
  readonly slots: number
  /** In both tables of history. */
  readonly former_versions: number
  readonly runs: number
  /** That open it now. */
  readonly active_keys: number
  readonly last_good_run_at: string | null
}

/** Every account, in the order in which they were made. */
export async function readAccountSummaries({ kysely }: Transaction): Promise<readonly AccountSummary[]> {
  const count = (table: string, condition = sql`true`) =>
    sql`(select count(*) from ${sql.table(`headcount.${table}`)} where account_id = a.id and ${condition})::float8`
  const isActive = sql`revoked_at is null and (expires_at is null or expires_at > now())`
  const { rows } = await sql<AccountSummary>`
    select a.id, a.name as account, a.email, a.base_url, a._created_at as created_at,
           a._removing_since as removing_since, ${count('events')} as events, ${count('responses')} as responses,
           ${count('payments')} as payments, ${count('slots')} as slots,
           ${count('event_history')} + ${count('response_history')} as former_versions,
           ${count('sync_runs', sql`mode in ('sync', 'backfill')`)} as runs,
           ${count('api_keys', isActive)} as active_keys,
           (select started_at from headcount.sync_runs where account_id = a.id and good order by id desc limit 1)
             as last_good_run_at
      from headcount.accounts a
     order by a.id`.execute(kysely)
  return rows
}

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
