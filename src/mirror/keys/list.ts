import type { Timestamp } from '../../common/schema/tables.ts'
import type { Transaction } from '../../db/transaction.ts'
import { keyState, type KeyState } from './state.ts'

/** What may be told of a key: nothing of itself, nor of its hash. */
export interface ListedKey {
  readonly id: number
  readonly account: string
  readonly label: string | null
  readonly state: KeyState
  readonly created_at: Timestamp
  readonly expires_at: Timestamp | null
  /** A day in UTC, like 2026-01-31. */
  readonly last_used_on: string | null
  readonly revoked_at: Timestamp | null
}

/** The keys of one account, or of all, in the order in which they were made. */
export async function listKeys(
  { kysely }: Transaction,
  account: string | null,
): Promise<readonly ListedKey[]> {
  const rows = await kysely
    .selectFrom('headcount.api_keys as key')
    .innerJoin('headcount.accounts as account', 'account.id', 'key.account_id')
    .select(['key.id', 'account.name as account', 'key.label', keyState.as('state')])
    .select(['key.created_at', 'key.expires_at', 'key.last_used_on', 'key.revoked_at'])
    .$if(account !== null, (query) => query.where('account.name', '=', account))
    .orderBy('account.id')
    .orderBy('key.id')
    .execute()
  return rows.map((row) => ({ ...row, id: Number(row.id) }))
}
