/** One event costs what its own rows cost, without the account in the condition, on Postgres 15, too. */
import { expect, test } from 'vitest'
import { executeOutsideTransaction } from '../../../src/db/cancel/execute-outside-transaction.ts'
import type { Database } from '../../../src/db/connect.ts'
import { freshMirror } from '../../support/databases/databases.ts'
import { change } from '../../support/databases/older-schema.ts'

/** Pages of 8 kB that a question about one event may read. */
const MOST_PAGES = 200

const views = [
  'event_summary',
  'event_respondents',
  'payment_summary',
  'slot_summary',
  'thin_slots',
  'response_pace',
  'similar_events',
]

test('a question about one of 3,000 events reads at most 200 pages, whatever the view', async () => {
  await using mirror = await freshMirror('postgres')
  const { database } = mirror
  const response = `account_id, event_id, id from headcount.responses`
  await change(database, [
    `insert into headcount.accounts (name) values ('east'), ('west')`,
    `insert into headcount.sync_runs (account_id, mode, status) values (1, 'sync', 'succeeded')`,
    `insert into headcount.events (account_id, id, title, event_at, _run_id)
     select 1, 'event-' || n, 'Choir ' || n % 100, now() + n * interval '1 hour', 1 from generate_series(1, 3000) n`,
    `insert into headcount.sync_state (account_id, event_id, checked_at) select 1, id, now() from headcount.events`,
    `insert into headcount.responses (account_id, event_id, id, kind, name, email, quantity, rsvp, created_at, _run_id)
     select 1, e.id, n, (array['reply', 'payment', 'signup'])[n % 3 + 1], 'Guest', 'guest' || n || '@example.org', 1,
            case when n % 3 = 0 then 'yes' end, now() - n * interval '1 hour', 1
       from headcount.events e cross join generate_series(1, 30) n order by e.id, n`,
    `insert into headcount.payments (account_id, event_id, response_id, amount) select account_id, event_id, id, 5 from (select ${response} where kind = 'payment') p`,
    `insert into headcount.slots (account_id, event_id, response_id, position, name, start_date)
     select account_id, event_id, id, 1, 'Door', now() + interval '1 day' from (select ${response} where kind = 'signup') s`,
    `insert into headcount.response_history (account_id, event_id, response_id, valid_from, valid_to, operation, document, ended_by_run_id)
     select account_id, event_id, id, now() - interval '2 days', now() - interval '1 day', 'update', '{}', 1 from (select ${response} where id < 4) h`,
    'analyze',
  ])
  for (const view of views) {
    const { pages } = await planOf(database, `select * from headcount.${view} where event_id = 'event-1500'`)
    expect(pages, view).toBeGreaterThan(0)
    expect(pages, view).toBeLessThanOrEqual(MOST_PAGES)
  }
  // All titles are one series: sorting the earlier events of each would read more than thirty of them.
  const { pages } = await planOf(database, 'select * from headcount.similar_events')
  expect(pages).toBeLessThan(3000 * 30)
})

test('what the last of 50 runs changed is not looked for in the history of the others', async () => {
  await using mirror = await freshMirror('postgres')
  const { database } = mirror
  await change(database, [
    `insert into headcount.accounts (name) values ('east')`,
    `insert into headcount.sync_runs (account_id, mode, status, finished_at)
     select 1, 'sync', 'succeeded', now() from generate_series(1, 50)`,
    `insert into headcount.response_history
       (account_id, event_id, response_id, valid_from, valid_to, operation, document, begun_by_run_id, ended_by_run_id)
     select 1, 'event-' || n % 100, n, now() - interval '1 day', now() - interval '1 hour', 'delete', '{}', 1, 1 + n / 1000
       from generate_series(0, 49999) n order by n`,
    'analyze',
  ])
  await executeOutsideTransaction(database, 'vacuum headcount.response_history', { timeLimitMs: 60_000 })
  const { scans } = await planOf(database, 'select * from headcount.changes where run_id > 49')
  const read = scans.filter(({ relation }) => relation === 'response_history')
  expect(read.map(({ node }) => node)).not.toContain('Seq Scan')
  expect(read.reduce((sum, { rows }) => sum + rows, 0)).toBeLessThan(5000)
})

test('what a large run changed is not compared with all of history or with all events, also before the tables are analysed again', async () => {
  await using mirror = await freshMirror('postgres')
  const { database } = mirror
  await change(database, [
    `insert into headcount.sync_runs (account_id, mode, status, finished_at) values (1, 'sync', 'succeeded', now())`,
    `insert into headcount.accounts (name, first_listed_run_id) values ('east', 1)`,
    `insert into headcount.events (account_id, id, title, _run_id, _changed_at, _first_seen_at)
     select 1, 'event-' || n, 'Choir', 1, now() - interval '2 days', now() - interval '2 days' from generate_series(1, 500) n`,
    `insert into headcount.sync_state (account_id, event_id, checked_at, first_applied_run_id, first_listed_run_id)
     select 1, id, now(), 1, 1 from headcount.events`,
    `insert into headcount.responses (account_id, event_id, id, kind, name, _run_id, _changed_at, _first_seen_at)
     select 1, e.id, n, 'other', 'Guest', 1, now() - interval '2 days', now() - interval '2 days'
       from headcount.events e cross join generate_series(1, 20) n`,
    'analyze',
    `insert into headcount.sync_runs (account_id, mode, status, finished_at)
     select 1, 'sync', 'succeeded', now() from generate_series(1, 2) n`,
    `insert into headcount.response_history
       (account_id, event_id, response_id, valid_from, valid_to, operation, document, begun_by_run_id, ended_by_run_id)
     select account_id, event_id, id, _changed_at, now(), 'update', '{"name": "Nobody"}', 1, 2 from headcount.responses where id <= 10`,
    `update headcount.responses set _changed_at = now(), _run_id = 2 where id <= 10`,
  ])
  const rows = 10_000
  for (const [query, count] of [
    [`changes where changed_at > now() - interval '1 day' and not initial`, 5000],
    [
      `changes where account_id = 1 and changed_at > now() - interval '3 days' and change = 'insert' and initial`,
      10_500,
    ],
    [
      `changes where account_id = 1 and run_id = 2 and run_finished_at is not null and event_title is not null`,
      5000,
    ],
    [
      `response_changes where changed_at > now() - interval '1 day' and event_title is not null and name is not null`,
      10_000,
    ],
  ] as const) {
    const { rows: found, work } = await planOf(database, `select from headcount.${query} limit 1000000`)
    expect(found, query).toBe(count)
    expect(work, query).toBeLessThan(30 * rows)
  }
})

test('counting the people of an account compares none of them with the others', async () => {
  await using mirror = await freshMirror('postgres')
  const { database } = mirror
  const rows = 40_000
  await change(database, [
    `insert into headcount.accounts (name) values ('east')`,
    `insert into headcount.responses (account_id, event_id, id, kind, email, name, message, rsvp, _run_id)
     select 1, 'event-' || n % 500, n, 'reply', 'guest' || n * 7919 % 30000 || '@example.org', 'Guest ' || n % 3000, repeat('x', 80), 'yes', 1
       from generate_series(1, ${rows}) n`,
    `create index on headcount.responses (headcount.email_key(email) text_pattern_ops)`,
    'analyze',
  ])
  for (const asked of ['count(*)', 'max(events)', 'sum(events_coming)', 'count(name)']) {
    const { work } = await planOf(database, `select ${asked} from headcount.respondents`)
    expect(work, asked).toBeLessThan(10 * rows)
  }
})

interface PlanNode {
  readonly 'Node Type': string
  readonly 'Relation Name'?: string
  readonly 'Shared Hit Blocks': number
  readonly 'Shared Read Blocks': number
  readonly 'Actual Rows': number
  readonly 'Actual Loops': number
  readonly 'Rows Removed by Join Filter'?: number
  readonly 'Rows Removed by Filter'?: number
  readonly 'Rows Removed by Index Recheck'?: number
  readonly Plans?: readonly PlanNode[]
}

interface Scan {
  readonly node: string
  readonly relation: string
  /** Rows that were looked at each time. */
  readonly rows: number
}

interface PlanFigures {
  /** Pages of 8 kB that the query reads. */
  readonly pages: number
  readonly rows: number
  /** Rows that the steps of the plan give or compare, all together. */
  readonly work: number
  readonly scans: readonly Scan[]
}

/** What a query costs, and how it reads tables. */
async function planOf(database: Database, query: string): Promise<PlanFigures> {
  return database.transaction(async (trx) => {
    const { rows } = await trx.query(`explain (analyze, buffers, format json) ${query}`)
    const [plan] = (rows[0]?.[0] ?? []) as { Plan: PlanNode }[]
    if (plan === undefined) throw new Error('explain gave no plan')
    return {
      pages: plan.Plan['Shared Hit Blocks'] + plan.Plan['Shared Read Blocks'],
      rows: plan.Plan['Actual Rows'],
      work: workOf(plan.Plan),
      scans: scansOf(plan.Plan),
    }
  })
}

function scansOf(node: PlanNode): readonly Scan[] {
  const below = (node.Plans ?? []).flatMap(scansOf)
  const relation = node['Relation Name']
  if (relation === undefined) return below
  const removed = (node['Rows Removed by Filter'] ?? 0) + (node['Rows Removed by Index Recheck'] ?? 0)
  return [{ node: node['Node Type'], relation, rows: node['Actual Rows'] + removed }, ...below]
}

function workOf(node: PlanNode): number {
  const removed = (node['Rows Removed by Filter'] ?? 0) + (node['Rows Removed by Join Filter'] ?? 0)
  const own = (node['Actual Rows'] + removed) * node['Actual Loops']
  return (node.Plans ?? []).reduce((sum, below) => sum + workOf(below), own)
}
