import { sql } from 'kysely'
import { commandName } from '../../common/command-name.ts'
import type { Timestamp } from '../../common/schema/tables.ts'
import type { Transaction } from '../../db/transaction.ts'
import { UsageError } from '../../common/errors.ts'

export interface RevokedKey {
  readonly id: number
  readonly account: string
  readonly label: string | null
  readonly revoked_at: Timestamp
  /** Not by this call, which changed nothing. */
  readonly wasRevoked: boolean
}

/**
 * Takes a key back for ever. A key that was taken back before keeps its time.
 *
 * @param account only when the key is this account's; null: whosever it is
 * @throws UsageError when there is no such key
 */
export async function revokeKey(
  { kysely }: Transaction,
  id: number,
  account: string | null = null,
): Promise<RevokedKey> {
  const meant = sql`
    key.id = ${id} and account.id = key.account_id and (${account}::text is null or account.name = ${account})`
  const { numAffectedRows } = await sql`
    update headcount.api_keys key set revoked_at = now() from headcount.accounts account
     where ${meant} and key.revoked_at is null`.execute(kysely)
  const { rows } = await sql<{ account: string; label: string | null; revoked_at: Timestamp }>`
    select account.name as account, key.label, key.revoked_at
      from headcount.api_keys key, headcount.accounts account
     where ${meant}`.execute(kysely)
  const [row] = rows
  if (row !== undefined) return { id, ...row, wasRevoked: numAffectedRows === 0n }
  const whose = account === null ? '' : ` of account ${JSON.stringify(account)}`
  throw new UsageError(`There is no key ${id}${whose}: ${commandName()} keys list shows those there are.`)
}
