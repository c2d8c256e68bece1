/** Rows of the views, in transactions that show one account or all. */
import { sql, type RawBuilder } from 'kysely'
import type { ViewName, ViewRow } from '../../common/schema/view-columns.ts'
import { UnknownEventError } from '../../common/errors.ts'
import { commandName, quoteForShell } from '../../common/command-name.ts'
import { didYouMeanEvent } from '../../common/text/did-you-mean.ts'
import { EVENT_LIST_KEY } from '../../load/state/sync-state.ts'
import { quote } from '../../common/parse-values.ts'
import type { Database } from '../../db/connect.ts'
import type { Transaction, TransactionOptions } from '../../db/transaction.ts'
import { requireAccount, unknownAccount } from '../accounts/resolve-account.ts'
import { requireSynced } from '../query/require-synced.ts'
import { defineCall, type Call } from '../calls/call.ts'
import type { AccountInput, ReadInput } from '../calls/input.ts'

/**
 * Runs the work in one read-only transaction, so that all that it reads is of one moment. The views show the account alone.
 *
 * @throws UsageError when there is no such account
 */
export async function ofAccount<T>(
  database: Database,
  account: string | null,
  work: (trx: Transaction) => Promise<T>,
  options: Pick<TransactionOptions, 'statementTimeoutMs' | 'lockTimeoutMs' | 'everyRow'> = {},
): Promise<T> {
  await requireAccount(database, account)
  return inAccount(database, account, work, options)
}

/**
 * The same of what was read already: of an account that was not, nothing would look like an answer. Also for a reader, who may not look
 * whether it was.
 *
 * @throws MirrorNotFoundError when nothing was read into it yet
 */
export async function ofReadAccount<T>(...asked: Parameters<typeof ofAccount<T>>): Promise<T> {
  const [database, account] = asked
  const mayLook = (await requireSynced(database, account)) !== null
  if (!mayLook && account !== null) await visibleAccountId(database, account)
  return inAccount(...asked)
}

/** A call that answers by the views, as `ofReadAccount`. */
export function defineAnswer<Input extends AccountInput, Output>(
  name: string,
  readInput: ReadInput<Input>,
  answer: (trx: Transaction, input: Input) => Promise<Output>,
): Call<Input, Output> {
  const run = (database: Database, input: Input) =>
    ofReadAccount(database, input.account, (trx) => answer(trx, input))
  return defineCall({ name, changes: false, readInput, run })
}

/**
 * The number of an account, also for a reader, who sees in views alone which accounts there are.
 *
 * @throws UsageError, with the names that there are
 */
export async function visibleAccountId({ kysely }: Pick<Database, 'kysely'>, name: string): Promise<number> {
  const { rows } = await sql<{ account_id: number }>`
    select account_id from headcount.run_summary where account = ${name} limit 1`.execute(kysely)
  const [found] = rows
  if (found !== undefined) return found.account_id
  const { rows: others } = await sql<{ account: string }>`
    select account from headcount.run_summary group by account_id, account order by account_id`.execute(
    kysely,
  )
  const names = others.map(({ account }) => account)
  throw unknownAccount(name, names)
}

function inAccount<T>(
  ...[database, account, work, options = {}]: Parameters<typeof ofAccount<T>>
): Promise<T> {
  return database.transaction(
    async (trx) => {
      await showAccount(trx, account)
      return work(trx)
    },
    { ...options, readOnly: true },
  )
}

/** Rows of a view; `rest` is what follows its name. */
export async function rowsOf<View extends ViewName>(
  { kysely }: Transaction,
  view: View,
  rest: RawBuilder<unknown>,
): Promise<readonly ViewRow<View>[]> {
  const { rows } = await sql<
    ViewRow<View>
  >`select v.* from ${sql.table(`headcount.${view}`)} v ${rest}`.execute(kysely)
  return rows
}

/** Lets views show this account, or all, until the transaction ends, whatever the role or the database has for `headcount.account`. */
export async function showAccount({ kysely }: Transaction, account: string | null): Promise<void> {
  await sql`select set_config('headcount.account', ${account ?? ''}, true)`.execute(kysely)
}

/** What an event that is asked for may be, and what the message says of the work. */
interface EventSought {
  /** Also one that was removed: it is known by its changes. */
  readonly orRemoved?: boolean
  readonly outcome?: string
}

/** @throws UnknownEventError unless the account, or any where none is named, has the event */
export async function requireEvent(
  trx: Transaction,
  event: string,
  account: string | null,
  { orRemoved = false, outcome = '' }: EventSought = {},
): Promise<void> {
  // Views, for readers see no accounts, and some no table of events.
  await showAccount(trx, account)
  const ofAccount = sql`(${account}::text is null or account = ${account})`
  const removed = sql`
    union all
    select from headcount.event_changes_without_personal
     where event_id = ${event} and change = 'delete' and ${ofAccount}`
  const { rows } = await sql`
    select from headcount.events_without_personal where id = ${event} and ${ofAccount}
    ${orRemoved ? removed : sql``} limit 1`.execute(trx.kysely)
  if (rows.length === 0) await unknownEvent(trx, event, account, outcome)
}

/** At most so many events are looked at for one that was meant. */
const MAX_SIMILAR = 100_000

/**
 * @param outcome what the message says of the work
 * @throws UnknownEventError with the event that was probably meant, or, of one that is listed but was never read, where the reason stands
 */
export async function unknownEvent(
  { kysely }: Transaction,
  id: string,
  account: string | null,
  outcome = '',
): Promise<never> {
  const { rows: events } = await sql<{ id: string; title: string | null }>`
    select event_id as id, event_title as title from headcount.list_status_without_personal
     where event_id <> ${EVENT_LIST_KEY} and (${account}::text is null or account = ${account})
     limit ${MAX_SIMILAR}`.execute(kysely)
  if (events.some((event) => event.id === id))
    throw new UnknownEventError(
      `The mirror does not have event ${quote(id)} yet: its responses were not read so far.${outcome} See why with: ${commandName()} status --event ${quoteForShell(id)}`,
    )
  const remedy =
    events.length === 0
      ? `It has no events: ${commandName()} sync reads them`
      : `See the ids with: ${commandName()} events --all`
  throw new UnknownEventError(
    `The mirror has no event ${quote(id)}${didYouMeanEvent(id, events)}.${outcome} ${remedy}`,
  )
}
