import { sql } from 'kysely'
import { commandName } from '../../common/command-name.ts'
import type { Database } from '../../db/connect.ts'
import type { Transaction } from '../../db/transaction.ts'
import { UsageError } from '../../common/errors.ts'
import { optionName } from '../../common/options/option-names.ts'
import { accountNames, DEFAULT_ACCOUNT, requireNotRemoved } from '../../sync/open/find-account.ts'
import { didYouMean } from '../../common/text/did-you-mean.ts'
import { nameSome } from '../../common/text/name-some.ts'
import { stripControlCharsInLine } from '../../common/text/strip-control-chars.ts'

/**
 * Makes sure that an account that was named is one of the mirror: of another one there is nothing to show.
 *
 * @throws UsageError, with the names that there are.
 */
export async function requireAccount(queries: Queries, name: string | null): Promise<void> {
  if (name === null) return
  const names = await accountNames(queries)
  if (!names.includes(name)) throw unknownAccount(name, names)
}

/** Reads what is asked of one account or, with null, of all, in one transaction. @throws as requireAccount */
export async function readForAccount<T>(
  database: Database,
  account: string | null,
  read: (trx: Transaction) => Promise<T>,
): Promise<T> {
  await requireAccount(database, account)
  return database.transaction(read, { readOnly: true })
}

/**
 * The number of an account.
 *
 * @throws UsageError, with the names that there are.
 */
export async function accountId({ kysely }: Queries, name: string): Promise<number> {
  const found = await kysely
    .selectFrom('headcount.accounts')
    .select('id')
    .where('name', '=', name)
    .executeTakeFirst()
  if (found === undefined) throw unknownAccount(name, await accountNames({ kysely }))
  return found.id
}

/**
 * The number of an account, which is not removed until the transaction ends.
 *
 * @throws UsageError, RemovedAccountError
 */
export async function lockAccount(trx: Transaction, name: string): Promise<number> {
  await sql`select from headcount.accounts where name = ${name} for key share`.execute(trx.kysely)
  const id = await accountId(trx, name)
  await requireNotRemoved(trx, id, name)
  return id
}

/**
 * The one account that is meant: the one that was named; else `default`, as in a run, or the only one that there is.
 *
 * @throws UsageError, with the names that there are.
 */
export async function resolveAccount(queries: Queries, named: string | null): Promise<string> {
  const names = await accountNames(queries)
  const name = named ?? DEFAULT_ACCOUNT
  if (names.includes(name)) return name
  const [only, ...others] = names
  if (named === null && only !== undefined) {
    if (others.length === 0) return only
    throw new UsageError(
      `The mirror has several accounts: ${someNames(names)}. Name one with ${optionName('account')}.`,
    )
  }
  throw only === undefined
    ? new UsageError(`The mirror has no account yet. Run: ${commandName()} sync`)
    : unknownAccount(name, names)
}

/** More names than these would hide what the message says. */
const MAX_LISTED = 10

type Queries = Pick<Database, 'kysely'>

export function unknownAccount(name: string, names: readonly string[]): UsageError {
  const shown = names.map(stripControlCharsInLine)
  const has = names.length === 0 ? `none. Run: ${commandName()} sync` : `${someNames(names)}.`
  // Where all are listed, the nearest one is in sight.
  const nearest = names.length > MAX_LISTED ? didYouMean(name, shown) : ''
  return new UsageError(
    `The mirror has no account "${stripControlCharsInLine(name)}"${nearest}; it has ${has}`,
  )
}

/** The first names: a mirror may have a thousand. */
function someNames(names: readonly string[]): string {
  const some = nameSome(names.map(stripControlCharsInLine), MAX_LISTED)
  return names.length > MAX_LISTED ? `${some} (${commandName()} accounts lists them)` : some
}
