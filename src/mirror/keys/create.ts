import { sql } from 'kysely'
import type { Timestamp } from '../../common/schema/tables.ts'
import type { Transaction } from '../../db/transaction.ts'
import { UsageError } from '../../common/errors.ts'
import { hashKey, generateKey } from './secret.ts'

export interface KeyOptions {
  /** The name of an account of the mirror. */
  readonly account: string
  /** What the key is for. */
  readonly label: string | null
  /** From then on it opens nothing; null: it never ends. */
  readonly expiresAt: Timestamp | null
}

/**
 * Makes a key for an account. Nobody can read it again: the mirror keeps only its hash.
 *
 * @throws UsageError when the mirror has no such account
 */
export async function createKey(
  trx: Transaction,
  { account, label, expiresAt }: KeyOptions,
): Promise<{ readonly id: number; readonly key: string }> {
  const key = generateKey()
  const { rows } = await sql<{ id: string }>`
    insert into headcount.api_keys (account_id, sha256, label, expires_at)
    select id, ${hashKey(key)}, ${label}, ${expiresAt}::timestamptz
      from headcount.accounts
     where name = ${account} and _removing_since is null
       for key share
    returning id`.execute(trx.kysely)
  const [row] = rows
  if (row === undefined) {
    throw new UsageError(`The mirror has no account ${JSON.stringify(account)}, or it is half removed.`)
  }
  return { id: Number(row.id), key }
}
