/** How fresh and how whole the mirror of each account is, read in one view of the database. */
import { sql } from 'kysely'
import type { RunMode, RunStatus, Timestamp } from '../../common/schema/tables.ts'
import type { Transaction } from '../../db/transaction.ts'
import { countRejects } from '../../load/state/rejects.ts'
import { EVENT_LIST_KEY } from '../../load/state/sync-state.ts'
import {
  failingList,
  heldDeletions,
  unconfirmedAbsences,
  heldEventDeletions,
  labelHolds,
  readHoldClocks,
  readListRows,
  nextDueReason,
} from './list-status.ts'
import { readDeliveryStatuses, type DeliveryStatus } from './delivery-status.ts'
import type { RsvpValue } from '../owner-tables/rsvp-values.ts'
import type {
  FailingList,
  HeldDeletions,
  ListRow,
  MirrorSettings,
  UnconfirmedAbsences,
} from './list-status.ts'

export interface AccountStatus {
  readonly account: string
  readonly email: string | null
  readonly base_url: string | null
  /** When its removal began, if that is not finished; null otherwise. */
  readonly removing_since: Timestamp | null
  /** The last run of the whole account in which every list that was due was applied or found unchanged. */
  readonly last_good_run: RunSummary | null
  readonly last_run: RunSummary | null
  /** Since the last good run began, by the database's clock; null when there was none. */
  readonly age_ms: number | null
  /** Without those that the event list misses. */
  readonly events_due: number
  readonly rows: Readonly<Record<'events' | 'responses' | 'payments' | 'slots', number>>
  /** Items that cannot be stored, without those that were accepted. */
  readonly rejected: number
  readonly accepted: number
  readonly set_aside: number
  readonly held: readonly HeldDeletions[]
  /** Rows that one reading lacked, of lists in several pages. */
  readonly unconfirmed: readonly UnconfirmedAbsences[]
  readonly failing: readonly FailingList[]
  /** Who is sent digests and notices, and whether that goes well. */
  readonly deliveries: readonly DeliveryStatus[]
  /** Values of replies without a meaning, at most 100; null when they were not read, or not within a second. */
  readonly rsvp_without_meaning: readonly RsvpValue[] | null
}

/** Without what only a reading of all responses shows. */
export type QuickAccountStatus = Omit<AccountStatus, 'rsvp_without_meaning'>

export interface RunSummary {
  readonly run_id: number
  readonly mode: RunMode
  readonly status: RunStatus
  readonly started_at: Timestamp
  readonly finished_at: Timestamp | null
  /** Deletions on hold when it ended. */
  readonly held: number
  /** Its first error; null without one. */
  readonly error: string | null
}

/** Every account of the mirror, or the one of this name; what is due and how long is held depends on the settings of the next run. */
export async function readAccountStatuses(
  trx: Transaction,
  { maxStalenessMs, holdForMs }: MirrorSettings,
  account: string | null,
): Promise<readonly QuickAccountStatus[]> {
  const time = await readHoldClocks(trx, holdForMs)
  const { kysely } = trx
  const accounts = await kysely
    .selectFrom('headcount.accounts')
    .selectAll()
    .$if(account !== null, (query) => query.where('name', '=', account))
    .orderBy('id')
    .execute()
  const statuses: QuickAccountStatus[] = []
  for (const { id, name, email, base_url, _removing_since: removing_since } of accounts) {
    const lists = await readListRows(kysely, id)
    const missing = heldEventDeletions(
      lists.find(({ event_id }) => event_id === EVENT_LIST_KEY),
      time,
    )
    const isDue = (list: ListRow) =>
      list.isEvent && !missing.has(list.event_id) && nextDueReason(list, maxStalenessMs, time.now) !== null
    const last_good_run = await readLastRun(kysely, id, true)
    statuses.push({
      account: name,
      email,
      base_url,
      removing_since,
      last_good_run,
      last_run: await readLastRun(kysely, id, false),
      age_ms: last_good_run && Math.max(0, Date.parse(time.now) - Date.parse(last_good_run.started_at)),
      events_due: lists.filter(isDue).length,
      rows: await countRows(kysely, id),
      ...(await countRejects(kysely, id)),
      set_aside: lists.reduce((sum, { set_aside }) => sum + (set_aside ?? 0), 0),
      held: await labelHolds(
        trx,
        id,
        lists.flatMap((list) => heldDeletions(list, time)),
      ),
      unconfirmed: lists.flatMap((list) => unconfirmedAbsences(list)),
      failing: lists.flatMap((list) => failingList(list) ?? []),
      deliveries: await readDeliveryStatuses(kysely, id),
    })
  }
  return statuses
}

type Reader = Transaction['kysely']
async function readLastRun(kysely: Reader, account: number, mustBeGood: boolean): Promise<RunSummary | null> {
  const run = await kysely
    .selectFrom('headcount.sync_runs')
    .select(['id', 'mode', 'status', 'started_at', 'finished_at'])
    .select(sql<number>`coalesce((report->>'held')::float8, 0)`.as('held'))
    .select(sql<string | null>`report #>> '{errors,0,message}'`.as('error'))
    .where('account_id', '=', account)
    .where('mode', 'in', ['sync', 'backfill'])
    .$if(mustBeGood, (runs) => runs.where('good', '=', true))
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst()
  if (run === undefined) return null
  const { id, mode, ...summary } = run
  // A change of the account itself is no run.
  if (mode !== 'sync' && mode !== 'backfill') return null
  return { run_id: Number(id), mode, ...summary }
}

async function countRows(kysely: Reader, account: number): Promise<AccountStatus['rows']> {
  const { rows } = await sql<AccountStatus['rows']>`
    select (select count(*) from headcount.events where account_id = ${account})::float8 as events,
           (select count(*) from headcount.responses where account_id = ${account})::float8 as responses,
           (select count(*) from headcount.payments where account_id = ${account})::float8 as payments,
           (select count(*) from headcount.slots where account_id = ${account})::float8 as slots`.execute(
    kysely,
  )
  return rows[0] ?? { events: 0, responses: 0, payments: 0, slots: 0 }
}
