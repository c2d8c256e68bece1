import { sql } from 'kysely'
import type { ViewRow } from '../../common/schema/view-columns.ts'
import type { Transaction } from '../../db/transaction.ts'
import { listFields, object, wordOf } from '../calls/input.ts'
import { defineAnswer, rowsOf } from './read-view.ts'

/** Which events: those to come and those without a time; those that are over, the latest first; or all, in the order of time. */
export type EventSelection = 'upcoming' | 'past' | 'all'
export const SELECTIONS: readonly EventSelection[] = ['upcoming', 'past', 'all']

/** An event in figures, as the view `event_summary` has it. */
export interface ListedEvent extends ViewRow<'event_summary'> {
  /** How many of its slots need people. */
  readonly thin_slots: string
}

export interface ListedEvents {
  readonly events: readonly ListedEvent[]
  /** Whether `limit` left events out. */
  readonly has_more: boolean
}

const conditions = {
  upcoming: sql`coalesce(v.days_until, 0) >= 0`,
  past: sql`v.days_until < 0`,
  all: sql`true`,
}

const readInput = object({ ...listFields, which: wordOf(SELECTIONS) })

export const eventsCall = defineAnswer(
  'events',
  readInput,
  async (trx, { limit, which }): Promise<ListedEvents> => {
    const direction = which === 'past' ? sql`desc` : sql`asc`
    const chosen = sql`where ${conditions[which]} order by v.event_at ${direction} nulls last, v.account_id, v.event_id`
    const events = await rowsOf(trx, 'event_summary', sql`${chosen} limit ${limit + 1}`)
    const thin = await countThinSlots(trx)
    return {
      events: events.slice(0, limit).map((event) => ({
        ...event,
        thin_slots: thin.get(JSON.stringify([event.account_id, event.event_id])) ?? '0',
      })),
      has_more: events.length > limit,
    }
  },
)

async function countThinSlots({ kysely }: Transaction): Promise<ReadonlyMap<string, string>> {
  const { rows } = await sql<{ account_id: number; event_id: string; thin: string }>`
    select account_id, event_id, count(*) as thin from headcount.thin_slots group by account_id, event_id`.execute(
    kysely,
  )
  return new Map(rows.map(({ account_id, event_id, thin }) => [JSON.stringify([account_id, event_id]), thin]))
}
