import { hash } from 'node:crypto'
import { sql, type Kysely } from 'kysely'
import { stripControlCharsInLine } from '../../common/text/strip-control-chars.ts'
import { commandName, quoteForShell } from '../../common/command-name.ts'
import type { Database } from '../../db/connect.ts'
import type { Identity } from '../../load/stored-identity.ts'
import { requireNotMoved } from '../../load/state/moved.ts'
import { isOfOtherSchema } from '../../db/errors/sqlstate.ts'
import type { Tables } from '../../common/schema/tables.ts'
import type { Transaction } from '../../db/transaction.ts'
import {
  AccountMismatchError,
  DatabaseError,
  RemovedAccountError,
  UnknownAccountError,
} from '../../common/errors.ts'

/** The account of whoever names none. */
export const DEFAULT_ACCOUNT = 'default'

/**
 * Whether a mirror that has other accounts may get a further one of this name. `for_new_key`: unless the mirror has the key
 * under another name, for then the account was renamed, or the key is another account's.
 */
export type CreateAccount = boolean | 'for_new_key'

/** The account of a run: its name, its key, and whether it may be made. */
export interface RequestedAccount {
  readonly account: string
  readonly createAccount: CreateAccount
  readonly apiKey: string
}

/** The account of a run that writes. */
export interface AccountToWrite extends RequestedAccount {
  /** Also in a mirror that was moved. */
  readonly force: boolean
}

/** What the mirror was built from; null before the first run came this far. */
export type StoredIdentity = Readonly<Record<keyof Identity, string | null>>

/** An account, and what the mirror held of it when it was opened. */
export interface StoredAccount {
  readonly id: number
  readonly name: string
  readonly identity: StoredIdentity
  /** Which fields its rows were made without; null: it has no rows yet. */
  readonly fieldRules: string | null
}

export function accountWithoutRows(id: number, name: string): StoredAccount {
  return { id, name, identity: { email: null, base_url: null, key_sha256: null }, fieldRules: null }
}

/**
 * Makes sure that the account is one of the mirror, or may become one: a mistyped name would store everything a second
 * time. Writes nothing, and is asked before anything is written; a mirror without accounts takes any name. A schema that is older,
 * or that another process is bringing up to date, may not be able to tell: makeAccount asks again.
 *
 * @returns its number; null when it is still to be made
 * @throws UnknownAccountError, AccountMismatchError
 */
export async function requireKnownAccount(
  database: Database,
  wanted: RequestedAccount,
): Promise<number | null> {
  try {
    return await requireAccountName(database.kysely, wanted)
  } catch (error) {
    // guard: half a schema
    if (!isOfOtherSchema(error)) throw error
    return null
  }
}

/**
 * The account of a run that only reads. One that the mirror does not have has no rows: no account has its number.
 *
 * @throws UnknownAccountError, RemovedAccountError
 */
export async function readAccount(
  { kysely }: Pick<Database, 'kysely'>,
  requested: RequestedAccount,
  remedy?: string,
): Promise<StoredAccount> {
  const { account: name } = requested
  await requireAccountName(kysely, requested, remedy)
  const found = await storedAccounts(kysely).select('id').where('name', '=', name).executeTakeFirst()
  if (found === undefined) return accountWithoutRows(0, name)
  requireWhole(found, name)
  return asStored(found.id, name, found)
}

/**
 * The account of a run that begins, and whether somebody of it was erased: one question, for each is a round trip.
 *
 * @throws MovedMirrorError, RemovedAccountError
 */
export async function readAccountToWrite(
  { kysely }: Transaction,
  id: number,
  { account: name, force }: AccountToWrite,
): Promise<{ readonly account: StoredAccount; readonly isSuppressing: boolean }> {
  const found = await storedAccounts(kysely)
    .select(sql<boolean>`exists (select from headcount.moved)`.as('is_moved'))
    .select(
      sql<boolean>`exists (select from headcount.suppressions where account_id = ${id})`.as('is_suppressing'),
    )
    .where('id', '=', id)
    .executeTakeFirst()
  if (!force && found?.is_moved !== false) await requireNotMoved(kysely)
  requireWhole(found, name)
  return { account: asStored(id, name, found), isSuppressing: found.is_suppressing }
}

function storedAccounts(kysely: Kysely<Tables>) {
  return kysely
    .selectFrom('headcount.accounts')
    .select(['_removing_since', 'field_rules', 'email', 'base_url', 'key_sha256'])
}

function asStored(
  id: number,
  name: string,
  { email, base_url, key_sha256, field_rules }: StoredIdentity & { readonly field_rules: string | null },
): StoredAccount {
  return { id, name, identity: { email, base_url, key_sha256 }, fieldRules: field_rules }
}

/**
 * Makes sure that the account is there and is not half removed. That is so for as long as the caller holds the account.
 *
 * @throws RemovedAccountError
 */
export async function requireNotRemoved({ kysely }: Transaction, id: number, name: string): Promise<void> {
  const account = await kysely
    .selectFrom('headcount.accounts')
    .select('_removing_since')
    .where('id', '=', id)
    .executeTakeFirst()
  requireWhole(account, name)
}

/** @throws RemovedAccountError */
function requireWhole<T extends { readonly _removing_since: string | null }>(
  account: T | undefined,
  name: string,
): asserts account is T {
  if (account === undefined) {
    throw new RemovedAccountError(`The account "${name}" was removed meanwhile. Nothing was written.`)
  }
  // guard: half removed
  if (account._removing_since !== null) throw partlyRemovedError(name, account._removing_since)
}

function partlyRemovedError(name: string, since: string): RemovedAccountError {
  return new RemovedAccountError(
    `The account "${name}" is ${describeRemoval(name, since)}. Its name can be used again then.`,
  )
}

/** The message about an account whose removal was interrupted. */
export function describeRemoval(account: string, since: string): string {
  const command = `${commandName()} accounts remove ${quoteForShell(stripControlCharsInLine(account))}`
  return `half removed since ${since}, and no mirror any more: ${command} removes the rest`
}

/** Also in a schema that is older. */
async function find(kysely: Kysely<Tables>, name: string): Promise<number | null> {
  const found = await kysely
    .selectFrom('headcount.accounts')
    .select('id')
    .where('name', '=', name)
    .executeTakeFirst()
  return found?.id ?? null
}

/**
 * Makes the row of an account whose first run this is.
 *
 * @returns its number
 * @throws MovedMirrorError; UnknownAccountError when the mirror has other accounts, and a further one is not wanted
 */
export async function makeAccount({ kysely }: Transaction, wanted: AccountToWrite): Promise<number> {
  if (!wanted.force) await requireNotMoved(kysely)
  // Two first runs of different names in an empty mirror: the second sees the account of the first.
  await sql`lock table headcount.accounts in share row exclusive mode`.execute(kysely)
  // guard: first runs at once
  await requireAccountName(kysely, wanted)
  await kysely
    .insertInto('headcount.accounts')
    .values({ name: wanted.account })
    .onConflict((conflict) => conflict.doNothing())
    .execute()
  const made = await find(kysely, wanted.account)
  if (made !== null) return made
  throw new DatabaseError(
    `The account "${wanted.account}" could not be stored. Look for triggers on headcount.accounts.`,
  )
}

const RUN_REMEDY = 'Nothing was written. The option `createAccount` allows a further account.'

/** @returns the account's number; null of one that may be made. @throws UnknownAccountError, AccountMismatchError */
async function requireAccountName(
  kysely: Kysely<Tables>,
  requested: RequestedAccount,
  remedy: string = RUN_REMEDY,
): Promise<number | null> {
  const { account, createAccount } = requested
  if (createAccount === 'for_new_key') return requireOwnKey(kysely, requested)
  const id = await find(kysely, account)
  if (id !== null || createAccount) return id
  const names = await accountNames({ kysely })
  // Another process may have made it since.
  if (names.length > 0 && !names.includes(account)) throw new UnknownAccountError(account, names, remedy)
  return null
}

/** @returns as requireAccountName. @throws AccountMismatchError when the mirror has the key under other names alone */
async function requireOwnKey(
  kysely: Kysely<Tables>,
  { account, apiKey }: Pick<RequestedAccount, 'account' | 'apiKey'>,
): Promise<number | null> {
  const key = keySha256(apiKey)
  const found = await kysely
    .selectFrom('headcount.accounts')
    .select(['id', 'name', 'key_sha256'])
    .where((row) => row.or([row('name', '=', account), row('key_sha256', '=', key)]))
    .orderBy('id')
    .execute()
  const owners = found.filter(({ key_sha256 }) => key_sha256 === key)
  const names = owners.map(({ name }) => name)
  const other = otherNameOfKey(account, names)
  if (other === null) return found.find(({ name }) => name === account)?.id ?? null
  const [former, now] = [other, account].map((name) => JSON.stringify(name))
  // guard: key under another name
  throw new AccountMismatchError(
    `The key of account ${now} is that of account ${former} of the mirror. Nothing was read or written. If ${former} was renamed, ` +
      `the other place needs the same name: ${renameCommand(other, account)} changes it in the mirror. If not, check the key.`,
  )
}

/** As it is typed. */
export function renameCommand(from: string, to: string): string {
  const [former, now] = [from, to].map((name) => quoteForShell(stripControlCharsInLine(name)))
  return `${commandName()} accounts rename ${former} ${now}`
}

/** Under which name the mirror has the key of an account; null: under none, or under that of the account too. @param names with this key */
export function otherNameOfKey(account: string, names: readonly string[]): string | null {
  return names.includes(account) ? null : (names[0] ?? null)
}

/** By which a mirror knows a key that it does not have. */
export function keySha256(apiKey: string): string {
  return hash('sha256', apiKey)
}

/** In the order in which they were made. */
export async function accountNames({ kysely }: Pick<Database, 'kysely'>): Promise<readonly string[]> {
  const accounts = await kysely.selectFrom('headcount.accounts').select('name').orderBy('id').execute()
  return accounts.map(({ name }) => name)
}
