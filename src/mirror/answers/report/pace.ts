/** How the responses to events come in, beside earlier events like them. */
import { sql } from 'kysely'
import type { ViewRow } from '../../../common/schema/view-columns.ts'
import { PACE_DAYS, type ComparedPace, type PaceDay, type PaceLine } from './document.ts'
import type { ReportSource } from './week-changes.ts'

/** An event with a time. */
export interface ToCompare extends Omit<PaceLine, 'days'> {
  readonly days_until: number
}

type EventDay = PaceDay & Pick<ViewRow<'response_pace'>, 'event_id'>

/** Of events without any there is nothing to compare. */
export async function readPace(
  { ask, account_id }: ReportSource,
  events: readonly ToCompare[],
): Promise<readonly ComparedPace[]> {
  if (events.length === 0) return []
  const ids = events.map(({ event_id }) => event_id)
  const similar = await ask(sql<ViewRow<'similar_events'>>`
    select v.* from headcount.similar_events v
     where v.account_id = ${account_id} and v.event_id = any(${ids}::text[])
     order by v.event_id, v.rank`)
  const all = new Set([...ids, ...similar.map(({ similar_event_id }) => similar_event_id)])
  const days = await readDays({ ask, account_id }, [...all])
  const lineOf = (event_id: string) => days.get(event_id) ?? []
  return events.map((event) => ({
    event: {
      ...event,
      days: daysUntilEvent(lineOf(event.event_id)),
      people_so_far: peopleSoFar(lineOf(event.event_id), event.days_until),
    },
    similar: similar
      .filter(({ event_id }) => event_id === event.event_id)
      .map(({ similar_event_id, similar_event_title, similar_event_at }) => {
        const line = lineOf(similar_event_id)
        return {
          event_id: similar_event_id,
          event_title: similar_event_title,
          event_at: similar_event_at,
          days: daysUntilEvent(line),
          people_then: peopleSoFar(line, event.days_until),
        }
      }),
  }))
}

/** What a chart shows: people may answer, or pay, after the event as well. */
function daysUntilEvent(days: readonly PaceDay[]): readonly PaceDay[] {
  return days.filter(({ days_before }) => days_before !== null && days_before >= 0)
}

/** How many people an event had so many days before it, below 0 after it; null when nothing had happened by then. */
export function peopleSoFar(days: readonly PaceDay[], daysBefore: number): string | null {
  const last = days.findLast((day) => day.days_before !== null && day.days_before >= daysBefore)
  return last?.people_so_far ?? null
}

async function readDays(
  { ask, account_id }: Pick<ReportSource, 'ask' | 'account_id'>,
  ids: readonly string[],
): Promise<ReadonlyMap<string, readonly PaceDay[]>> {
  const rows = await ask(sql<EventDay>`
    with pace as materialized (
      select v.event_id, v.day, v.days_before, v.new_responses, v.withdrawn_responses, v.people_so_far
        from headcount.response_pace v
       where v.account_id = ${account_id} and v.event_id = any(${ids}::text[]) and v.days_before is not null)
    select * from pace where days_before <= ${PACE_DAYS}
    union all
    (select distinct on (event_id) * from pace where days_before > ${PACE_DAYS} order by event_id, day desc)
    order by event_id, day`)
  const ofEvents = Map.groupBy(rows, ({ event_id }) => event_id)
  return new Map([...ofEvents].map(([id, days]) => [id, days.map(({ event_id: _, ...day }) => day)]))
}
