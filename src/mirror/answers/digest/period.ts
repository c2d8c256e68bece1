import { sql, type RawBuilder } from 'kysely'
import type { Timestamp } from '../../../common/schema/tables.ts'
import { literal } from '../../../db/quote.ts'
import type { Transaction } from '../../../db/transaction.ts'
import type { Since } from '../../instants/parse-since.ts'

/** What is told of an account: changes of closed runs after one run, or since a moment, up to the last closed run. */
export interface Period {
  readonly account_id: number
  readonly account: string
  readonly time_zone: string
  readonly after_run_id: number | null
  readonly since: Timestamp | null
  readonly until_run_id: number | null
  readonly pruned_until: Timestamp | null
  readonly begins: boolean
  readonly is_first: boolean
}

/** The period of each account, or of the one of this name. An account that is being removed has none. */
export async function readPeriods(
  { kysely }: Transaction,
  since: Since,
  account: string | null,
): Promise<readonly Period[]> {
  const run = typeof since === 'object' && 'run' in since ? since.run : null
  const { rows } = await sql<Period>`
    select a.id as account_id, a.name as account, zone.name as time_zone, ${run}::float8 as after_run_id, moment.since,
           (select max(closed.id) from headcount.sync_runs closed
             where closed.account_id = a.id and closed.finished_at is not null)::float8 as until_run_id,
           coalesce(case when ${run}::bigint is not null then a.first_listed_run_id > ${run}::bigint
                         else first.finished_at >= moment.since end, false) as begins,
           case when a._history_from > coalesce(moment.since, '-infinity') then a._history_from end as pruned_until,
           false as is_first
      from headcount.accounts a
      left join headcount.sync_runs first on first.id = a.first_listed_run_id
     cross join lateral (
       select coalesce(nullif(current_setting('headcount.time_zone', true), ''), a.time_zone) as name) zone
     cross join lateral (select ${momentOf(since)} as since) moment
     where (${account}::text is null or a.name = ${account}) and a._removing_since is null
     order by a.id`.execute(kysely)
  return rows
}

/** For an account `a` whose zone is `zone.name`. */
function momentOf(since: Since): RawBuilder<unknown> {
  if (since === 'yesterday')
    return sql`(date_trunc('day', now() at time zone zone.name) - interval '1 day') at time zone zone.name`
  if ('run' in since) return sql`(select finished_at from headcount.sync_runs where id = ${since.run})`
  if ('at' in since) return sql`${since.at}::timestamptz`
  return sql`now() + ${since.msFromNow} * interval '1 millisecond'`
}

/** Condition on rows of the view `changes`, as people may write it too. Nothing in it but the event is a text of somebody else. */
export function changesOf(period: Period, event: string | null): string {
  const from =
    period.after_run_id === null ? `changed_at >= '${period.since}'` : `run_id > ${period.after_run_id}`
  return [
    `account_id = ${period.account_id} and ${from} and run_id <= ${period.until_run_id ?? 0}`,
    ...(event === null ? [] : [`event_id = ${literal(event)}`]),
  ].join(' and ')
}
