import { sql, type RawBuilder } from 'kysely'
import type { Timestamp } from '../../../common/schema/tables.ts'
import { literal } from '../../../db/quote.ts'
import type { Transaction } from '../../../db/transaction.ts'
import type { Since } from '../../instants/parse-since.ts'

/** What is told of an account: changes of closed runs after one run, or since a moment, up to the last closed run. */
export interface DigestPeriod {
  readonly account: string
  /** Of days and times in it, an IANA name. */
  readonly time_zone: string
  /** The moment from which on changes are told: the end of run `after_run_id`, when that is given; null of all runs. */
  readonly since: Timestamp | null
  /** Changes of later runs are told; null: those since the moment `since`. */
  readonly after_run_id: number | null
  /** The last closed run, whose changes are told too; null before the first one. */
  readonly until_run_id: number | null
  /** Changes of before are not all told, for history was pruned since; null where all are. */
  readonly pruned_until: Timestamp | null
  /** The account was read for the first time in this while: what was there before is no news. */
  readonly begins: boolean
  /** Nobody was sent an earlier digest of this name: this one says that from now on there are some. */
  readonly is_first: boolean
}

export interface PeriodOfAccount extends DigestPeriod {
  readonly account_id: number
}

/** The period of each account, or of the one of this name. An account that is being removed has none. */
export async function readPeriods(
  { kysely }: Transaction,
  since: Since,
  account: string | null,
): Promise<readonly PeriodOfAccount[]> {
  const run = typeof since === 'object' && 'run' in since ? since.run : null
  const { rows } = await sql<PeriodOfAccount>`
    select a.id as account_id, a.name as account, zone.name as time_zone, ${run}::float8 as after_run_id, moment.since,
           (select max(closed.id) from headcount.sync_runs closed
             where closed.account_id = a.id and closed.finished_at is not null)::float8 as until_run_id,
           coalesce(case when ${run}::bigint is not null then a.first_listed_run_id > ${run}::bigint
                         else first.finished_at >= moment.since end, false) as begins,
           case when a._history_from > ${run === null ? sql`moment.since` : beginningAfter(run)} then a._history_from end as pruned_until,
           false as is_first
      from headcount.accounts a
      left join headcount.sync_runs first on first.id = a.first_listed_run_id
     cross join lateral ${zoneOfAccount}
     cross join lateral (select ${momentOf(since)} as since) moment
     where (${account}::text is null or a.name = ${account}) and a._removing_since is null
     order by a.id`.execute(kysely)
  return rows
}

/** When the first closed run of an account `a` after this one began: what was pruned up to then is no change of a later run. */
function beginningAfter(run: number): RawBuilder<unknown> {
  return sql`(
    select next.started_at from headcount.sync_runs next
     where next.account_id = a.id and next.id > ${run} and next.finished_at is not null
     order by next.id limit 1)`
}

/** The zone of days of an account `a`, as `zone.name`. */
export const zoneOfAccount = sql`(
  select coalesce(nullif(current_setting('headcount.time_zone', true), ''), a.time_zone) as name) zone`

/** When that was, for an account whose zone is `zone.name`. */
export function momentOf(since: Since): RawBuilder<unknown> {
  if (since === 'yesterday')
    return sql`(date_trunc('day', now() at time zone zone.name) - interval '1 day') at time zone zone.name`
  if ('run' in since) return sql`(select finished_at from headcount.sync_runs where id = ${since.run})`
  if ('at' in since) return sql`${since.at}::timestamptz`
  return sql`now() + ${since.msFromNow} * interval '1 millisecond'`
}

/** Condition on rows of the view `changes`, as people may write it too. Nothing in it but the event is a text of somebody else. */
export function changesOf(period: PeriodOfAccount, event: string | null): string {
  const from =
    period.after_run_id === null ? `changed_at >= '${period.since}'` : `run_id > ${period.after_run_id}`
  return [
    `account_id = ${period.account_id} and ${from} and run_id <= ${period.until_run_id ?? 0}`,
    ...(event === null ? [] : [`event_id = ${literal(event)}`]),
  ].join(' and ')
}
