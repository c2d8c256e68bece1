import { sql } from 'kysely'
import type { Database } from '../../db/connect.ts'
import { holdAccount } from '../../db/lease/hold-account.ts'
import type { Lease } from '../../db/lease/lease.ts'
import type { Transaction } from '../../db/transaction.ts'
import { inSamePart, singleRow } from '../../load/statements.ts'
import { inFencedTransaction } from '../../sync/write/fenced-transaction.ts'

/** Rows of one transaction: well below a second on PGlite, whose statements cannot be interrupted. */
const ROWS_PER_TRANSACTION = 2000

/**
 * The tables that a removal empties, what is live first. Keys, links and the account itself go last, in one transaction; of
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
  'slot_targets',
  'deliveries',
  'suppressed_responses',
  'suppressions',
  'sync_runs',
] as const
/** What opens the account to others: taken back at once, deleted last. */
const ACCESS_TABLES = ['api_keys', 'links'] as const
type AccountTable = (typeof accountTables)[number]

/**
 * Begins a removal: no run, no new key and no new link from then on, and those there are open nothing. Whoever makes one at this very moment is waited for.
 */
async function beginRemoval({ kysely }: Transaction, id: number): Promise<void> {
  await sql`select from headcount.accounts where id = ${id} for update`.execute(kysely)
  await sql`
    update headcount.accounts set _removing_since = coalesce(_removing_since, now()) where id = ${id}`.execute(
    kysely,
  )
  // guard: keys of a removed account
  for (const table of ACCESS_TABLES) {
    await sql`
      update ${sql.table(`headcount.${table}`)} set revoked_at = now()
       where account_id = ${id} and revoked_at is null`.execute(kysely)
  }
}

/** Deletes rows of the account, at most so many. @returns how many they were */
async function deleteAccountRows(
  { kysely }: Transaction,
  table: AccountTable,
  id: number,
  maxRows: number,
): Promise<number> {
  const name = sql.table(`headcount.${table}`)
  const others = table === 'sync_runs' ? sql`and status <> 'running'` : sql``
  // guard: one account removed
  const { rows } = await sql<{ deleted: number }>`
    with old as (
      select tableoid as part, ctid as place from ${name} where account_id = ${id} ${others} limit ${maxRows}
    ), gone as (
      delete from ${name}
       where ctid = any (array(select place from old)) ${inSamePart}
      returning 1
    )
    select count(*)::int as deleted from gone`.execute(kysely)
  return singleRow(rows).deleted
}

/** Deletes the account, its keys and links, and what came meanwhile from others than runs. */
async function finishRemoval({ kysely }: Transaction, id: number): Promise<void> {
  await sql`delete from headcount.accounts where id = ${id}`.execute(kysely)
  for (const table of [...ACCESS_TABLES, ...accountTables]) {
    await sql`delete from ${sql.table(`headcount.${table}`)} where account_id = ${id}`.execute(kysely)
  }
}

/**
 * Removes an account with all that the mirror has of it, while no run holds it.
 *
 * @returns how many rows were deleted
 * @throws AccountLockedError when a run holds it; what `signal` is aborted with
 */
export async function removeAccount(database: Database, id: number, signal: AbortSignal): Promise<number> {
  return holdAccount(database, { accountId: id, mode: 'remove', signal }, (lease) =>
    deleteAccount(database, lease, id, signal),
  )
}

/**
 * Removes the account in many small transactions, each of which makes sure that the account is still held. From the first on it is marked, and its keys
 * and links are revoked: when this is broken off, whoever calls it again goes on.
 *
 * @returns how many rows were deleted
 */
export async function deleteAccount(
  database: Database,
  lease: Pick<Lease, 'fence'>,
  id: number,
  signal: AbortSignal,
  maxRows = ROWS_PER_TRANSACTION,
): Promise<number> {
  const write = <T>(work: Parameters<typeof database.transaction<T>>[0]) => {
    signal.throwIfAborted()
    return inFencedTransaction(database, lease, work)
  }
  await write((trx) => beginRemoval(trx, id))
  let total = 0
  for (const table of accountTables) {
    for (;;) {
      const deleted = await write((trx) => deleteAccountRows(trx, table, id, maxRows))
      if (deleted === 0) break
      total += deleted
    }
  }
  await write((trx) => finishRemoval(trx, id))
  return total
}
