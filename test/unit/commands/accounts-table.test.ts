import { expect, test } from 'vitest'
import {
  formatAccounts,
  headline,
  type AccountRow,
} from '../../../src/commands/sync/accounts/accounts-table.ts'
import { commandName } from '../../../src/common/command-name.ts'
import type { VerifyReport } from '../../../src/index.ts'
import { exitCodes, worstExitCode, worstFirst } from '../../../src/commands/exit-codes.ts'
import { summaryOf } from '../../../src/commands/sync/accounts/verify-all-accounts.ts'
import { accountsLine } from '../../../src/commands/terminal/accounts-line.ts'

const headcount = commandName()
const plain = { width: null, style: (_: unknown, text: string) => text }
const sync = { name: 'sync', changedHeading: 'rows changed' }

function row(account: string | null, exitCode: number, outcome: string, why = ''): AccountRow {
  return { account, exitCode, outcome, changed: exitCode === 0 ? 7 : null, durationMs: 1200, why }
}

test('every exit code has its place in the order of the worst', () => {
  const codes = exitCodes.flatMap(([code]) => code.split(', ').map(Number))
  expect(new Set(worstFirst)).toEqual(new Set(codes))
})

test.each([
  [[], 0],
  [[0, 0], 0],
  [[0, 9], 9],
  [[9, 8], 8],
  [[8, 6], 6],
  [[6, 4], 4],
  [[4, 10], 10],
  [[10, 7], 7],
  [[7, 5], 5],
  [[5, 2], 2],
  [[2, 3], 3],
  [[3, 1], 1],
  [[1, 129], 129],
  [[129, 143], 143],
  [[143, 130], 130],
  [[0, 77], 77],
])('of %j the worst is %i', (codes, worst) => {
  expect(worstExitCode(codes)).toBe(worst)
  expect(worstExitCode(codes.toReversed())).toBe(worst)
})

test('the table has the worst first, and what is the same for several accounts once', () => {
  const rows = [
    row('ada', 0, 'succeeded'),
    row('bob', 8, 'held', '12 deletions held'),
    ...['cleo', 'dan', 'eve', 'fay', 'gus'].map((name) => row(name, 4, 'unreachable', 'the host is down')),
    row(null, 2, 'configuration', 'accounts.yaml:3:5: name is not set'),
  ]
  expect(formatAccounts(sync, rows, 61_000, plain).split('\n')).toEqual([
    'sync of 8 accounts in 1 min 1 s: 1 succeeded, 1 held, 5 unreachable, 1 configuration',
    expect.stringMatching(/^account +result +rows changed +time/),
    expect.stringMatching(/^─/),
    expect.stringMatching(/^an entry +configuration/),
    '  accounts.yaml:3:5: name is not set',
    expect.stringMatching(/^cleo, dan, eve and 2 more +unreachable/),
    '  the host is down',
    expect.stringMatching(/^bob +held +1\.2 s/),
    '  12 deletions held',
    expect.stringMatching(/^ada +succeeded +7 +1\.2 s/),
    '',
  ])
})

test('of many accounts only those that need a look are shown, and of these not all', () => {
  const good = Array.from({ length: 960 }, (_, at) => row(`good-${at}`, 0, 'succeeded'))
  const bad = Array.from({ length: 45 }, (_, at) => row(`bad-${at}`, 6, 'partial', `list ${at} failed`))
  const text = formatAccounts(sync, [...good, ...bad], 1000, plain)
  expect(text).not.toContain('good-')
  expect(text).toContain('bad-39')
  expect(text).toMatch(/and 5 more accounts: see --json\n$/)
  expect(formatAccounts(sync, good, 1000, plain)).toBe(`${headline('sync', good, 1000)}\n`)
})

test('every fault of an entry is told, cut by itself, in the width of the terminal', () => {
  const faults = [
    'accounts.yaml:6:5: "key_fil" is no setting of an account (did you mean key_file?); there are',
    'accounts.yaml:5:5: account "choir": key_file is not set: name the file that holds the key',
  ]
  const why = [`${faults[0]} ${'name, key_file, base_url, '.repeat(12)}`, faults[1]].join('\n')
  const text = formatAccounts(sync, [row('choir', 2, 'configuration', why)], 1, { ...plain, width: 60 })
  const words = text.replaceAll(/\s+/g, ' ')
  for (const fault of faults) expect(words).toContain(fault)
  expect(text.split('\n').filter((line) => line.length > 60)).toEqual([])
})

test('a name with control characters draws nothing on the terminal', () => {
  const text = formatAccounts(sync, [row('a\u001B[2Jb', 4, 'unreachable', 'x\u001B[2J')], 1, plain)
  expect(text).not.toContain('\u001B')
})

test('one line tells how far all are', () => {
  const progress = { done: 412, total: 1000, failing: 3, current: null }
  expect(accountsLine(progress, 0)).toBe('412/1,000 accounts, 3 failing')
  const current = { account: 'choir', events: { done: 23, total: 50, skipped: 0 } }
  expect(accountsLine({ ...progress, failing: 0, current }, 0)).toBe('412/1,000 accounts; choir 23/50 events')
  expect(accountsLine({ ...progress, done: 500 }, 60_000)).toBe('500/1,000 accounts, 3 failing, 1 min left')
})

const compared = {
  account: 'the choir',
  status: 'partial',
  duration_ms: 7,
  differences: [],
  differences_total: 0,
  lists_chosen: 9,
  lists_compared: 9,
  lists_thorough: 0,
  lists_changed: [],
  lists_undecided: [],
  lists_never_read: [],
  lists_failing: [],
  events_changed: false,
  events_undecided: false,
  events_compared: 9,
  responses_compared: 90,
  held: 0,
  unconfirmed: 0,
  rejected: 0,
  requests: 11,
  retries: 0,
  bytes_received: 900,
  warnings: [],
  errors: [],
  errors_total: 0,
} satisfies VerifyReport

const away = { event_id: 'gala', code: 'unreachable', message: 'no answer' }

test.each<[Partial<VerifyReport>, string]>([
  [{}, 'nothing could be compared'],
  [{ lists_undecided: ['gala'] }, '1 list undecided, for what they differ from has no stored digest'],
  [{ events_undecided: true }, 'the event list is undecided, for it has no stored digest'],
  [{ lists_never_read: ['gala', 'picnic'] }, '2 lists never read by a sync'],
  [{ lists_failing: ['gala'] }, '1 list that the last sync could not read'],
  [
    { events_changed: true, lists_changed: ['gala'] },
    'the event list has changed since the last sync; 1 list changed since the last sync',
  ],
  [
    { errors: [away], errors_total: 3, held: 2 },
    `no answer (and 2 more errors); 2 deletions held, and not compared: ${headcount} status --account 'the choir' says why`,
  ],
  [
    { status: 'different', differences_total: 3 },
    `3 differences, which ${headcount} backfill --restart --account 'the choir' corrects`,
  ],
  [{ status: 'equal', lists_changed: ['gala'] }, '1 list changed since the last sync'],
  [{ status: 'equal' }, ''],
  [
    { status: 'equal', warnings: ['the mirror was moved'], held: 1 },
    `the mirror was moved; 1 deletion held, and not compared: ${headcount} status --account 'the choir' says why`,
  ],
])('of a verify that found %j the reason is told', (found, why) => {
  expect(summaryOf({ ...compared, ...found }).why).toBe(why)
})
