import { sql } from 'kysely'
import { describeRemoval } from '../../sync/open/find-account.ts'
import { commandName } from '../../common/command-name.ts'
import type { Database } from '../../db/connect.ts'
import { codeOf, INSUFFICIENT_PRIVILEGE } from '../../db/errors/sqlstate.ts'
import type { RunStatus, Timestamp } from '../../common/schema/tables.ts'
import { MirrorNotFoundError } from '../../common/errors.ts'
import { EVENT_LIST_KEY } from '../../load/state/sync-state.ts'
import { unknownAccount } from '../accounts/resolve-account.ts'

interface AccountProgress {
  readonly id: number
  readonly name: string
  readonly removing_since: Timestamp | null
  /** Whether a run has read everything that was due. */
  readonly has_good_run: boolean
  /** The responses of an event were read. */
  readonly has_list: boolean
  readonly last: RunStatus | null
}

/**
 * Makes sure that something was read into the mirror: tables that nothing was read into answer every question with "none".
 *
 * @param account only this one counts; null: any
 * @returns null when the role may not look; else what is to be said of the answer: whose rows may not be all, and what a named account does not bound
 * @throws MirrorNotFoundError when no list of any of these accounts was read yet, or what is left of it is no mirror;
 * UsageError when the mirror has accounts, and none of this name
 */
export async function requireSynced(
  { kysely }: Pick<Database, 'kysely'>,
  account: string | null,
): Promise<readonly string[] | null> {
  const all = await readAccountProgress(kysely)
  if (all === null) return null
  const accounts = all.filter(({ name }) => account === null || name === account)
  const [named] = accounts
  if (named === undefined && account !== null && all.length > 0) {
    const names = all.map(({ name }) => name)
    throw unknownAccount(account, names)
  }
  const isReadable = ({ removing_since, has_list }: AccountProgress) => removing_since === null && has_list
  // guard: nothing read yet
  if (!accounts.some(isReadable)) throw nothingSyncedError(accounts)
  const notes = accounts.flatMap(incompletenessNote)
  if (account === null || named === undefined || all.length === 1) return notes
  return [
    ...notes,
    `views and functions show account ${account} only; in tables it is the rows with account_id = ${named.id}`,
  ]
}

/**
 * Makes sure that there is more to tell of than accounts that are half removed.
 *
 * @param account only this one counts; null: any
 * @throws MirrorNotFoundError
 */
export async function requireNotHalfRemoved(
  { kysely }: Pick<Database, 'kysely'>,
  account: string | null,
): Promise<void> {
  const accounts = await kysely
    .selectFrom('headcount.accounts')
    .select(['name', '_removing_since as removing_since'])
    .$if(account !== null, (query) => query.where('name', '=', account))
    .orderBy('id')
    .execute()
  const [first] = accounts
  if (!first?.removing_since || accounts.some(({ removing_since }) => removing_since === null)) return
  throw halfRemovedError(first.name, first.removing_since)
}

function halfRemovedError(name: string, since: Timestamp): MirrorNotFoundError {
  return new MirrorNotFoundError(`Account ${name} is ${describeRemoval(name, since)}.`)
}

function incompletenessNote({ name, removing_since, has_good_run }: AccountProgress): readonly string[] {
  if (removing_since !== null) return [`account ${name} is ${describeRemoval(name, removing_since)}`]
  if (has_good_run) return []
  return [
    `account ${name} had no good run yet, so that rows of it may be missing: see ${commandName()} status`,
  ]
}

/** Null: this role may not read it. */
async function readAccountProgress(kysely: Database['kysely']): Promise<readonly AccountProgress[] | null> {
  try {
    const { rows } = await sql<AccountProgress>`
      select a.id, a.name, a._removing_since as removing_since, good.found as has_good_run, good.found or exists (
               select from headcount.sync_state
                where account_id = a.id and event_id <> ${EVENT_LIST_KEY} and last_full_read_at is not null) as has_list,
             (select status from headcount.sync_runs where account_id = a.id order by id desc limit 1) as last
        from headcount.accounts a
       cross join lateral (
         select exists (select from headcount.sync_runs where account_id = a.id and good) as found) good
       order by a.id`.execute(kysely)
    return rows
  } catch (error) {
    if (codeOf(error) === INSUFFICIENT_PRIVILEGE) return null
    throw error
  }
}

function nothingSyncedError(accounts: readonly AccountProgress[]): MirrorNotFoundError {
  const [removed] = accounts.filter(({ removing_since }) => removing_since !== null)
  if (removed?.removing_since) return halfRemovedError(removed.name, removed.removing_since)
  const lastRuns = accounts.map(({ name, last }) =>
    last === null ? `account ${name} had no run` : `the last run of account ${name} is ${last}`,
  )
  const why = lastRuns.length === 0 ? 'it has no account' : lastRuns.join(', ')
  return new MirrorNotFoundError(
    `Nothing was read into this mirror yet (${why}), so its tables have no rows. Run ${commandName()} sync ` +
      `first; ${commandName()} runs and ${commandName()} doctor show what went wrong.`,
  )
}
