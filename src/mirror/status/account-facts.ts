/** What the database knows of some accounts, in one statement for each kind of fact. */
import { sql, type RawBuilder } from 'kysely'
import type { RunMode, RunStatus, Timestamp } from '../../common/schema/tables.ts'
import { countRejectsOf, type RejectCounts } from '../../load/state/rejects.ts'
import type { Transaction } from '../../db/transaction.ts'
import type { Clocks } from '../../sync/deletions/hold-clocks.ts'
import { notFuture } from '../instants/not-future.ts'
import { readDeliveryStatuses, type DeliveryStatus } from './delivery-status.ts'
import { readClocks, readListRows, type ListRow } from './list-status.ts'

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

/** How many live rows an account has. */
export type LiveRows = Readonly<Record<'events' | 'responses' | 'payments' | 'slots', number>>

/** By the numbers of the accounts; one without rows is missing. */
export interface AccountFacts {
  readonly clocks: Clocks
  readonly lists: ReadonlyMap<number, readonly ListRow[]>
  readonly lastRuns: ReadonlyMap<number, RunSummary>
  readonly lastGoodRuns: ReadonlyMap<number, RunSummary>
  readonly rows: ReadonlyMap<number, LiveRows>
  readonly rejects: ReadonlyMap<number, RejectCounts>
  readonly deliveries: ReadonlyMap<number, readonly DeliveryStatus[]>
}

type Reader = Transaction['kysely']

export async function readAccountFacts(kysely: Reader, accounts: readonly number[]): Promise<AccountFacts> {
  const lists = await readListRows(kysely, accounts)
  return {
    clocks: await readClocks(kysely),
    lists: Map.groupBy(lists, ({ account_id }) => account_id),
    lastRuns: await readLastRuns(kysely, accounts, sql`true`),
    lastGoodRuns: await readLastRuns(
      kysely,
      accounts,
      sql`good and ${/* guard: good runs of the future */ notFuture(sql`started_at`)}`,
    ),
    rows: await countRows(kysely, accounts),
    rejects: await countRejectsOf(kysely, accounts),
    deliveries: await readDeliveryStatuses(kysely, accounts),
  }
}

/** A change of the account itself is no run. */
async function readLastRuns(
  kysely: Reader,
  accounts: readonly number[],
  condition: RawBuilder<unknown>,
): Promise<ReadonlyMap<number, RunSummary>> {
  const { rows } = await sql<RunSummary & { readonly account_id: number }>`
    select a.account_id, run.*
      from unnest(${accounts}::int[]) a(account_id)
     cross join lateral (
       select id::float8 as run_id, mode, status, started_at, finished_at,
              coalesce((report->>'held')::float8, 0) as held, report #>> '{errors,0,message}' as error
         from headcount.sync_runs
        where account_id = a.account_id and mode in ('sync', 'backfill') and ${condition}
        order by id desc
        limit 1) run`.execute(kysely)
  return new Map(rows.map(({ account_id, ...run }) => [account_id, run]))
}

async function countRows(
  kysely: Reader,
  accounts: readonly number[],
): Promise<ReadonlyMap<number, LiveRows>> {
  const count = (table: string) =>
    sql`(select count(*) from ${sql.table(`headcount.${table}`)} where account_id = a.account_id)::float8`
  const { rows } = await sql<LiveRows & { readonly account_id: number }>`
    select a.account_id, ${count('events')} as events, ${count('responses')} as responses,
           ${count('payments')} as payments, ${count('slots')} as slots
      from unnest(${accounts}::int[]) a(account_id)`.execute(kysely)
  return new Map(rows.map(({ account_id, ...counts }) => [account_id, counts]))
}
