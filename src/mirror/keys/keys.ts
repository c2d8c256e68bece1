/** The API keys that give clients of `serve` access to an account of the mirror. */
import { sql } from 'kysely'
import { lockAccount } from '../accounts/resolve-account.ts'
import { commandName } from '../../common/command-name.ts'
import { UsageError } from '../../common/errors.ts'
import type { IntegerText, Timestamp } from '../../common/schema/tables.ts'
import type { Transaction } from '../../db/transaction.ts'
import { generateKey, hashKey } from './secret.ts'

/** Only an active key opens an account. */
export type KeyState = 'active' | 'expired' | 'revoked'

/** The state of a row `key` of api_keys, or `link` of links, by the clock of the database. */
export function stateOf(row: 'key' | 'link') {
  return sql<KeyState>`
  case when ${sql.ref(`${row}.revoked_at`)} is not null then 'revoked'
       when ${sql.ref(`${row}.expires_at`)} <= now() then 'expired'
       else 'active' end`
}

export interface KeyOptions {
  /** The name of an account of the mirror. */
  readonly account: string
  /** What the key is for. */
  readonly label: string | null
  /** When it expires; null: never. */
  readonly expiresAt: Timestamp | null
}

/**
 * Makes a key for an account. Nobody can read it again: the mirror keeps only its hash.
 *
 * @throws UsageError when the mirror has no such account; RemovedAccountError
 */
export async function createKey(
  trx: Transaction,
  { account, label, expiresAt }: KeyOptions,
): Promise<{ readonly id: number; readonly key: string }> {
  const key = generateKey()
  const { id } = await trx.kysely
    .insertInto('headcount.api_keys')
    .values({
      account_id: await lockAccount(trx, account),
      sha256: hashKey(key),
      label,
      expires_at: expiresAt,
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  return { id: Number(id), key }
}

/** A key as it is listed: without the key itself and without its hash. */
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
    .select(['key.id', 'account.name as account', 'key.label', stateOf('key').as('state')])
    .select(['key.created_at', 'key.expires_at', 'key.last_used_on', 'key.revoked_at'])
    .$if(account !== null, (query) => query.where('account.name', '=', account))
    .orderBy('account.id')
    .orderBy('key.id')
    .execute()
  return rows.map((row) => ({ ...row, id: Number(row.id) }))
}

/** How many keys and links open the mirror. */
export async function countActive({
  kysely,
}: Transaction): Promise<{ readonly keys: number; readonly links: number }> {
  const { rows } = await sql<{ keys: number; links: number }>`
    select (select count(*)::int from headcount.api_keys key where ${stateOf('key')} = 'active') as keys,
           (select count(*)::int from headcount.links link where ${stateOf('link')} = 'active') as links`.execute(
    kysely,
  )
  return rows[0] ?? { keys: 0, links: 0 }
}

/** A key or link that was revoked. */
export interface RevokedKey {
  readonly id: number
  readonly account: string
  readonly label: string | null
  readonly revoked_at: Timestamp
  /** Whether it was revoked before this call, which then changed nothing. */
  readonly wasRevoked: boolean
}

/** What opens the mirror to others, by its table. */
const NOUNS = { api_keys: 'key', links: 'link' } as const
type AccessTable = keyof typeof NOUNS

/**
 * Revokes a key or link for good. One that is revoked already keeps the time of its revocation.
 *
 * @param account only when it is this account's; null: whosever it is
 * @throws UsageError when there is none of this number
 */
export async function revoke(
  { kysely }: Transaction,
  table: AccessTable,
  id: number,
  account: string | null = null,
): Promise<RevokedKey> {
  const rowsOf = sql.table(`headcount.${table}`)
  const meant = sql`
    row.id = ${id} and account.id = row.account_id and (${account}::text is null or account.name = ${account})`
  const { numAffectedRows } = await sql`
    update ${rowsOf} row set revoked_at = now() from headcount.accounts account
     where ${meant} and row.revoked_at is null`.execute(kysely)
  const { rows } = await sql<{ account: string; label: string | null; revoked_at: Timestamp }>`
    select account.name as account, row.label, row.revoked_at
      from ${rowsOf} row, headcount.accounts account
     where ${meant}`.execute(kysely)
  const [row] = rows
  if (row !== undefined) return { id, ...row, wasRevoked: numAffectedRows === 0n }
  const noun = NOUNS[table]
  const whose = account === null ? '' : ` of account ${JSON.stringify(account)}`
  throw new UsageError(
    `There is no ${noun} ${id}${whose}: ${commandName()} ${noun}s list shows those there are.`,
  )
}

/**
 * Notes that these keys or links were used today, in UTC by the clock of the database. Later calls of the same day write
 * nothing, and a row that another call holds is left to it: nobody waits for a note.
 */
export async function recordUse(
  { kysely }: Transaction,
  table: AccessTable,
  ids: readonly IntegerText[],
): Promise<void> {
  const name = sql.table(`headcount.${table}`)
  const today = sql`(now() at time zone 'UTC')::date`
  await sql`
    update ${name}
       set last_used_on = ${today}
     where id in (select id
                    from ${name}
                   where id = any (${ids}::bigint[]) and (last_used_on is null or last_used_on < ${today})
                     for no key update skip locked)`.execute(kysely)
}
