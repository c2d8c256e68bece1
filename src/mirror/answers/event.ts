import { sql } from 'kysely'
import type { Timestamp } from '../../common/schema/items.ts'
import type { ViewRow } from '../../common/schema/view-columns.ts'
import type { Transaction } from '../../db/transaction.ts'
import { accountFields, number, object, text } from '../calls/input.ts'
import type { ListedChange } from './changes.ts'
import { countedRows, type Counted } from './counted-rows.ts'
import { defineAnswer, rowsOf, unknownEvent } from './read-view.ts'
import { responseReturned } from './returned.ts'

/** An earlier event, and how many people it had when it was as far away as the event is today. */
export interface ComparedEvent extends ViewRow<'similar_events'> {
  /** null when nothing had happened by then. */
  readonly people_then: string | null
}

export interface ResponseChange extends ViewRow<'response_changes'>, Pick<ListedChange, 'returned'> {}

/** All that the views say of one event. */
export interface EventDetails {
  readonly summary: ViewRow<'event_summary'>
  /** Those who are expected first, then by name. */
  readonly respondents: readonly ViewRow<'event_respondents'>[]
  /** By day. */
  readonly pace: readonly ViewRow<'response_pace'>[]
  readonly similar_events: readonly ComparedEvent[]
  /** By start, the slots that nobody takes any more too. */
  readonly slots: readonly ViewRow<'slot_summary'>[]
  readonly thin_slots: readonly ViewRow<'thin_slots'>[]
  /** null without a payment. */
  readonly payments: ViewRow<'payment_summary'> | null
  /** The newest first, without the first reading, and without `updated_at`, which changes with every other field. */
  readonly changes: readonly ResponseChange[]
  /** How many there are; `changes` has no more than were asked for. */
  readonly changes_total: number
  /** When names, addresses and messages were forgotten; null when they are kept. */
  readonly forgotten_at: Timestamp | null
}

const readInput = object({
  ...accountFields,
  event: text,
  /** At most so many changes. */
  changes: number,
})

/** One for each account that has an event of this id. */
export const eventCall = defineAnswer(
  'event',
  readInput,
  async (trx, { account, event, changes }): Promise<readonly EventDetails[]> => {
    const own = sql`where v.event_id = ${event} order by v.account_id`
    const summaries = await rowsOf(trx, 'event_summary', own)
    if (summaries.length === 0) return unknownEvent(trx, event, account)
    return Array.fromAsync(summaries, (summary) => readDetails(trx, summary, changes))
  },
)

async function readDetails(
  trx: Transaction,
  summary: ViewRow<'event_summary'>,
  changes: number,
): Promise<EventDetails> {
  const own = sql`where v.account_id = ${summary.account_id} and v.event_id = ${summary.event_id}`
  const [payments = null] = await rowsOf(trx, 'payment_summary', own)
  const changed = await sql<ResponseChange & Counted>`
    select v.*, ${responseReturned('v')} as returned, count(*) over () as total
      from headcount.response_changes v ${own}
       and not v.initial and v.field is distinct from 'updated_at'
     order by v.run_id desc nulls last, v.changed_at desc, v.response_id, v.field collate "C" limit ${changes}`.execute(
    trx.kysely,
  )
  const newest = countedRows(changed.rows)
  // The view, for whoever may read no more than views.
  const { rows: lists } = await sql<{ forgotten_at: Timestamp | null }>`
    select v.forgotten_at from headcount.list_status v ${own}`.execute(trx.kysely)
  return {
    summary,
    respondents: await rowsOf(
      trx,
      'event_respondents',
      sql`${own} order by v.expected > 0 desc, v.name collate "C", v.response_id, v.email_key collate "C"`,
    ),
    pace: await rowsOf(trx, 'response_pace', sql`${own} order by v.day`),
    similar_events: await readSimilar(trx, summary),
    slots: await rowsOf(
      trx,
      'slot_summary',
      sql`${own} order by v.start_date nulls last, v.slot_name collate "C"`,
    ),
    thin_slots: await rowsOf(trx, 'thin_slots', sql`${own} order by v.start_date, v.slot_name collate "C"`),
    payments,
    forgotten_at: lists[0]?.forgotten_at ?? null,
    changes: newest.rows,
    changes_total: Number(newest.total),
  }
}

/** The pace of the compared events on the day that was as far from them as today is from the event. */
async function readSimilar(
  { kysely }: Transaction,
  { account_id, event_id, days_until }: ViewRow<'event_summary'>,
): Promise<readonly ComparedEvent[]> {
  const { rows } = await sql<ComparedEvent>`
    select v.*,
           (select pace.people_so_far
              from headcount.response_pace pace
             where pace.account_id = v.account_id and pace.event_id = v.similar_event_id
               and pace.days_before >= ${days_until}::int
             order by pace.day desc
             limit 1) as people_then
      from headcount.similar_events v
     where v.account_id = ${account_id} and v.event_id = ${event_id}
     order by v.rank`.execute(kysely)
  return rows
}
