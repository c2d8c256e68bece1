/** `report`: the page by the command line, on both engines, through a process that has the folder open, and what is refused. */
import { mkdtempDisposable, readdir, readFile, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Client } from 'pg'
import { describe, expect, onTestFinished, test } from 'vitest'
import { accountOf, responseItem, type Account } from '../../../support/accounts/account.ts'
import {
  commandStage,
  onBothCommandStages,
  onPostgresCommandStage,
} from '../../../support/commands/command-stage.ts'
import { startServe, urlOf } from '../../../support/commands/process.ts'
import { keyFiguresOf, tableOf } from '../../../support/outputs/report/page-tables.ts'

function clubAccount(): Account {
  const account = accountOf({})
  const at = new Date(Date.now() + 10 * 86_400_000).toISOString()
  account.add('gala', 0, { title: 'The gala', event_at: at })
  account
    .of('gala')
    .push(
      responseItem(3, { name: 'Ada Lovelace', rsvp: 'yes', quantity: 3 }),
      responseItem(6, { name: 'Grace Hopper', rsvp: 'maybe', quantity: 1 }),
    )
  return account
}

async function folder(): Promise<string> {
  const made = await mkdtempDisposable(join(tmpdir(), 'headcount-test-report-'))
  onTestFinished(() => made.remove())
  return made.path
}

onBothCommandStages('report', (stage) => {
  test('goes through serve, and a link shows the same', async () => {
    await using s = await stage(clubAccount())
    await s.run(['sync', '--quiet'])
    await using served = startServe([], { env: s.env })
    const base = (await urlOf(served)).replace(/\/api\/v1$/, '')
    const own = await s.run(['report', '--out', '-'])
    expect(own.code).toBe(0)
    const env = { HEADCOUNT_PUBLIC_URL: base }
    const link = await s.run(['links', 'create', '--report', '--with-personal'], { env })
    expect(link.stderr).toContain(
      'Link 1 shows report of account default to whoever has this address, with names, addresses and messages.',
    )
    expect(link.stdout).toMatch(/\/l\/[\w-]{43}\/report\.html\n$/)
    const answer = await fetch(link.stdout.trim())
    expect(answer.headers.get('content-security-policy')).toMatch(
      /^default-src 'none'; script-src 'sha256-.*frame-ancestors 'none'$/,
    )
    const timeless = (page: string) =>
      page
        .replace(/as of [^(]*/, '')
        .replace(/, \d+ min before/, '')
        .replace(/Since [^.]*/, '')
    expect(timeless(await answer.text())).toBe(timeless(own.stdout))
    const plain = await s.run(['links', 'create', '--report', '--event', 'gala'], { env })
    expect(plain.stderr).toContain('Link 2 shows report of gala, nothing personal of account default')
    const shown = await (await fetch(plain.stdout.trim())).text()
    expect(shown).toContain('The gala')
    expect(shown).not.toMatch(/Ada|Grace|@example/)
    served.kill('SIGTERM')
    await served.ended
  })
})

onPostgresCommandStage('report (postgres)', (stage) => {
  test('writes a page of the account or of an event, with names or without', async () => {
    const account = clubAccount()
    await using s = await stage(account)
    await s.run(['sync', '--quiet'])
    account.of('gala').push(responseItem(9, { name: 'Joan Clarke', rsvp: 'yes', quantity: 2 }))
    account.of('gala')[0] = Object.assign({}, account.of('gala')[0], { message: 'Ada has changed it' })
    await s.run(['sync', '--all', '--quiet'])
    const place = await folder()
    const out = join(place, 'report.html')
    const made = await s.run(['report', '--out', out])
    expect(made).toMatchObject({ code: 0, stderr: '' })
    expect(made.stdout).toMatch(
      /report\.html \([\d.]+ kB\) shows the events of account default as of [\d-]+ [\d:]+ UTC\. It has names and addresses: only you can read the file\.\n$/,
    )
    expect((await stat(out)).mode & 0o777).toBe(0o600)
    const page = await readFile(out, 'utf8')
    expect(keyFiguresOf(page).get('people expected at them')).toBe('5')
    expect(tableOf(page, 'events-table').map(([title]) => title)).toEqual(['The gala'])
    expect(page).toContain('Joan Clarke')

    const gala = join(place, 'gala.html')
    expect(await s.run(['report', '--event', 'gala', '--out', gala, '--quiet'])).toEqual({
      code: 0,
      stdout: '',
      stderr: '',
    })
    expect(tableOf(await readFile(gala, 'utf8'), 'guests').map(([name]) => name)).toEqual([
      'Ada Lovelace',
      'Joan Clarke',
      'Grace Hopper',
    ])
    for (const event of [[], ['--event', 'gala']]) {
      const { stdout } = await s.run(['report', ...event, '--without-personal', '--out', '-'])
      expect(stdout).toMatch(/^<!doctype html>[^]*<\/html>\n$/)
      expect(stdout).not.toMatch(/Ada|Grace|Joan|@example/)
    }
    const { stdout } = await s.run(['report', '--json', '--without-personal'])
    expect(JSON.parse(stdout)).toMatchObject({
      kind: 'headcount report',
      subject: 'account',
      account: 'default',
      with_personal: false,
      events: { total: '1', sums: { expected: '5' } },
      mirror: { standing: { whole: true, fresh: true } },
      changes: {
        responses_new: { total: '1', items: [{ event_id: 'gala', name: null }] },
        // What is not shown has changed all the same.
        responses_changed: {
          total: '1',
          items: [{ name: null, fields: [{ field: 'message', now: null, is_withheld: true }] }],
        },
      },
    })
    expect(stdout).not.toMatch(/Ada|Grace|Joan|@example/)
    expect(await readdir(place)).toEqual(['gala.html', 'report.html'])
  })
})

describe('report', () => {
  test('is refused where it cannot be, before the mirror is read', async () => {
    await using s = await commandStage('postgres', clubAccount())
    await s.run(['sync', '--quiet'])
    const refused: readonly (readonly [readonly string[], string])[] = [
      [['report'], 'report takes --out FILE, - for stdout, or --json for the figures alone'],
      [['report', '--out', '-', '--json'], 'leave one out'],
      [['report', '--out', tmpdir()], 'is a folder: name a file in it'],
      [['report', '--out', '/missing/report.html'], 'there is no folder /missing'],
      [['report', '--event', 'galla', '--out', '-'], 'did you mean gala'],
      [['report', '--account', 'north', '--out', '-'], 'has no account "north"'],
      [['links', 'create', '--report', '--view', 'events'], 'leave --view and --as out'],
      [['links', 'create', '--report', '--with-personal', '--without-personal'], 'exclude each other'],
      [['links', 'create', '--view', 'events'], 'links create takes --view NAME and --as FORM'],
      [['links', 'create', '--view', 'report', '--as', 'html'], 'take --report'],
      [
        ['links', 'create', '--view', 'events', '--as', 'csv', '--with-personal'],
        '--with-personal is for --report',
      ],
      [['links', 'create', '--report', '--event', 'galla'], 'did you mean gala'],
    ]
    for (const [args, message] of refused) {
      const ran = await s.run(args)
      expect(ran, args.join(' ')).toMatchObject({ code: 2, stdout: '' })
      expect(ran.stderr).toContain(message)
    }
  })

  test('interrupted it ends with 130, and the file is as it was', async () => {
    await using s = await commandStage('postgres', clubAccount())
    await s.run(['sync', '--quiet'])
    const place = await folder()
    const holder = new Client(s.env['DATABASE_URL'])
    await holder.connect()
    await holder.query('begin; lock table headcount.payments in access exclusive mode')
    const ran = await s.run(['report', '--out', join(place, 'report.html')], {
      meanwhile: async (child) => {
        const watcher = new Client(s.env['DATABASE_URL'])
        await watcher.connect()
        for (let waiting = 0; waiting === 0;) {
          const { rows } = await watcher.query(
            `select count(*)::int as n from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
          )
          waiting = Number(rows[0].n)
        }
        await watcher.end()
        child.kill('SIGINT')
      },
    })
    await holder.end()
    expect(ran).toMatchObject({ code: 130, stdout: '' })
    expect(await readdir(place)).toEqual([])
  })
})
