/** The API keys that give clients of `serve` access to an account of the mirror; and what links have in common with them. */
import { sql, type RawBuilder } from 'kysely'
import { lockAccount, requireAccount, resolveAccount } from '../accounts/resolve-account.ts'
import { commandName } from '../../common/command-name.ts'
import { UsageError } from '../../common/errors.ts'
import { optionName } from '../../common/options/option-names.ts'
import type { IntegerText, Timestamp } from '../../common/schema/tables.ts'
import type { Transaction } from '../../db/transaction.ts'
import { defineAccountList, defineChange } from '../calls/call.ts'
import { accountFields, number, object, orNull, text } from '../calls/input.ts'
import { instantField, type InstantInput } from '../instants/parse-instant.ts'
import { resolveInstant } from '../instants/resolve-instant.ts'
import { generateKey, hashKey } from './secret.ts'

/** Only an active key opens an account. */
export type KeyState = 'active' | 'expired' | 'revoked'

/** The state of a row of api_keys or of links, by the clock of the database. */
export function stateOf(row: string) {
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

export const newKeyFields = { ...accountFields, label: orNull(text), expires: orNull(instantField) }

export interface CreatedKey {
  readonly id: number
  readonly key: string
  readonly account: string
  readonly expiresAt: string | null
}

export const createKeyCall = defineChange(
  'create-key',
  object(newKeyFields),
  async (trx, { label, ...access }): Promise<CreatedKey> => {
    const meant = await resolveAccess(trx, access)
    return { ...(await createKey(trx, { ...meant, label })), ...meant }
  },
)

/** @throws UsageError when the moment is past, or there is no such account */
export async function resolveAccess(
  trx: Transaction,
  { account, expires }: { readonly account: string | null; readonly expires: InstantInput | null },
): Promise<Pick<KeyOptions, 'account' | 'expiresAt'>> {
  const name = await resolveAccount(trx, account)
  if (expires === null) return { account: name, expiresAt: null }
  const { instant, now, is_past } = await resolveInstant(trx, expires)
  if (!is_past) return { account: name, expiresAt: instant }
  throw new UsageError(
    `${optionName('expiresAt')} ${instant} is past: the clock of the database says ${now}. Name a moment to come: ` +
      'a date (midnight in UTC), an instant like 2030-01-01T12:00:00Z, or a time from now like 90d.',
  )
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
export function listKeys(trx: Transaction, account: string | null): Promise<readonly ListedKey[]> {
  return listAccess(trx, 'api_keys', sql``, account)
}

export const keysCall = defineAccountList('keys', listKeys)

/** What opens the mirror to others, by its table. */
const NOUNS = { api_keys: 'key', links: 'link' } as const
type AccessTable = keyof typeof NOUNS

/** @param more columns that the rows have beside those of keys */
export async function listAccess<Listed extends ListedKey>(
  { kysely }: Transaction,
  table: AccessTable,
  more: RawBuilder<unknown>,
  account: string | null,
): Promise<readonly Listed[]> {
  const { rows } = await sql<Listed>`
    select row.id::float8, account.name as account, ${more} row.label, ${stateOf('row')} as state,
           row.created_at, row.expires_at, row.last_used_on, row.revoked_at
      from ${sql.table(`headcount.${table}`)} row
      join headcount.accounts account on account.id = row.account_id
     where ${account}::text is null or account.name = ${account}
     order by account.id, row.id`.execute(kysely)
  return rows
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

export const revokeKeyCall = revokeCall('revoke-key', 'api_keys')
export const revokeLinkCall = revokeCall('revoke-link', 'links')

function revokeCall(name: string, table: AccessTable) {
  return defineChange(name, object({ ...accountFields, id: number }), async (trx, { id, account }) => {
    await requireAccount(trx, account)
    return revoke(trx, table, id, account)
  })
}

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
