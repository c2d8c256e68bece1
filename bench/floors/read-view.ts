import { Client } from 'pg'
import type { Read } from './download.ts'

/** What the views are compared with: one pass over the responses. */
export const count =
  'select account_id, event_id, count(*), sum(quantity) from headcount.responses group by 1, 2'

/** What a report asks, view by view, but for the changes of the week: after a first load those take a minute. */
export const reportViews: readonly string[] = [
  'select * from headcount.event_summary v where v.event_id = any(array(select id from headcount.events order by event_at desc limit 1000))',
  'select * from headcount.thin_slots',
  'select * from headcount.similar_events v where v.event_id = any(array(select id from headcount.events where event_at >= now() order by event_at limit 3))',
  'select * from headcount.response_pace v where v.event_id = any(array(select id from headcount.events where event_at >= now() order by event_at limit 3))',
  'select * from headcount.payments_by_month',
  'select * from headcount.rsvp_values',
]

/** One after the other, as `readAll` does. */
export async function readAllOf(url: string, queries: readonly string[]): Promise<Read> {
  let ms = 0
  for (const query of queries) ms += (await readAll(url, query)).ms ?? 0
  return { requests: 0, ms }
}

/** Lets the server compute every column of every row, and sends none of them. */
export async function readAll(url: string, query: string): Promise<Read> {
  const client = new Client(url)
  await client.connect()
  try {
    const start = performance.now()
    await client.query(`explain (analyze, timing off) ${query}`)
    return { requests: 0, ms: performance.now() - start }
  } finally {
    await client.end()
  }
}
