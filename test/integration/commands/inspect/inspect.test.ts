/** The commands that look at the mirror and take care of it: query, status, runs, rejects, migrate, doctor. */
import { applyUpTo, change } from '../../../support/databases/older-schema.ts'
import { chmod, mkdir, mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { migrations } from '../../../../migrations/index.ts'
import { connect } from '../../../../src/db/connect.ts'
import { startSilentServer } from '../../../support/http/loopback.ts'
import { startMailServer } from '../../../support/outputs/notify/mail-server.ts'
import { startCollector } from '../../../support/telemetry/collector.ts'
import type { Check } from '../../../../src/commands/maintain/doctor/check.ts'
import type { EventStatus } from '../../../../src/mirror/status/event-status.ts'
import { accountOf, refusal, responseItem } from '../../../support/accounts/account.ts'
import { headcount } from '../../../support/commands/command.ts'
import {
  commandStage,
  onBothCommandStages,
  onPostgresCommandStage,
} from '../../../support/commands/command-stage.ts'
import { closedPort, send, silence } from '../../../support/http/fault-server.ts'
import { selfSigned } from '../../../support/http/certificate.ts'
import { startFaultServer } from '../../../support/http/fault-server.ts'
import { onServer } from '../../../support/databases/databases.ts'
import { readerOf } from '../../../support/mirror/reader.ts'

onBothCommandStages('what a mirror answers, on', (stage) => {
  test('query, status, runs, rejects', async () => {
    await using s = await stage(accountOf({ gala: 3, picnic: 2 }))
    expect((await s.run(['sync', '-q'])).code).toBe(0)

    const query = await s.run(['query', 'select * from responses order by event_id, id', '--json'])
    expect(query).toMatchObject({ code: 0, stderr: '' })
    const { columns, rows } = JSON.parse(query.stdout) as {
      columns: string[]
      rows: Record<string, unknown>[]
    }
    expect(columns).toContain('created_at')
    expect(rows).toHaveLength(5)
    expect(rows[0]).toMatchObject({
      event_id: 'gala',
      id: '1',
      created_at: '2026-03-01T10:00:00Z',
      _extra: null,
    })

    const several = await s.run(['query', 'select 1; delete from headcount.responses'])
    expect(several).toMatchObject({ code: 2, stdout: '' })
    expect(several.stderr).toBe(
      'headcount: query takes one statement; this text holds several, and none was run\n',
    )

    const status = await s.run(['status', '--json', '--max-age', '1h'])
    expect(status.code).toBe(0)
    expect(JSON.parse(status.stdout)).toMatchObject({
      accounts: [
        {
          account: 'default',
          email: 'owner@example.org',
          last_good_run: { run_id: 1, status: 'succeeded' },
          events_due: 2,
          rows: { events: 2, responses: 5, payments: 2, slots: 4 },
          rejected: 0,
          held: [],
          failing: [],
        },
      ],
    })
  })
})

describe('status --max-age', () => {
  test('is exit 6 when there is no account, no good run, or none that is young enough', async () => {
    await using s = await commandStage('postgres', accountOf({ gala: 1 }))
    const none = await s.run(['status', '--max-age', '1h'])
    expect(none).toMatchObject({ code: 6, stdout: expect.stringContaining('headcount sync') as string })
    expect(none.stderr).toContain('no account was ever mirrored')

    s.service.always(send(refusal(401)))
    await s.run(['sync', '-q'])
    const noGood = await s.run(['status', '--max-age', '1h'])
    expect(noGood.code).toBe(6)
    expect(noGood.stderr).toContain('account default had no good run yet')
    expect(noGood.stdout).toMatch(/last run +run 1, sync, failed/)

    s.service.always(send((request) => accountOf({ gala: 1 }).answer(request)))
    await s.run(['sync', '-q'])
    expect((await s.run(['status', '--max-age', '1h'])).code).toBe(0)
    await using database = await s.place.open()
    await database.transaction((trx) =>
      trx.query(`update headcount.sync_runs set started_at = started_at - interval '2 hours'`),
    )
    const old = await s.run(['status', '--max-age', '1h'])
    expect(old.code).toBe(6)
    expect(old.stderr).toMatch(/the last good run of account default began 2 h( \d+ min)? ago, more than 1 h/)
    expect((await s.run(['status'])).code).toBe(0)

    // By a clock that was ahead and was set right.
    await s.run(['sync', '-q'])
    await database.transaction((trx) =>
      trx.query(`update headcount.sync_runs set started_at = now() + interval '1 day' where id = 3`),
    )
    expect((await s.run(['status', '--max-age', '1h'])).stderr).toMatch(/began 2 h( \d+ min)? ago/)
    const [listed] = JSON.parse((await s.run(['accounts', '--json'])).stdout).accounts
    expect(Date.parse(listed.last_good_run_at)).toBeLessThan(Date.now())
    await s.run(['sync', '-q'])
    expect((await s.run(['status', '--max-age', '1h'])).code).toBe(0)
  })
})

onPostgresCommandStage('status --event', (stage) => {
  test('tells when the event is read and why, what is held, rejected, set aside, failing', async () => {
    const account = accountOf({ gala: 20, picnic: 2, ball: 2 })
    await using s = await stage(account)
    const look = async (id: string, ...flags: string[]) => {
      const ran = await s.run(['status', '--event', id, '--json', ...flags])
      expect(ran).toMatchObject({ code: 0, stderr: '' })
      return (JSON.parse(ran.stdout) as { events: EventStatus[] }).events
    }
    expect((await s.run(['sync', '-q'])).code).toBe(0)
    const [gala] = await look('gala')
    expect(gala).toMatchObject({ account: 'default', event_id: 'gala', held: [], rejected: 0, failing: null })
    expect(gala).toMatchObject({ due: 'active', next_read_at: null, set_aside: 0 })
    expect(Date.parse(gala?.last_read_at ?? '')).toBeGreaterThan(Date.now() - 60_000)

    account.of('gala').length = 0
    s.service.at('/events/picnic/responses', send(refusal(400)))
    await s.run(['sync', '-q'])
    expect(await look('gala')).toMatchObject([
      { due: 'held', held: [{ rows: 20, reason: 'list_empty', since: expect.any(String) as string }] },
    ])
    const [{ since, applied_after, runs_to_wait } = {}] = (await look('gala'))[0]?.held ?? []
    expect(runs_to_wait).toBe(2)
    expect(Date.parse(applied_after ?? '') - Date.parse(since ?? '')).toBeCloseTo(3_600_000, -4)
    expect(await look('picnic')).toMatchObject([
      {
        due: 'failed',
        failing: { failed_at: expect.any(String) as string, message: expect.any(String) as string },
      },
    ])
    const shown = await s.run(['status', '--event', 'gala'])
    expect(shown.stdout).toMatch(/^event gala of account default/)
    expect(shown.stdout).toMatch(
      /held +20 deletions \(1 Guest 1, 2 Guest 2, 3 Guest 3, 4 Guest 4, 5 Guest 5 and 15 more\) since [-\d]+ [\d:]+ UTC: the list came back empty; applied by the second run after [-\d]+ [\d:]+ UTC that still does not list them/,
    )
    expect(shown.stdout).toContain('headcount sync --event gala --accept-deletions\n')
    expect(shown.stdout).toMatch(/due +yes: deletions of it are held/)
    expect((await s.run(['status'])).stdout).toContain(
      'event gala (The gala): 20 deletions (1 Guest 1, 2 Guest 2',
    )
  })

  test('an event that the event list misses is not due: since when, why, and when it is deleted', async () => {
    const account = accountOf({ gala: 30, picnic: 2, ball: 2, fair: 2 })
    await using s = await stage(account)
    await s.run(['sync', '-q'])
    account.remove('gala')
    expect((await s.run(['sync', '-q'])).code).toBe(8)
    const ran = await s.run(['status', '--event', 'gala', '--json'])
    const { events } = JSON.parse(ran.stdout) as { events: EventStatus[] }
    expect(events).toMatchObject([
      { due: null, next_read_at: null, held: [], missing: { reason: 'many_missing' } },
    ])
    const { since = '', applied_after } = events[0]?.missing ?? {}
    expect(Date.parse(applied_after ?? '') - Date.parse(since)).toBeCloseTo(3_600_000, -4)
    const shown = (await s.run(['status', '--event', 'gala'])).stdout
    expect(shown).toMatch(/next read +when it is listed again/)
    expect(shown).toMatch(/due +no: it is not in the event list/)
    expect(shown).toMatch(
      /missing +since [-\d]+ [\d:]+ UTC, from the event list: .*; deleted with its responses by the second run after/,
    )
    expect(shown).toContain('headcount sync --accept-deletions\n')
    const whole = (await s.run(['status'])).stdout
    expect(whole).toMatch(/events due +3 of 4/)
    expect(whole).toMatch(/the event list: 1 deletion \(gala The gala\) since /)
  })

  test('an event that a run has deleted: when, by which run, and what history has of it', async () => {
    const account = accountOf({ gala: 2, picnic: 1, ball: 1 })
    await using s = await commandStage('postgres', account)
    await s.run(['sync', '-q'])
    account.remove('gala')
    await s.run(['sync', '-q'])
    await s.run(['sync', '-q', '--accept-deletions'])
    const shown = await s.run(['status', '--event', 'gala'])
    expect(shown).toMatchObject({ code: 0, stderr: '' })
    expect(shown.stdout).toMatch(/^event gala of account default \(/)
    expect(shown.stdout).toMatch(/deleted on [-\d]+ [\d:]+ UTC by run \d, in history with 2 responses/)
    const json = JSON.parse((await s.run(['status', '--event', 'gala', '--json'])).stdout) as unknown
    expect(json).toMatchObject({
      events: [],
      deleted: [{ account: 'default', event_id: 'gala', responses: 2 }],
    })
  })

  test('shows the next read of an old event, no later than the cap; an unknown event is exit 2', async () => {
    await using s = await stage(accountOf({ gala: 1 }))
    expect((await s.run(['sync', '-q'])).code).toBe(0)
    {
      await using database = await s.place.open()
      await database.transaction((trx) =>
        trx.query(`update headcount.events set event_at = now() - interval '1 year'`),
      )
      await database.transaction((trx) =>
        trx.query(`update headcount.sync_state set next_check_at = checked_at + interval '4 days'`),
      )
    }
    const look = async (cap: string) => {
      const ran = await s.run(['status', '--event', 'gala', '--json'], {
        env: { HEADCOUNT_MAX_STALENESS: cap },
      })
      const [event] = (JSON.parse(ran.stdout) as { events: EventStatus[] }).events
      return event
    }
    const days = (event: EventStatus | undefined) =>
      (Date.parse(event?.next_read_at ?? '') - Date.parse(event?.last_read_at ?? '')) / 86_400_000
    expect((await look('7d'))?.due).toBeNull()
    expect(days(await look('7d'))).toBeCloseTo(4)
    expect(days(await look('2d'))).toBeCloseTo(2)
    expect(await look('0s')).toMatchObject({ due: 'waited', next_read_at: null })
    expect((await s.run(['status', '--event', 'gala'])).stdout).toMatch(/due +no: /)

    for (const id of ['gone', '']) {
      const unknown = await s.run(['status', '--event', id, '--json'])
      expect(unknown).toMatchObject({ code: 2, stdout: '' })
      expect(unknown.stderr).toContain(`The mirror has no event "${id}"`)
    }
    expect((await s.run(['status', '--event', 'gala', '--max-age', '1h'])).code).toBe(2)
  })
})

test('a run that failed says why: in the list, in the status, and whole by its number', async () => {
  await using s = await commandStage('postgres', accountOf({ gala: 1 }))
  await s.run(['sync', '-q'])
  s.service.always(send({ status: 400, body: '{"error":"boom"}' }))
  expect((await s.run(['sync', '-q'])).code).toBe(7)
  const why = 'was answered with 400: {"error":"boom"}'
  expect((await s.run(['runs'])).stdout).toContain(`\nrun 2  GET /api/v1/ping ${why}`)
  expect((await s.run(['status'])).stdout).toMatch(/last run +run 2, sync, failed, began .* UTC: GET .*boom/)
  const whole = await s.run(['runs', '2'])
  expect(whole).toMatchObject({ code: 0, stderr: '' })
  expect(whole.stdout).toMatch(
    /^run 2 +sync of account default, failed\nstarted +[-\d]+ [\d:]+ UTC\nfinished/,
  )
  expect(whole.stdout).toContain(why)
  expect(JSON.parse((await s.run(['runs', '1', '--json'])).stdout)).toMatchObject({ runs: [{ run_id: 1 }] })
  const unknown = await s.run(['runs', '7'])
  expect(unknown).toMatchObject({ code: 2, stdout: '' })
  expect(unknown.stderr).toBe('headcount: There is no run 7: headcount runs lists them.\n')
  expect((await s.run(['runs', 'last'])).stderr).toContain('runs takes the number of a run, not "last"')
})

test('an account that the mirror does not have is refused, and those that it has are named', async () => {
  await using s = await commandStage('postgres', accountOf({ gala: 1 }))
  expect((await s.run(['sync', '-q'])).code).toBe(0)
  for (const command of ['rejects', 'runs', 'observations']) {
    const ran = await s.run([command, '--account', 'typo'])
    expect(ran).toMatchObject({ code: 2, stdout: '' })
    expect(ran.stderr).toContain('The mirror has no account "typo"; it has default.')
  }
})

describe('migrate', () => {
  test('applies what is pending and says what; commands that read refuse until then', async () => {
    await using s = await commandStage('postgres', accountOf({}), { blank: true })
    const before = await s.run(['status'])
    expect(before).toMatchObject({ code: 5, stdout: '' })
    expect(before.stderr).toContain('headcount migrate')

    const applied = await s.run(['migrate', '--json'])
    expect(applied.code).toBe(0)
    expect(JSON.parse(applied.stdout)).toEqual({
      applied: migrations.map(({ number, name }) => ({ number, name })),
    })
    expect(applied.stderr).toMatch(/^Applied 0001 /)
    expect(await s.run(['migrate', '--quiet'])).toEqual({ code: 0, stdout: '', stderr: '' })
    expect((await s.run(['migrate'])).stderr).toBe('The schema is up to date.\n')
    expect((await s.run(['status'])).code).toBe(0)
  })

  test('a sync that updates the schema of a mirror says so; the one that makes the mirror does not', async () => {
    await using s = await commandStage('postgres', accountOf({ gala: 1 }), { blank: true })
    expect((await s.run(['sync'])).stderr).not.toContain('schema')
    const [before = 0, newest] = migrations.slice(-2).map(({ number }) => number)
    await using mirror = await connect(s.place.url)
    await change(mirror, ['drop schema headcount, headcount_internal cascade'])
    await applyUpTo(mirror, before)
    expect((await s.run(['sync'])).stderr).toContain(
      `The schema of the mirror was updated: migration ${newest}.`,
    )
    expect((await s.run(['sync'])).stderr).not.toContain('schema')
  })

  test('D11 a newer schema is refused by all', async () => {
    await using s = await commandStage('postgres', accountOf({ gala: 1 }))
    await using database = await s.place.open()
    await database.transaction((trx) =>
      trx.query(`insert into headcount.schema_migrations (number, name) values (9999, 'of tomorrow')`),
    )
    for (const command of [['migrate'], ['sync'], ['status'], ['query', 'select 1'], ['doctor']]) {
      const ran = await s.run(command)
      expect({ command, code: ran.code }).toEqual({ command, code: 5 })
      expect(ran.stderr + ran.stdout).toContain('9999')
    }
  })
})

describe('doctor', () => {
  const checksOf = (stdout: string) =>
    new Map((JSON.parse(stdout) as { checks: Check[] }).checks.map((check) => [check.name, check]))

  test('warns of tables that a crash of the server would empty', async () => {
    await using s = await commandStage('postgres', accountOf({}))
    expect((await s.run(['migrate'])).code).toBe(0)
    await using database = await s.place.open()
    await change(database, ['alter table headcount.slots set unlogged'])
    const { code, stdout } = await s.run(['doctor'])
    expect(code).toBe(0)
    expect(stdout.replaceAll(/\s+/g, ' ')).toMatch(
      /warning schema .*a crash of the server would empty headcount\.slots, .*: alter table headcount\.slots set logged;/,
    )
  })

  test('names what is well, one line each, and writes nothing', async () => {
    await using s = await commandStage('postgres', accountOf({ gala: 1 }))
    const ran = await s.run(['doctor'])
    expect(ran).toMatchObject({ code: 0, stderr: '' })
    expect(ran.stdout.trimEnd().split('\n')).toEqual([
      expect.stringMatching(/^ok +configuration +http:/),
      expect.stringMatching(/^ok +name /),
      expect.stringMatching(/^skipped +TLS /),
      expect.stringMatching(/^ok +key +accepted, it belongs to owner@example\.org$/),
      expect.stringMatching(/^ok +list +1 event /),
      expect.stringMatching(/^ok +database +Postgres \d+/),
      expect.stringMatching(/^ok +schema +up to date/),
      expect.stringMatching(/^ok +mirror +account "default" is new: its first run makes it$/),
      expect.stringMatching(/^(ok|skipped) +clock /),
      expect.stringMatching(/^(ok|warning) +free space /),
    ])
    expect((await s.run(['runs', '--json'])).stdout).toBe('{"runs":[]}\n')
  })

  test('looks for no folder of a database in memory', async () => {
    await using s = await commandStage('pglite', accountOf({ gala: 1 }))
    const { code, stdout } = await s.run(['doctor', '--json', '--database', 'pglite:memory'])
    const checks = checksOf(stdout)
    expect(code).toBe(0)
    expect(checks.get('database')?.detail).toMatch(/^embedded Postgres \d+/)
    expect(checks.get('free space')?.detail).toContain(` free in ${tmpdir()}`)
  })

  test('foresees what the mirror has against the next sync, in its words and with its exit code', async () => {
    const account = accountOf({ gala: 2, picnic: 1 })
    account.of('gala').push(responseItem(7, { email: 'ada@example.org' }))
    await using s = await commandStage('postgres', account)
    await using database = await s.place.open()
    const change = (text: string) => database.transaction((trx) => trx.query(text))
    const mirrorOf = async (env: Readonly<Record<string, string>> = {}) => {
      const { code, stdout } = await s.run(['doctor', '--json'], { env })
      return { code, ...checksOf(stdout).get('mirror') }
    }
    const expectForeseen = async (words: RegExp, env: Readonly<Record<string, string>> = {}) => {
      const found = await mirrorOf(env)
      const ran = await s.run(['sync', '-q'], { env })
      expect(found).toMatchObject({
        code: 2,
        state: 'failed',
        exit_code: 2,
        detail: expect.stringMatching(words),
      })
      expect([ran.code, ran.stderr]).toEqual([found.code, `headcount: ${found.detail}\n`])
    }
    expect((await s.run(['sync', '-q'])).code).toBe(0)
    const isWell = { code: 0, state: 'ok', detail: 'account "default" of the mirror is the one of this key' }
    expect(await mirrorOf()).toMatchObject(isWell)
    await expectForeseen(/no account "defualt"; it has default\. .*--new-account/, {
      HEADCOUNT_ACCOUNT: 'defualt',
    })
    expect(await mirrorOf({ HEADCOUNT_ACCOUNT: 'north', HEADCOUNT_NEW_ACCOUNT: '1' })).toMatchObject({
      code: 0,
      state: 'ok',
    })

    const key = { HEADCOUNT_PERSON_KEY: 'a key of the suppression list for tests only' }
    await s.run(['person', 'erase', 'ada@example.org', '--yes', '--no-vacuum'], { env: key })
    await expectForeseen(/one person was erased, and without the key .* Set HEADCOUNT_PERSON_KEY/)
    const otherKey = { HEADCOUNT_PERSON_KEY: 'another key of a suppression list for tests' }
    await expectForeseen(/one person was erased with another key than/, otherKey)
    expect(await mirrorOf(key)).toMatchObject(isWell)

    account.email = 'else@example.org'
    expect(await mirrorOf(key)).toMatchObject({
      code: 0,
      state: 'warning',
      detail: expect.stringMatching(/The account changed: the e-mail was .* The next run goes on with/),
    })
    account.remove('gala', 'picnic')
    account.add('fair', 1)
    await expectForeseen(/seems to be of another account: the e-mail was owner@example.org .* --adopt/, key)

    await change(`update headcount.accounts set _removing_since = now()`)
    await expectForeseen(/half removed since/, key)
    await change('delete from headcount.schema_migrations where number > 9')
    expect(await mirrorOf(key)).toMatchObject({ code: 0, state: 'skipped' })
    expect(await mirrorOf({ HEADCOUNT_ACCOUNT: 'defualt' })).toMatchObject({ code: 2, state: 'failed' })
  })

  test('says what the variables of OpenTelemetry would do: follow them, not, or to no collector', async () => {
    await using s = await commandStage('postgres', accountOf({ gala: 1 }))
    const check = async (env: Readonly<Record<string, string>>) => {
      const { code, stdout } = await s.run(['doctor', '--json'], { env })
      return { code, ...checksOf(stdout).get('telemetry') }
    }
    await using collector = await startCollector()
    const OTEL_EXPORTER_OTLP_ENDPOINT = collector.endpoint
    expect(await check({ OTEL_EXPORTER_OTLP_ENDPOINT })).toMatchObject({
      code: 0,
      state: 'ok',
      detail: `spans and metrics go to ${collector.endpoint}`,
    })
    expect(collector.requests).toEqual([])
    expect(await check({ OTEL_EXPORTER_OTLP_ENDPOINT, OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' })).toMatchObject({
      code: 2,
      state: 'failed',
      detail: expect.stringContaining('set http/protobuf'),
    })
    const away = `http://secret:word@127.0.0.1:${await closedPort()}`
    const found = await check({ OTEL_EXPORTER_OTLP_ENDPOINT: away, OTEL_TRACES_EXPORTER: 'none' })
    expect(found).toMatchObject({
      code: 0,
      state: 'warning',
      detail: expect.stringMatching(/^no collector answers at http:\/\/127\.0\.0\.1:\d+ \(ECONNREFUSED\): /),
    })
    expect(await check({})).toEqual({ code: 0 })
  })

  test('asks the mail server of digests whether it takes the login, and sends nothing', async () => {
    await using mail = await startMailServer({
      authOptional: false,
      onAuth: ({ username, password }, _session, callback) =>
        password === 'right' ? callback(null, { user: username }) : callback(new Error('no such user')),
    })
    await using s = await commandStage('postgres', accountOf({ gala: 1 }))
    const check = async (url: string) => {
      const env = { HEADCOUNT_SMTP_URL: url, HEADCOUNT_MAIL_FROM: 'headcount@example.org' }
      const { code, stdout } = await s.run(['doctor', '--json'], { env })
      return { code, ...checksOf(stdout).get('mail') }
    }
    const at = (login: string) => `smtp://${login}@127.0.0.1:${mail.port}`
    expect(await check(at('ada:right'))).toMatchObject({
      code: 0,
      state: 'ok',
      detail: `127.0.0.1:${mail.port} takes the login of ada; mail is sent from headcount@example.org`,
    })
    const refused = await check(at('ada:wrong-password'))
    expect(refused).toMatchObject({
      code: 1,
      state: 'failed',
      detail: expect.stringContaining('check HEADCOUNT_SMTP_URL'),
    })
    expect(refused.detail).not.toContain('wrong-password')
    await using silent = await startSilentServer()
    expect(await check(`smtp://127.0.0.1:${silent.port}`)).toMatchObject({ code: 1, state: 'failed' })
    expect(mail.received).toEqual([])
  })

  test('makes no folder and no schema', async () => {
    const cwd = await mkdtemp(join(tmpdir(), 'headcount-doctor-'))
    await headcount(['doctor'], { cwd })
    expect(await readdir(cwd)).toEqual([])
    await using s = await commandStage('postgres', accountOf({}), { blank: true })
    const ran = await s.run(['doctor', '--json'])
    expect(ran.code).toBe(0)
    expect(checksOf(ran.stdout).get('schema')).toMatchObject({
      state: 'ok',
      detail: expect.stringContaining('none yet') as string,
    })
    expect((await s.run(['status'])).stderr).toMatch(
      /holds no mirror yet\. Run: .* sync, which makes it, or .* migrate/,
    )
  })

  test('takes an empty folder, as a new volume is, for one that the first run fills', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'headcount-doctor-'))
    for (const names of [[], ['lost+found']]) {
      await Promise.all(names.map((name) => mkdir(join(folder, name))))
      const ran = await headcount(['doctor', '--json', '--database', `pglite:${folder}`])
      expect(checksOf(ran.stdout).get('database')).toMatchObject({
        state: 'ok',
        detail: expect.stringContaining('first run fills the empty folder') as string,
      })
      expect(checksOf(ran.stdout).get('schema')?.detail).toContain('none yet')
      expect((await headcount(['status', '--database', `pglite:${folder}`])).stderr).toContain('no mirror')
      expect(await readdir(folder)).toEqual(names)
    }
    await rm(folder, { recursive: true })
  })

  test.skipIf(process.getuid?.() === 0)(
    'refuses an empty folder that it may not write in (needs a user who is not root)',
    async () => {
      const folder = await mkdtemp(join(tmpdir(), 'headcount-doctor-'))
      await chmod(folder, 0o555)
      const ran = await headcount(['doctor', '--json', '--database', `pglite:${folder}`])
      expect(checksOf(ran.stdout).get('database')).toMatchObject({
        state: 'failed',
        exit_code: 5,
        detail: expect.stringContaining('cannot be written') as string,
      })
      await rm(folder, { recursive: true })
    },
  )

  test('reads a list up to the cap that is set', async () => {
    await using s = await commandStage('postgres', accountOf({ gala: 1 }))
    s.service.at('/events', send({ body: [{ id: 'gala', title: 'x'.repeat(2000) }] }))
    const ran = await s.run(['doctor', '--json'], { env: { HEADCOUNT_MAX_BODY: '1KiB' } })
    expect(checksOf(ran.stdout).get('list')).toMatchObject({ state: 'failed' })
  })

  test('ends with the code of the first line that fails, and skips what hangs on it', async () => {
    await using s = await commandStage('postgres', accountOf({ gala: 1 }))
    const nowhere = `127.0.0.1:${await closedPort()}`
    const noDatabase = { DATABASE_URL: `postgres://u:geheimnis@${nowhere}/x` }

    const unset = await headcount(['doctor', '--json'], { env: { ...noDatabase } })
    expect(unset.code).toBe(2)
    expect(checksOf(unset.stdout).get('configuration')?.detail).toContain('HEADCOUNT_API_KEY')

    const unnamed = await s.run(['doctor', '--json', '--base-url', 'https://no-such-host.invalid/api/v1'])
    expect(unnamed.code).toBe(4)
    expect(checksOf(unnamed.stdout).get('key')?.state).toBe('skipped')
    expect(checksOf(unnamed.stdout).get('database')?.state).toBe('ok')

    s.service.always(send(refusal(401)))
    const refused = await s.run(['doctor', '--json'], { env: noDatabase })
    expect(refused.code).toBe(3)
    expect(checksOf(refused.stdout).get('list')?.state).toBe('skipped')
    expect(checksOf(refused.stdout).get('database')).toMatchObject({ state: 'failed', exit_code: 5 })
    expect(refused.stdout + refused.stderr).not.toMatch(/geheimnis|canary-7d1f/)
  })

  test('N5 waits for no service that is silent or asks for a long pause', async () => {
    await using s = await commandStage('postgres', accountOf({ gala: 1 }))
    s.service.always(silence)
    const silent = await s.run(['doctor', '--json', '--request-timeout', '200ms'])
    expect(silent.code).toBe(4)
    expect(checksOf(silent.stdout).get('key')).toMatchObject({
      state: 'failed',
      detail: expect.stringMatching(/no whole answer within 0\.2 s .*--request-timeout allows/),
    })
    s.service.always(send(refusal(429, { 'Retry-After': '600' })))
    const paused = await s.run(['doctor', '--json'])
    expect(paused.code).toBe(4)
    expect(checksOf(paused.stdout).get('key')?.detail).toContain('Retry-After')
  })

  test('N4 a certificate that is not trusted is a failure of the way, before any key is sent', async () => {
    await using s = await commandStage('postgres', accountOf({}))
    const { key, cert } = selfSigned({ ipAddresses: ['127.0.0.1'] })
    await using server = await startFaultServer({ tls: { key, cert } })
    const ran = await s.run(['doctor', '--json', '--base-url', server.baseUrl.href])
    expect(ran.code).toBe(4)
    expect(checksOf(ran.stdout).get('TLS')).toMatchObject({
      state: 'failed',
      detail: expect.stringMatching(
        /^self-signed certificate: check .*NODE_EXTRA_CA_CERTS.*NODE_USE_SYSTEM_CA=1/,
      ) as string,
    })
    expect(server.requests).toEqual([])
  })

  test('D13 names the right that is missing', async () => {
    await using s = await commandStage('postgres', accountOf({ gala: 1 }))
    await using reader = await readerOf(s.place.url)
    const ran = await s.run(['doctor', '--json'], { env: { DATABASE_URL: reader.url } })
    expect(ran.code).toBe(5)
    expect(checksOf(ran.stdout).get('database')?.detail).toMatch(
      /may not read and write accepted_rejects, accounts, .*grant select, insert/,
    )
  })

  test('D6 tells a role that only reads from a database that does', async () => {
    await using s = await commandStage('postgres', accountOf({ gala: 1 }))
    await using role = await readerOf(s.place.url, 'select, insert, update, delete')
    const database = new URL(s.place.url).pathname.slice(1)
    const examine = async () => {
      const ran = await s.run(['doctor', '--json'], { env: { DATABASE_URL: role.url } })
      return { code: ran.code, detail: checksOf(ran.stdout).get('database')?.detail }
    }
    await onServer(`alter role ${role.name} in database ${database} set default_transaction_read_only = on`)
    expect(await examine()).toEqual({
      code: 5,
      detail: expect.stringMatching(/^reader_\S+ is a role that only reads .*: use the role that writes/),
    })
    await onServer(`alter role ${role.name} in database ${database} reset default_transaction_read_only`)
    await onServer(`alter database ${database} set default_transaction_read_only = on`)
    expect(await examine()).toEqual({
      code: 5,
      detail: expect.stringMatching(/ is set to read only \(\S+, of the database\): set it to off there/),
    })
    await onServer(`alter database ${database} reset default_transaction_read_only`)
    expect((await examine()).code).toBe(0)
  })

  test('D13 names the right that pending migrations would miss', async () => {
    await using s = await commandStage('postgres', accountOf({ gala: 1 }))
    await using writer = await readerOf(s.place.url, 'select, insert, update, delete')
    await using database = await s.place.open()
    const send = (text: string) => database.transaction((trx) => trx.query(text))
    const examine = async () => {
      const ran = await s.run(['doctor', '--json'], { env: { DATABASE_URL: writer.url } })
      return { code: ran.code, schema: checksOf(ran.stdout).get('schema')?.detail }
    }
    expect((await examine()).code).toBe(0)
    await send('delete from headcount.schema_migrations')
    const lacking = await examine()
    expect(lacking.code).toBe(5)
    expect(lacking.schema).toContain('does not own the mirror')
    await send(`alter table headcount.schema_migrations owner to ${writer.name}`)
    expect((await examine()).schema).toMatch(/grant create on schema headcount/)
    await send(`grant create on schema headcount to ${writer.name}`)
    expect((await examine()).code).toBe(0)
    await send('alter schema headcount_internal rename to elsewhere')
    const withoutFunctions = await examine()
    expect(withoutFunctions.code).toBe(5)
    expect(withoutFunctions.schema).toContain(
      `As a superuser run there: create schema headcount_internal authorization ${writer.name}`,
    )
  })

  test('tells a clock that is wrong', async () => {
    await using s = await commandStage('postgres', accountOf({}))
    const Date_ = new Date(Date.now() + 3_600_000).toUTCString()
    s.service.at('/ping', send({ headers: { date: Date_ }, body: { email: 'owner@example.org' } }))
    const ran = await s.run(['doctor', '--json'])
    expect(checksOf(ran.stdout).get('clock')).toMatchObject({
      state: 'warning',
      detail: expect.stringMatching(/behind the service/) as string,
    })
  })
})
