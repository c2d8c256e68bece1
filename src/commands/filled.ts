import { sql } from 'kysely'
import { commandName } from '../command-name.ts'
import type { Database } from '../db/connect.ts'
import { codeOf } from '../db/failures.ts'
import type { RunStatus } from '../db/tables.ts'
import { NoMirrorError } from '../errors.ts'
import { EVENTS_LIST } from '../load/state.ts'

/** Lacking rights (SQLSTATE): such a role asks what it may ask. */
const INSUFFICIENT_PRIVILEGE = '42501'

interface Filled {
  readonly name: string
  /** A run left nothing out. */
  readonly has_good_run: boolean
  /** The responses of an event were read. */
  readonly has_list: boolean
  readonly last: RunStatus | null
}

/**
 * Makes sure that something was read into the mirror: tables that nothing was read into answer every question with "none".
 *
 * @param account only this one counts; null: any
 * @returns what is to be said of accounts without a good run: their rows may not be all
 * @throws NoMirrorError when no list of any of these accounts was read yet
 */
export async function requireFilled(
  { kysely }: Pick<Database, 'kysely'>,
  account: string | null,
): Promise<readonly string[]> {
  const accounts = await readFilled(kysely, account)
  if (accounts === null) return []
  if (!accounts.some(({ has_list }) => has_list)) throw nothingYet(accounts)
  return accounts.flatMap(({ name, has_good_run }) =>
    has_good_run
      ? []
      : [
          `account ${name} had no good run yet, so that rows of it may be missing: see ${commandName()} status`,
        ],
  )
}

/** Null: this role may not know. */
async function readFilled(
  kysely: Database['kysely'],
  account: string | null,
): Promise<readonly Filled[] | null> {
  try {
    const { rows } = await sql<Filled>`
      select a.name, good.found as has_good_run, good.found or exists (
               select from headcount.sync_state
                where account_id = a.id and event_id <> ${EVENTS_LIST} and read_at is not null) as has_list,
             (select status from headcount.sync_runs where account_id = a.id order by id desc limit 1) as last
        from headcount.accounts a
       cross join lateral (
         select exists (select from headcount.sync_runs where account_id = a.id and good) as found) good
       where ${account}::text is null or a.name = ${account}
       order by a.id`.execute(kysely)
    return rows
  } catch (error) {
    if (codeOf(error) === INSUFFICIENT_PRIVILEGE) return null
    throw error
  }
}

function nothingYet(accounts: readonly Filled[]): NoMirrorError {
  const told = accounts.map(({ name, last }) =>
    last === null ? `account ${name} had no run` : `the last run of account ${name} is ${last}`,
  )
  const why = told.length === 0 ? 'it has no account' : told.join(', ')
  return new NoMirrorError(
    `Nothing was read into this mirror yet (${why}), so its tables would answer with nothing. Run ${commandName()} sync ` +
      `first; ${commandName()} runs and ${commandName()} doctor tell what was wrong.`,
  )
}
