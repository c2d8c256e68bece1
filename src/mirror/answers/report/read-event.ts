import { sql, type RawBuilder } from 'kysely'
import type { Timestamp } from '../../../common/schema/tables.ts'
import type { ViewRow } from '../../../common/schema/view-columns.ts'
import { singleRow } from '../../../load/statements.ts'
import { countedRows, type Counted } from '../counted-rows.ts'
import { MAX_PERSONS, MAX_SLOTS, type EventReport, type ReportHead } from './document.ts'
import { readPace } from './pace.ts'
import type { ReportSource } from './week-changes.ts'

/** What the page of an event has beside its head. Each view is asked once. */
export async function readEventReport(
  source: ReportSource,
  event: string,
): Promise<Omit<EventReport, keyof ReportHead | 'subject'>> {
  const { ask, account_id, with_personal } = source
  const own = sql`where v.account_id = ${account_id} and v.event_id = ${event}`
  const summary = singleRow(
    await ask(sql<ViewRow<'event_summary'>>`select v.* from headcount.event_summary v ${own}`),
  )
  const [payments = null] = await ask(
    sql<ViewRow<'payment_summary'>>`select v.* from headcount.payment_summary v ${own}`,
  )
  const slots = await ask(sql<ViewRow<'slot_summary'> & Counted>`
    select v.*, count(*) over () as total from headcount.slot_summary v ${own}
     order by v.start_date nulls last, v.slot_name collate "C", v.end_date limit ${MAX_SLOTS}`)
  const thin = await ask(sql<ViewRow<'thin_slots'> & Counted>`
    select v.*, count(*) over () as total from headcount.thin_slots v ${own}
     order by v.start_date, v.slot_name collate "C", v.end_date limit ${MAX_SLOTS}`)
  const [forgotten] = await ask(
    sql<{ forgotten_at: Timestamp | null }>`select v.forgotten_at from headcount.list_status v ${own}`,
  )
  return {
    summary,
    // guard: guests in a report
    respondents: with_personal ? countedRows(await ask(respondentsOf(own))) : null,
    pace: await readOwnPace(source, summary),
    slots: countedRows(slots),
    thin_slots: countedRows(thin),
    payments,
    forgotten_at: forgotten?.forgotten_at ?? null,
  }
}

const respondentsOf = (own: RawBuilder<unknown>) => sql<ViewRow<'event_respondents'> & Counted>`
  select v.*, count(*) over () as total from headcount.event_respondents v ${own}
   order by v.expected > 0 desc, v.name collate "C", v.response_id, v.email_key collate "C" limit ${MAX_PERSONS}`

async function readOwnPace(
  source: ReportSource,
  { event_id, event_title, event_at, days_until, responses }: ViewRow<'event_summary'>,
) {
  if (days_until === null || responses === '0') return null
  const [pace = null] = await readPace(source, [{ event_id, event_title, event_at, days_until }])
  return pace
}
