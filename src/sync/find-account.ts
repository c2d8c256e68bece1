import { sql } from 'kysely'
import type { Kysely } from 'kysely'
import type { Database } from '../db/connect.ts'
import { codeOf, UNDEFINED_TABLE } from '../db/failures.ts'
import type { Tables } from '../db/tables.ts'
import { DatabaseError, UnknownAccountError } from '../errors.ts'

/** The account of whoever names none. */
export const DEFAULT_ACCOUNT = 'default'

/** The account of a run: its name, and whether the mirror may get a further account of this name. */
export interface WantedAccount {
  readonly account: string
  readonly createAccount: boolean
}

/**
 * Makes sure that the account is one of the mirror, or may become one: a mistyped name would store everything a second
 * time. Writes nothing, and is asked before anything is written; a mirror without accounts takes any name.
 *
 * @throws UnknownAccountError
 */
export async function requireKnownName(database: Database, wanted: WantedAccount): Promise<void> {
  try {
    await requireName(database.kysely, wanted)
  } catch (error) {
    // There is no schema, or it is so new that it has no such table: whoever brings it up to date says so.
    if (codeOf(error) !== UNDEFINED_TABLE) throw error
  }
}

/**
 * The account's number; its row is made when this is its first run.
 *
 * @throws UnknownAccountError when the mirror has other accounts, and a further one is not wanted
 */
export async function findAccount(database: Database, wanted: WantedAccount): Promise<number> {
  const known = await findId(database.kysely, wanted.account)
  return known ?? (await database.transaction(({ kysely }) => makeAccount(kysely, wanted)))
}

/** Null: the mirror has no such account. */
export async function findId(kysely: Kysely<Tables>, account: string): Promise<number | null> {
  const found = await kysely
    .selectFrom('headcount.accounts')
    .select('id')
    .where('name', '=', account)
    .executeTakeFirst()
  return found?.id ?? null
}

async function makeAccount(kysely: Kysely<Tables>, wanted: WantedAccount): Promise<number> {
  // Two first runs of different names in an empty mirror: the second sees the account of the first.
  await sql`lock table headcount.accounts in share row exclusive mode`.execute(kysely)
  await requireName(kysely, wanted)
  await kysely
    .insertInto('headcount.accounts')
    .values({ name: wanted.account })
    .onConflict((conflict) => conflict.doNothing())
    .execute()
  const made = await findId(kysely, wanted.account)
  if (made !== null) return made
  throw new DatabaseError(
    `The account "${wanted.account}" could not be stored. Look for triggers on headcount.accounts.`,
  )
}

const RUN_REMEDY = 'Nothing was written. The option `createAccount` allows a further account.'

/** @throws UnknownAccountError */
export async function requireName(
  kysely: Kysely<Tables>,
  { account, createAccount }: WantedAccount,
  remedy: string = RUN_REMEDY,
): Promise<void> {
  if (createAccount) return
  const rows = await kysely.selectFrom('headcount.accounts').select('name').orderBy('id').execute()
  const names = rows.map(({ name }) => name)
  if (names.length > 0 && !names.includes(account)) {
    throw new UnknownAccountError(account, names, remedy)
  }
}
