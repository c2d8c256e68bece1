import { describe, expect, test } from 'vitest'
import { formatReport } from '../../../src/commands/output/run-report.ts'
import { formatStatus } from '../../../src/commands/output/status.ts'
import { openLines, runProgress } from '../../../src/commands/terminal/progress.ts'
import type { AccountStatus } from '../../../src/mirror/status/account-status.ts'
import type { Progress } from '../../../src/index.ts'
import { reportWith } from '../../support/runs/report.ts'

const plain = { style: (_: unknown, text: string) => text, width: null }

const report = reportWith({
  run_id: 7,
  duration_ms: 812,
  events: { listed: 40, due: 12, unchanged: 12, changed: 0, failed: 0 },
  requests: 14,
  bytes_received: 91_234,
})

describe('the report for people', () => {
  test('of a run that changed nothing is four lines', () => {
    expect(formatReport(report, plain)).toBe(
      [
        'sync of account default succeeded in 812 ms',
        '  events   40 listed, 12 due, 12 unchanged, 0 changed, 0 failed',
        '  service  14 requests, 91.2 kB received',
        '  rows     nothing changed',
        '',
      ].join('\n'),
    )
  })

  test('shows the tables that changed', () => {
    const rows = { ...report.rows, responses: { inserted: 1234, updated: 2, deleted: 0 } }
    const text = formatReport({ ...report, rows }, plain)
    expect(text).toContain('  responses     1,234        2        0\n')
    expect(text).not.toContain('slots')
    expect(text).not.toContain('nothing changed')
  })

  test('says of what is held and rejected how to decide', () => {
    const text = formatReport({ ...report, status: 'held', held: 1, rejected: 2, set_aside: 3 }, plain)
    expect(text).toMatch(/held 1 deletion .*--accept-deletions\n/)
    expect(text).toMatch(/rejected 2 items .*headcount rejects\n/)
    expect(text).toMatch(/set aside 3 fields .*table set_aside"\n/)
  })

  test('X5 has warnings and errors clean, one of each kind, at most ten kinds', () => {
    const errors = Array.from({ length: 25 }, (_, at) => ({
      event_id: `e${at}\u001b[2J`,
      code: 'contract',
      message: `a\u0007b ${'x'.repeat(at)}`,
    }))
    const text = formatReport({ ...report, warnings: ['w\u001b[31m'], errors, errors_total: 25 }, plain)
    expect(text).not.toMatch(/[\u001b\u0007]/)
    expect(text).toContain('  error event e0: a\\x07b')
    expect(text.match(/error event/g)).toHaveLength(10)
    expect(text).toContain('and 15 more errors: npx --no -- headcount status --json lists them')
  })

  test('H28 has failures of one kind in one line, with the first ids, whatever the tries and numbers', () => {
    const errors = Array.from({ length: 100 }, (_, at) => ({
      event_id: `event ${at}`,
      code: 'unreachable',
      message: `GET /api/v1/events/event%20${at}/responses failed: refused (after ${at} ms). Given up ${at < 3 ? 'after 3 tries.' : ': no retries.'}`,
    }))
    const warnings = ['gala', 'ball'].map(
      (id) => `Event ${id}: ${id.length} deletions are held (page_length).`,
    )
    const text = formatReport({ ...report, status: 'partial', warnings, errors, errors_total: 117 }, plain)
    expect(text).toContain('  warning 2 events (gala, ball): 4 deletions are held (page_length).\n')
    expect(text).toContain(
      '  error 100 events (event 0, event 1, event 2 and 97 more; npx --no -- headcount status --json lists them): ' +
        'GET /api/v1/events/…/responses failed: refused (after 0 ms).\n',
    )
    expect(text).toContain('  error and 17 more errors: npx --no -- headcount status --json lists them\n')
    expect(text.split('\n').length).toBeLessThan(10)
  })

  test('leaves the cause that ended the run to the command, and tells what was not read', () => {
    const errors = [
      { event_id: 'gala', code: 'unreachable', message: 'refused' },
      { event_id: null, code: 'outage', message: 'the service has gone away' },
    ]
    const events = { ...report.events, failed: 1, not_read: 11 }
    const text = formatReport({ ...report, status: 'failed', events, errors, errors_total: 2 }, plain)
    expect(text).toContain('1 failed, 11 not read\n')
    expect(text).toContain('  error event gala: refused\n')
    expect(text).not.toContain('gone away')
    expect(text).not.toContain('more error')
  })
})

describe('the status for people', () => {
  const status: AccountStatus = {
    account: 'default',
    email: null,
    base_url: null,
    removing_since: null,
    moved_to: null,
    moved_at: null,
    last_good_run: null,
    last_run: null,
    age_ms: null,
    events_due: 3,
    rows: { events: 3, responses: 2000, payments: 0, slots: 0 },
    rejected: 0,
    accepted: 0,
    set_aside: 0,
    held: [],
    unconfirmed: [],
    rsvp_without_meaning: [],
    failing: [],
    deliveries: [],
  }

  test('says when there was no good run', () => {
    expect(formatStatus([status], plain)).toContain('last good run  none yet')
    expect(formatStatus([], plain)).toContain('headcount sync')
    expect(formatStatus([status], plain)).not.toContain('replies')
    const unread = [{ ...status, rsvp_without_meaning: null }]
    expect(formatStatus(unread, plain)).toContain('too many to read within a second')
    expect(formatStatus(unread, plain, { withReplies: false })).not.toContain('replies')
  })

  test.each([
    [0, 0, /rejected +none$/m],
    [2, 0, /rejected +2 items: see npx --no -- headcount rejects$/m],
    [0, 3, /rejected +none, and 3 accepted: see npx --no -- headcount rejects$/m],
  ])('tells %i rejects from %i accepted ones', (rejected, accepted, line) => {
    expect(formatStatus([{ ...status, rejected, accepted }], plain)).toMatch(line)
  })

  test('P20 says of absences that are not confirmed where they are, and of nothing where there are none', () => {
    expect(formatStatus([status], plain)).not.toContain('unconfirmed')
    const since = '2026-01-01T00:00:00Z'
    const unconfirmed = [
      { event_id: 'gala', since, rows: 12, events: null },
      { event_id: null, since, rows: 1, events: ['ball'] },
    ]
    const text = formatStatus([{ ...status, unconfirmed }], plain)
    expect(text).toMatch(/unconfirmed +13 rows missing from one reading of a list in several pages/)
    expect(text).toContain(`event gala: 12 rows unconfirmed since 2026-01-01 00:00 UTC`)
    expect(text).toContain(`the event list: 1 row (ball) unconfirmed since 2026-01-01 00:00 UTC`)
    expect(formatReport({ ...report, unconfirmed: 2 }, plain)).toMatch(
      /unconfirmed 2 rows missing from one reading/,
    )
  })

  test('says of held deletions since when, why, and how to decide', () => {
    const since = '2026-01-01T00:00:00Z'
    const held = [
      {
        event_id: 'gala',
        since,
        reason: 'many_missing',
        rows: 12,
        applied_after: '2026-01-01T01:00:00Z',
        runs_to_wait: 2,
        overdue: false,
      },
      {
        event_id: null,
        since,
        reason: 'list_empty',
        rows: 6,
        applied_after: null,
        runs_to_wait: null,
        overdue: true,
      },
    ] as const
    const events = ['a', 'b', 'c', 'd', 'e', 'f']
    const named = held.map((group) =>
      group.event_id === null
        ? {
            ...group,
            title: null,
            events,
            first: events.slice(0, 5).map((id) => ({ id, label: `Day ${id}` })),
          }
        : {
            ...group,
            title: 'Spring Gala',
            events: null,
            first: [
              { id: '7', label: 'Ada\u001b[2J' },
              { id: '8', label: null },
            ],
          },
    )
    const text = formatStatus([{ ...status, held: named }], plain)
    expect(text).toContain(
      `event gala (Spring Gala): 12 deletions (7 Ada, 8 and 10 more) since 2026-01-01 00:00 UTC: many rows vanished at once; applied by the second run after 2026-01-01 01:00 UTC that still does not list them\n`,
    )
    expect(text).toContain(
      `the event list: 6 deletions (a Day a, b Day b, c Day c, d Day d, e Day e and 1 more) since 2026-01-01 00:00 UTC: the list came back empty; time alone never applies them\n`,
    )
    expect(text).toMatch(/held +18 deletions, 6 of them until somebody decides$/m)
    expect(text).toContain('headcount sync --accept-deletions\n')
    const other = formatStatus([{ ...status, account: "the club's", held: named }], plain)
    expect(other).toContain(`headcount sync --account 'the club'\\''s' --accept-deletions\n`)
  })
})

test('where there is no terminal, progress is one line of log in ten seconds', () => {
  const lines: string[] = []
  let now = 0
  const err = {
    write: async () => {},
    style: plain.style,
    isTerminal: false,
    width: null,
    height: null,
    stream: process.stderr,
  }
  using display = openLines(
    err,
    runProgress,
    (_, message) => lines.push(message),
    () => now,
  )
  const progress: Progress = {
    phase: 'responses',
    events: { done: 1, total: 100, skipped: 0 },
    responses: 10,
    changedRows: 0,
    retries: 0,
    slowdown: null,
    bytes: 0,
  }
  for (now = 0; now <= 60_000; now += 500) display.show(progress)
  expect(lines).toHaveLength(6)
})
