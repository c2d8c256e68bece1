import { sql } from 'kysely'
import type { Transaction } from '../../../db/transaction.ts'
import { eventOf, responseOf } from '../digest/digest-call.ts'
import { netChanges, type NetChange, type OfResponses } from '../digest/net-changes.ts'
import { readPeriods, type Period } from '../digest/period.ts'
import { redacted, unredacted } from '../digest/without-personal.ts'
import type { Ask } from './ask.ts'
import type { ChangedPart, WeekChanges } from './document.ts'

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
async function changedResponses(ask: Ask, { account_id, since }: Period): Promise<OfResponses> {
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
  const part = <Item>(
    entity: NetChange['entity'],
    change: NetChange['change'],
    item: (found: NetChange) => Item,
  ): ChangedPart<Item> => {
    const found = changes.filter((one) => one.entity === entity && one.change === change)
    return { total: found[0]?.total ?? '0', items: found.map(item) }
  }
  // guard: names in a report
  const redaction = with_personal ? unredacted : redacted
  return {
    since: period?.since ?? '',
    events_removed: part('event', 'delete', (one) => ({ ...eventOf(one), responses: one.responses })),
    events_changed: part('event', 'update', (one) =>
      redaction.event({ ...eventOf(one), fields: one.fields }),
    ),
    events_announced: part('event', 'insert', (one) => ({ ...eventOf(one), returned: one.returned })),
    responses_withdrawn: part('response', 'delete', (one) => redaction.response(responseOf(one))),
    responses_changed: part('response', 'update', (one) =>
      redaction.changedResponse({ ...responseOf(one), fields: one.fields }),
    ),
    responses_new: part('response', 'insert', (one) => redaction.response(responseOf(one))),
  }
}
