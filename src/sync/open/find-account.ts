import { hash } from 'node:crypto'
import { sql, type Kysely } from 'kysely'
import { stripControlCharsInLine } from '../../common/text/strip-control-chars.ts'
import { commandName, quoteForShell } from '../../common/command-name.ts'
import type { Database } from '../../db/connect.ts'
import { isOfOtherSchema } from '../../db/errors.ts'
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

/**
 * Makes sure that the account is one of the mirror, or may become one: a mistyped name would store everything a second
 * time. Writes nothing, and is asked before anything is written; a mirror without accounts takes any name. A schema that is older,
 * or that another process is bringing up to date, may not be able to tell: findAccount asks again before it makes the account.
 *
 * @throws UnknownAccountError, AccountMismatchError
 */
export async function requireKnownAccount(database: Database, wanted: RequestedAccount): Promise<void> {
  try {
    await requireAccountName(database.kysely, wanted)
  } catch (error) {
    // guard: half a schema
    if (!isOfOtherSchema(error)) throw error
  }
}

/**
 * The account's number; its row is made when this is its first run.
 *
 * @throws UnknownAccountError when the mirror has other accounts, and a further one is not wanted
 */
export async function findAccount(database: Database, wanted: RequestedAccount): Promise<number> {
  const known = await find(database.kysely, wanted.account)
  return known?.id ?? (await database.transaction(({ kysely }) => makeAccount(kysely, wanted)))
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
): Promise<{ readonly id: number; readonly name: string }> {
  await requireAccountName(kysely, requested, remedy)
  const found = await find(kysely, requested.account)
  if (found?._removing_since) throw partlyRemovedError(requested.account, found._removing_since)
  return { id: found?.id ?? 0, name: requested.account }
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

function find(kysely: Kysely<Tables>, name: string) {
  return kysely
    .selectFrom('headcount.accounts')
    .select(['id', '_removing_since'])
    .where('name', '=', name)
    .executeTakeFirst()
}

async function makeAccount(kysely: Kysely<Tables>, wanted: RequestedAccount): Promise<number> {
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
  if (made !== undefined) return made.id
  throw new DatabaseError(
    `The account "${wanted.account}" could not be stored. Look for triggers on headcount.accounts.`,
  )
}

const RUN_REMEDY = 'Nothing was written. The option `createAccount` allows a further account.'

/** @throws UnknownAccountError, AccountMismatchError */
async function requireAccountName(
  kysely: Kysely<Tables>,
  requested: RequestedAccount,
  remedy: string = RUN_REMEDY,
): Promise<void> {
  const { account, createAccount } = requested
  if (createAccount === 'for_new_key') return requireOwnKey(kysely, requested)
  if (createAccount) return
  const names = await accountNames({ kysely })
  if (names.length > 0 && !names.includes(account)) {
    throw new UnknownAccountError(account, names, remedy)
  }
}

/** @throws AccountMismatchError when the mirror has the key under other names alone. */
async function requireOwnKey(
  kysely: Kysely<Tables>,
  { account, apiKey }: Pick<RequestedAccount, 'account' | 'apiKey'>,
): Promise<void> {
  const owners = await kysely
    .selectFrom('headcount.accounts')
    .select('name')
    .where('key_sha256', '=', keySha256(apiKey))
    .orderBy('id')
    .execute()
  const names = owners.map(({ name }) => name)
  const other = otherNameOfKey(account, names)
  if (other === null) return
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
