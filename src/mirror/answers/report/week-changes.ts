import { sql } from 'kysely'
import type { Transaction } from '../../../db/transaction.ts'
import { changedParts, netChanges, type OfResponses } from '../digest/net-changes.ts'
import { readPeriods, type PeriodOfAccount } from '../digest/period.ts'
import { withoutPersonalData } from '../digest/without-personal.ts'
import type { Ask } from './ask.ts'
import type { WeekChanges } from './document.ts'

/** What the parts of a report are read from. */
export interface ReportSource {
  readonly ask: Ask
  readonly account_id: number
  readonly with_personal: boolean
}

const WEEK_MS = 7 * 86_400_000

/**
 * The responses that may have news: a version of theirs ended, or they are no first reading. The view computes a change at the cost of
 * a few look-ups, which for a million responses that were read for the first time is a minute for nothing.
 */
async function changedResponses(ask: Ask, { account_id, since }: PeriodOfAccount): Promise<OfResponses> {
  const [found] = await ask(sql<{ events: readonly string[] | null; ids: readonly string[] | null }>`
    with changed as (
      select h.event_id, h.response_id
        from headcount.response_history h
       where h.account_id = ${account_id} and h.valid_to >= ${since}::timestamptz
      union all
      select r.event_id, r.id
        from headcount.responses r
        join headcount.accounts a on a.id = r.account_id
        left join headcount.sync_state s on s.account_id = r.account_id and s.event_id = r.event_id
       where r.account_id = ${account_id} and r._first_seen_at >= ${since}::timestamptz
         and (r._run_id <= a.first_listed_run_id and r._run_id <= coalesce(s.first_applied_run_id, r._run_id)) is not true)
    select array_agg(distinct event_id) as events, array_agg(distinct response_id::text) as ids from changed`)
  return { events: found?.events ?? [], ids: found?.ids ?? [] }
}

/** What became of each item in the last seven days. Without personal data of what may be shown. */
export async function readWeekChanges(
  { ask, with_personal }: ReportSource,
  trx: Transaction,
  account: string,
  event: string | null,
): Promise<WeekChanges> {
  const [period] = await readPeriods(trx, { msFromNow: -WEEK_MS }, account)
  const changes =
    period === undefined ? [] : await ask(netChanges(period, event, await changedResponses(ask, period)))
  const parts = changedParts(changes, () => ({}))
  // guard: names in a report
  return { since: period?.since ?? '', ...(with_personal ? parts : withoutPersonalData(parts)) }
}
