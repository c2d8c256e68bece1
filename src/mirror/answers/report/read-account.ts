import { sql } from 'kysely'
import type { ViewRow } from '../../../common/schema/view-columns.ts'
import type { ListedEvent } from '../events.ts'
import {
  MAX_COMPARED,
  MAX_EVENTS,
  MAX_MONTHS,
  MAX_THIN_SLOTS,
  MAX_VALUES,
  PACE_DAYS,
  type AccountReport,
  type CountedRows,
  type EventSums,
  type MoneySums,
  type ReportedEvents,
  type ReportedMoney,
  type ReportHead,
  type ReportQuality,
} from './document.ts'
import { countedRows, type Counted } from '../counted-rows.ts'
import { readPace, type ToCompare } from './pace.ts'
import type { ReportSource } from './week-changes.ts'

/** What the page of an account has beside its head. Each view is asked once. */
export async function readAccountReport(
  source: ReportSource,
  notes: Pick<ReportQuality, 'accepted' | 'set_aside'>,
): Promise<Omit<AccountReport, keyof ReportHead | 'subject'>> {
  const { thin, ofEvent } = await readThinSlots(source)
  const events = await readEvents(source, ofEvent)
  return {
    events,
    thin_slots: thin,
    pace: await readPace(source, nextAnswered(events.rows)),
    money: await readPayments(source),
    quality: { ...notes, without_meaning: await readWithoutMeaning(source) },
  }
}

/** The next events that somebody answered, near enough for a pace. */
function nextAnswered(events: readonly ListedEvent[]): readonly ToCompare[] {
  return events
    .flatMap(({ event_id, event_title, event_at, days_until, responses }) =>
      days_until !== null && days_until >= 0 && days_until <= PACE_DAYS && responses !== '0'
        ? [{ event_id, event_title, event_at, days_until }]
        : [],
    )
    .slice(0, MAX_COMPARED)
}

const sums = ['responses', 'without_email', 'new_7d', 'edited_7d', 'withdrawn_7d'] as const

type SummedEvent = ViewRow<'event_summary'> & { readonly [Sum in keyof EventSums as `sum_${Sum}`]: string }

async function readEvents(
  { ask, account_id }: ReportSource,
  thin: ReadonlyMap<string, string>,
): Promise<ReportedEvents> {
  const chosen = await ask(sql<{ id: string; total: string }>`
    select e.id, count(*) over () as total
      from headcount.events e
     where e.account_id = ${account_id}
     order by (e.event_at < now() - interval '36 hours') is true, abs(extract(epoch from e.event_at - now())) nulls last, e.id
     limit ${MAX_EVENTS}`)
  const ids = chosen.map(({ id }) => id)
  const isUpcoming = sql`coalesce(v.days_until, 0) >= 0`
  // The view is computed for the chosen ones alone.
  const rows = await ask(sql<SummedEvent>`
    select v.*, count(*) filter (where ${isUpcoming}) over () as sum_upcoming,
           coalesce(sum(v.expected) filter (where ${isUpcoming}) over (), 0) as sum_expected,
           ${sql.join(sums.map((name) => sql`sum(v.${sql.ref(name)}) over () as ${sql.ref(`sum_${name}`)}`))}
      from headcount.event_summary v
     where v.account_id = ${account_id} and v.event_id = any(${ids}::text[])
     order by ${isUpcoming} desc, case when ${isUpcoming} then v.event_at end nulls last, v.event_at desc, v.event_id`)
  return {
    total: chosen[0]?.total ?? '0',
    rows: rows.map((row) => ({ ...withoutSums(row), thin_slots: thin.get(row.event_id) ?? '0' })),
    sums: sumsOf(rows[0]),
  }
}

/** Without the sums, which are the same in every row. */
function withoutSums<Row extends object>(row: Row): Omit<Row, `sum_${string}`> {
  const own = Object.entries(row).filter(([name]) => !name.startsWith('sum_'))
  return Object.fromEntries(own) as Omit<Row, `sum_${string}`>
}

function sumsOf(row: SummedEvent | undefined): EventSums {
  return {
    upcoming: row?.sum_upcoming ?? '0',
    expected: row?.sum_expected ?? '0',
    responses: row?.sum_responses ?? '0',
    without_email: row?.sum_without_email ?? '0',
    new_7d: row?.sum_new_7d ?? '0',
    edited_7d: row?.sum_edited_7d ?? '0',
    withdrawn_7d: row?.sum_withdrawn_7d ?? '0',
  }
}

type PlacedSlot = ViewRow<'thin_slots'> & {
  readonly total: string
  readonly of_event: string
  readonly place_in_event: string
  readonly place: string
}

/** The next ones, and how many each event has. */
async function readThinSlots({ ask, account_id }: ReportSource): Promise<{
  readonly thin: CountedRows<ViewRow<'thin_slots'>>
  readonly ofEvent: ReadonlyMap<string, string>
}> {
  const rows = await ask(sql<PlacedSlot>`
    select placed.*
      from (
        select v.*, count(*) over () as total, count(*) over (partition by v.event_id) as of_event,
               row_number() over (partition by v.event_id order by v.start_date) as place_in_event,
               row_number() over (order by v.start_date, v.event_id, v.slot_name collate "C", v.end_date) as place
          from headcount.thin_slots v
         where v.account_id = ${account_id}
      ) placed
     where place <= ${MAX_THIN_SLOTS} or place_in_event = 1
     order by place`)
  return {
    thin: {
      total: rows[0]?.total ?? '0',
      rows: rows
        .filter(({ place }) => Number(place) <= MAX_THIN_SLOTS)
        .map(({ total, of_event, place_in_event, place, ...slot }) => slot),
    },
    ofEvent: new Map(rows.map(({ event_id, of_event }) => [event_id, of_event])),
  }
}

type SummedMonth = ViewRow<'payments_by_month'> & {
  readonly [Sum in keyof MoneySums as `sum_${Sum}`]: MoneySums[Sum]
}

async function readPayments({ ask, account_id }: ReportSource): Promise<ReportedMoney> {
  const rows = await ask(sql<SummedMonth>`
    select v.*, count(*) over () as sum_months, sum(v.payments) over () as sum_payments, sum(v.amount) over () as sum_amount,
           sum(v.processing_fee) over () as sum_processing_fee, sum(v.amount_after_fee) over () as sum_amount_after_fee
      from headcount.payments_by_month v
     where v.account_id = ${account_id}
     order by v.month desc nulls last
     limit ${MAX_MONTHS}`)
  const [first] = rows
  return {
    months: rows.map(withoutSums),
    sums: {
      months: first?.sum_months ?? '0',
      payments: first?.sum_payments ?? '0',
      amount: first?.sum_amount ?? null,
      processing_fee: first?.sum_processing_fee ?? null,
      amount_after_fee: first?.sum_amount_after_fee ?? null,
    },
  }
}

async function readWithoutMeaning({
  ask,
  account_id,
}: ReportSource): Promise<CountedRows<ViewRow<'rsvp_values'>>> {
  return countedRows(
    await ask(sql<ViewRow<'rsvp_values'> & Counted>`
      select v.*, count(*) over () as total
        from headcount.rsvp_values v
       where v.account_id = ${account_id} and v.meaning = 'unknown'
       order by v.responses desc, v.value collate "C"
       limit ${MAX_VALUES}`),
  )
}
