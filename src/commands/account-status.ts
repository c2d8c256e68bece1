/** How fresh and how whole the mirror of each account is, read in one view of the database. */
import { sql } from 'kysely'
import type { HeldGroup, HoldReason, RunMode, RunStatus, Timestamp } from '../db/tables.ts'
import type { Transaction } from '../db/transaction.ts'
import { NORMALISER_VERSION } from '../normalise/version.ts'
import { dueReason } from '../sync/freshness.ts'

export interface AccountStatus {
  readonly account: string
  readonly email: string | null
  readonly base_url: string | null
  /** The last run that left all the service's data in the mirror, or held back or rejected some of it. */
  readonly last_good_run: RunSummary | null
  readonly last_run: RunSummary | null
  /** Since the last good run ended, by the database's clock; null when there was none. */
  readonly age_ms: number | null
  readonly events_due: number
  readonly rows: Readonly<Record<'events' | 'responses' | 'payments' | 'slots', number>>
  readonly rejected: number
  readonly set_aside: number
  readonly held: readonly HeldDeletions[]
  readonly failing: readonly FailingList[]
}

export interface RunSummary {
  readonly run_id: number
  readonly mode: RunMode
  readonly status: RunStatus
  readonly started_at: Timestamp
  readonly finished_at: Timestamp | null
}

/** Deletions of one list that were first seen at the same time, for the same reason. */
export interface HeldDeletions {
  /** null: the list of events itself. */
  readonly event_id: string | null
  readonly since: Timestamp
  readonly reason: HoldReason
  readonly rows: number
}

/** A list that could not be read last time. */
export interface FailingList {
  readonly event_id: string | null
  readonly failed_at: Timestamp | null
  readonly code: string
  readonly message: string
}

/** Every account of the mirror; what is due depends on the staleness cap of the next run. */
export async function readAccounts(
  { kysely }: Transaction,
  maxStalenessMs: number,
): Promise<readonly AccountStatus[]> {
  const now = (await sql<{ now: string }>`select now() as now`.execute(kysely)).rows[0]?.now ?? ''
  const accounts = await kysely.selectFrom('headcount.accounts').selectAll().orderBy('id').execute()
  const statuses: AccountStatus[] = []
  for (const { id, name, email, base_url } of accounts) {
    const lists = await readLists(kysely, id)
    const last_good_run = await lastRun(kysely, id, ['succeeded', 'held'])
    const finished = last_good_run?.finished_at
    statuses.push({
      account: name,
      email,
      base_url,
      last_good_run,
      last_run: await lastRun(kysely, id, null),
      age_ms: finished ? Math.max(0, Date.parse(now) - Date.parse(finished)) : null,
      events_due: lists.filter((list) => list.isEvent && isDue(list, maxStalenessMs, now)).length,
      rows: await countRows(kysely, id),
      rejected: await countRejects(kysely, id),
      set_aside: lists.reduce((sum, { set_aside }) => sum + (set_aside ?? 0), 0),
      held: lists.flatMap(({ event_id, held }) => describeHeld(event_id, held ?? [])),
      failing: lists.flatMap(({ event_id, failed_at, error_code, error_message }) =>
        error_code === null
          ? []
          : [{ event_id: event_id || null, failed_at, code: error_code, message: error_message ?? '' }],
      ),
    })
  }
  return statuses
}

type Reader = Transaction['kysely']
type List = Awaited<ReturnType<typeof readLists>>[number]

/** Every event of the mirror and every list that is known, with what is known of it. */
async function readLists(kysely: Reader, account: number) {
  const events = kysely
    .selectFrom('headcount.events')
    .select(['id', 'event_at'])
    .where('account_id', '=', account)
    .as('event')
  const states = kysely
    .selectFrom('headcount.sync_state')
    .selectAll()
    .where('account_id', '=', account)
    .as('state')
  const rows = await kysely
    .selectFrom(events)
    .fullJoin(states, (join) => join.onRef('state.event_id', '=', 'event.id'))
    .select(['event.id', 'event.event_at', 'state.event_id', 'state.checked_at', 'state.next_check_at'])
    .select(['state.normaliser', 'state.held', 'state.set_aside'])
    .select(['state.error_code', 'state.error_message', 'state.failed_at'])
    .execute()
  return rows.map((row) => ({ ...row, isEvent: row.id !== null, event_id: row.event_id ?? row.id ?? '' }))
}

function isDue(list: List, maxStalenessMs: number, now: string): boolean {
  const known = { ...list, held: list.held ?? [] }
  return (
    dueReason({ event_at: list.event_at }, known, false, NORMALISER_VERSION, maxStalenessMs, now) !== null
  )
}

function describeHeld(event_id: string, held: readonly HeldGroup[]): HeldDeletions[] {
  return held.map(({ since, reason, ids }) => ({
    event_id: event_id || null,
    since,
    reason,
    rows: ids.length,
  }))
}

async function lastRun(
  kysely: Reader,
  account: number,
  statuses: readonly RunStatus[] | null,
): Promise<RunSummary | null> {
  const run = await kysely
    .selectFrom('headcount.sync_runs')
    .select(['id', 'mode', 'status', 'started_at', 'finished_at'])
    .where('account_id', '=', account)
    .$if(statuses !== null, (runs) =>
      runs.where('status', 'in', statuses ?? []).where('selective', '=', false),
    )
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst()
  if (run === undefined) return null
  const { id, ...summary } = run
  return { run_id: Number(id), ...summary }
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

async function countRejects(kysely: Reader, account: number): Promise<number> {
  const counted = await kysely
    .selectFrom('headcount.rejects')
    .select(({ fn }) => fn.countAll<string>().as('count'))
    .where('account_id', '=', account)
    .executeTakeFirst()
  return Number(counted?.count ?? 0)
}
