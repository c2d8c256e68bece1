/** `sync` and `backfill` as a user or a cron job calls them: what they write where, and how they end. */
import { once } from 'node:events'
import { mkdtemp, readdir } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import type { Database } from '../../../../src/db/connect.ts'
import type { RunReport } from '../../../../src/index.ts'
import { accountOf, refusal } from '../../../support/accounts/account.ts'
import {
  headcount,
  headcountProcess,
  inShell,
  scriptPath,
  untilShown,
  type Ran,
} from '../../../support/commands/command.ts'
import {
  commandStage,
  onBothCommandStages,
  onPostgresCommandStage,
} from '../../../support/commands/command-stage.ts'
import { lockTable } from '../../../support/databases/locks.ts'
import { closedPort, send, silence } from '../../../support/http/fault-server.ts'
import { testKey } from '../../../support/http/reading.ts'

/** Part of the key of the tests that no escaping changes. */
const canary = testKey.slice(0, 11)

function expectNoKey(...ran: readonly Ran[]): void {
  for (const { stdout, stderr } of ran) expect(stdout + stderr).not.toContain(canary)
}

function reportIn({ stdout }: Ran): RunReport {
  return JSON.parse(stdout) as RunReport
}

onPostgresCommandStage('a run that succeeds, for people and programs', (stage) => {
  test('tells people on stderr, programs on stdout, and nobody when quiet', async () => {
    await using s = await stage(accountOf({ gala: 3, picnic: 2 }))
    const first = await s.run(['sync'])
    expect(first).toMatchObject({ code: 0, stdout: '' })
    expect(first.stderr).toMatch(/^sync of account default succeeded in /m)
    expect(first.stderr).toMatch(/responses +5 +0 +0/)

    const json = await s.run(['sync', '--json'])
    expect(json.code).toBe(0)
    expect(reportIn(json)).toMatchObject({
      status: 'succeeded',
      mode: 'sync',
      account: 'default',
      rejected: 0,
    })
    expect(json.stdout.trimEnd().split('\n')).toHaveLength(1)

    expect(await s.run(['sync', '--quiet'])).toEqual({ code: 0, stdout: '', stderr: '' })
    expect(await s.run(['backfill', '-q'])).toEqual({ code: 0, stdout: '', stderr: '' })
    const stored = await s.run(['runs', '--json', '--limit', '3'])
    expect(JSON.parse(stored.stdout)).toMatchObject({
      runs: [
        { run_id: 4, mode: 'backfill', status: 'succeeded' },
        { run_id: 3, mode: 'sync' },
        { run_id: 2, report: reportIn(json) },
      ],
    })
    expectNoKey(first, json, stored)
  })
})

describe('a run that succeeds', () => {
  test('where logs are asked for as json, every line of stderr is json', async () => {
    await using s = await commandStage('postgres', accountOf({ gala: 3 }))
    const { stderr } = await s.run(['sync'], { env: { HEADCOUNT_LOG_FORMAT: 'json' } })
    const lines = stderr.trimEnd().split('\n')
    expect(lines.map((line) => JSON.parse(line) as object).at(-1)).toMatchObject({
      level: 'info',
      msg: 'sync succeeded',
      report: { status: 'succeeded' },
    })
  })

  test('reads all, some, or what is due', async () => {
    const account = accountOf({ gala: 3 })
    account.add('old', 1, { event_at: '2020-01-01T00:00:00Z' })
    await using s = await commandStage('postgres', account)
    const due = async (...args: string[]) => reportIn(await s.run([...args, '--json'])).events.due
    expect(await due('sync')).toBe(2)
    expect(await due('sync')).toBe(1)
    expect(await due('sync', '--all')).toBe(2)
    expect(await due('sync', '--event', 'old')).toBe(1)
    expect(await due('backfill')).toBe(2)
    expect(await due('backfill', '--event', 'old', 'gala')).toBe(2)
  })
})

describe('a run that does not', () => {
  test('is partial, exit 6, when an event cannot be read; quiet tells it all the same', async () => {
    const account = accountOf({ gala: 3, picnic: 2 })
    await using s = await commandStage('postgres', account)
    s.service.at('/events/gala/responses', send(refusal(400)))
    const ran = await s.run(['sync', '--quiet', '--json'])
    expect(ran.code).toBe(6)
    expect(reportIn(ran)).toMatchObject({ status: 'partial', events: { failed: 1 }, errors_total: 1 })
    expect(ran.stderr).toMatch(/partial[\s\S]*error event gala: /)
    expectNoKey(ran)
  })

  test('is held, exit 8, when rows vanish like in an outage, until the user decides', async () => {
    const account = accountOf({ gala: 30 })
    await using s = await commandStage('postgres', account)
    expect((await s.run(['sync', '-q'])).code).toBe(0)
    account.of('gala').splice(5)
    const held = await s.run(['sync', '-q'])
    expect(held.code).toBe(8)
    expect(held.stderr).toMatch(/held 25 deletions .*--accept-deletions/)

    const status = await s.run(['status'])
    expect(status.stdout).toMatch(
      /event gala \(The gala\): 25 deletions \(6 Guest 6, .* and 20 more\) since .* UTC: many rows vanished at once/,
    )
    expect(status.stdout).toContain('headcount sync --accept-deletions')

    expect(await s.run(['sync', '-q', '--accept-deletions'])).toEqual({ code: 0, stdout: '', stderr: '' })
  })

  test('is held, exit 8, when an item cannot be stored; rejects tells which', async () => {
    const account = accountOf({ gala: 2 })
    account.of('gala').push({ id: '\u001b[2J', name: 'Eve' })
    await using s = await commandStage('postgres', account)
    const ran = await s.run(['sync', '-q'])
    expect(ran).toMatchObject({ code: 8, stdout: '' })
    expect(ran.stderr).toMatch(/rejected 1 item .*headcount rejects/)

    const rejects = await s.run(['rejects'])
    expect(rejects.stdout).toMatch(/gala +[0-9a-f]{64} +id_invalid +\$\[2\]\.id/)
    const json = await s.run(['rejects', '--json'])
    expect(JSON.parse(json.stdout)).toMatchObject({
      rejects: [
        { account: 'default', event_id: 'gala', item_index: 2, path: '$[2].id', bytes: expect.any(Number) },
      ],
    })
  })
})

describe('a run that a fatal cause ends', () => {
  const on = () => commandStage('postgres', accountOf({ gala: 3 }))

  test('H1 X2 exit 3 when the key is refused, which the service quotes and we do not', async () => {
    await using s = await on()
    s.service.always(send(refusal(401)))
    const ran = await s.run(['sync', '--json'])
    expect(ran.code).toBe(3)
    expect(ran.stderr).toMatch(
      /^headcount: .*401.* - the key in HEADCOUNT_API_KEY is refused\. Make a new one/m,
    )
    expect(reportIn(ran)).toMatchObject({ status: 'failed', errors_total: 1 })
    expectNoKey(ran)
  })

  test('H1 exit 3 names the quotes that were sent with the key', async () => {
    await using s = await on()
    s.service.always(send(refusal(401)))
    const ran = await s.run(['sync', '-q'], { env: { HEADCOUNT_API_KEY: `"${testKey}"` } })
    expect(ran.code).toBe(3)
    expect(ran.stderr).toMatch(/the key in HEADCOUNT_API_KEY is refused\. It stands in quotation marks/)
    expectNoKey(ran)
  })

  test('N2 exit 4 when nobody listens', async () => {
    await using s = await on()
    const env = { HEADCOUNT_BASE_URL: `http://127.0.0.1:${await closedPort()}/api/v1` }
    const ran = await s.run(['sync', '--quiet'], { env })
    expect(ran).toMatchObject({ code: 4, stdout: '' })
    expect(ran.stderr).toMatch(/headcount: .*127\.0\.0\.1/)
    expectNoKey(ran)
  })

  test('exit 4 when --run-timeout passes before the event list is read, exit 6 when it passes later', async () => {
    const account = accountOf({ gala: 3 })
    await using s = await commandStage('postgres', account)
    const inTime = ['sync', '--run-timeout', '2s']
    s.service.at('/events', silence)
    expect(await s.run(inTime)).toMatchObject({ code: 4, stderr: expect.stringContaining('--run-timeout') })
    s.service.at(
      '/events',
      send((request) => account.answer(request)),
    )
    s.service.at('/events/gala/responses', silence)
    expect((await s.run(inTime)).code).toBe(6)
  })

  test('D1 X6 exit 5 when the database is down, and its password is not shown', async () => {
    await using s = await on()
    const target = `postgres://someone:geheimnis%2F%40@127.0.0.1:${await closedPort()}/mirror`
    for (const env of [{ DATABASE_URL: target }, { DATABASE_URL: target, HEADCOUNT_LOG_LEVEL: 'debug' }]) {
      const ran = await s.run(['sync'], { env })
      expect(ran.code).toBe(5)
      expect(ran.stderr).toContain('Postgres at 127.0.0.1')
      expect(ran.stdout + ran.stderr).not.toContain('geheimnis')
    }
  })

  test('P1 exit 7 when the answer is complete and no list', async () => {
    await using s = await on()
    s.service.at('/events', send({ body: '[{"id": "gala"' }))
    expect(await s.run(['sync', '-q'])).toMatchObject({ code: 7, stdout: '' })
  })

  test('H3 exit 2 with a hint when there is nothing at the base address', async () => {
    await using s = await on()
    s.service.always(send(refusal(404)))
    const ran = await s.run(['sync', '-q'])
    expect(ran).toMatchObject({ code: 2, stdout: '' })
    expect(ran.stderr).toContain('--base-url')
    expectNoKey(ran)
  })

  test('one clean line tells it, and where in the code only when asked', async () => {
    await using s = await on()
    s.service.always(send(refusal(401)))
    const usual = await s.run(['sync', '-q'])
    expect(
      usual.stderr
        .trimEnd()
        .split('\n')
        .filter((line) => /^\s+at /.test(line)),
    ).toEqual([])
    const debug = await headcountProcess(['sync'], { env: { ...s.env, HEADCOUNT_LOG_LEVEL: 'debug' } })
    expect(debug.stderr).toMatch(/^\s+at .*\.cjs:\d+/m)
    expectNoKey(usual, debug)
  })
})

const signals = [
  ['SIGTERM', 143],
  ['SIGINT', 130],
  ['SIGHUP', 129],
] as const

onBothCommandStages('O2 a run that is told to stop, on', (stage, engine) => {
  // Which signal it was is heard by the process, whatever the engine.
  test.each(engine === 'postgres' ? signals : signals.slice(0, 1))(
    'by %s, once or twice at once, ends cleanly with %d, and the run is interrupted',
    async (signal, code) => {
      await using s = await stage(accountOf({ gala: 3, picnic: 1 }))
      s.service.at('/events/gala/responses', silence)
      const ran = await s.run(['sync', '--json'], {
        meanwhile: async (child) => {
          await asked(s.service, '/events/gala/responses')
          child.kill(signal)
          // Not together: the system makes one of two that wait. Nor late, when it would be a second one: nothing here goes on meanwhile.
          Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 20)
          child.kill(signal)
        },
      })
      expect(ran.code).toBe(code)
      expect(reportIn(ran).status).toBe('interrupted')
      expect(JSON.parse((await s.run(['runs', '--json'])).stdout)).toMatchObject({
        runs: [{ status: 'interrupted' }],
      })
      expect((await s.run(['sync', '-q'])).code).toBe(0)
    },
  )
})

test.skipIf(scriptPath === null)('O2 a run whose terminal is closed is interrupted', async () => {
  await using s = await commandStage('postgres', accountOf({ gala: 3 }))
  s.service.at('/events/gala/responses', silence)
  await s.onTerminal(['sync'], {
    meanwhile: async (child) => {
      await asked(s.service, '/events/gala/responses')
      child.kill('SIGKILL')
    },
  })
  const statuses = async () => (await s.run(['runs', '--json'])).stdout
  await expect.poll(statuses, { timeout: 60_000, interval: 200 }).toContain('"status":"interrupted"')
})

test('O2 SIGTERM while a lock holds the batch: 143 within 8 s, and nothing of the batch is stored', async () => {
  await using s = await commandStage('postgres', accountOf({ gala: 3 }))
  await using database = await s.place.open()
  await using stack = new AsyncDisposableStack()
  stack.use(await lockTable(database, 'responses'))
  let ms = 0
  const ran = await s.run(['sync'], {
    meanwhile: async (child) => {
      await isWaitingForLock(database)
      const began = performance.now()
      child.kill('SIGTERM')
      await once(child, 'exit')
      ms = performance.now() - began
    },
  })
  await stack.disposeAsync()
  expect(ran.code).toBe(143)
  expect(ran.stderr).toMatch(/^headcount: interrupted by SIGTERM; the work did not end within 7\.5 s/m)
  // That it is cut off after 7.5 s says the message; a busy machine needs some time for that.
  expect(ms).toBeLessThan(20_000)
  expect((await database.transaction((trx) => trx.query('select id from headcount.responses'))).rows).toEqual(
    [],
  )
  expect((await s.run(['sync', '-q'])).code).toBe(0)
})

test('O2 a second signal ends it at once, also when its batch waits for a lock', async () => {
  await using s = await commandStage('postgres', accountOf({ gala: 3 }))
  await using database = await s.place.open()
  await using _lock = await lockTable(database, 'responses')
  const ran = await s.run(['sync'], {
    meanwhile: async (child) => {
      await isWaitingForLock(database)
      child.kill('SIGTERM')
      await setTimeout(1000)
      expect(child.exitCode).toBeNull()
      const began = performance.now()
      const ended = once(child, 'exit')
      // One that comes within half a second of when the first was heard is the same one.
      while (child.exitCode === null) {
        child.kill('SIGINT')
        await Promise.race([ended, setTimeout(700)])
      }
      // Of the 7.5 s that the first one leaves, 6.5 are left.
      expect(performance.now() - began).toBeLessThan(6000)
    },
  })
  expect(ran.code).toBe(130)
})

test('O8 a run whose stdout is closed goes on to its end', async () => {
  await using s = await commandStage('postgres', accountOf({ gala: 3 }))
  const line = '$HEADCOUNT sync --json --quiet | true; echo "${PIPESTATUS[0]}"; $HEADCOUNT status | true'
  expect(await inShell(line, { env: s.env })).toEqual({ code: 0, stdout: '0\n', stderr: '' })
  expect(JSON.parse((await s.run(['runs', '--json'])).stdout)).toMatchObject({
    runs: [{ status: 'succeeded' }],
  })
})

test('an answer that could not be written whole is exit 1', async () => {
  await using s = await commandStage('postgres', accountOf({}))
  const printed = await inShell('$HEADCOUNT --version > /dev/full', { env: s.env })
  expect(printed).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/^headcount: The output could not be written: ENOSPC.*\n$/),
  })
  const ran = await inShell('$HEADCOUNT runs > /dev/full', { env: s.env })
  expect(ran.code).toBe(1)
  expect(ran.stderr).toContain('headcount: The output could not be written: ENOSPC')
})

test('where nobody named a database, a folder is used, and said so; commands that read do not make it', async () => {
  const cwd = await mkdtemp(join(tmpdir(), 'headcount-here-'))
  const ran = await headcount(['status'], { cwd })
  expect(ran.code).toBe(5)
  expect(ran.stderr).toContain('using pglite:./headcount-data in this folder')
  expect(await readdir(cwd)).toEqual([])
})

describe.skipIf(scriptPath === null)('on a terminal (skipped where script of util-linux is missing)', () => {
  test('one bar shows how far it is, and is gone at the end; the report follows', async () => {
    await using s = await commandStage('postgres', accountOf({ gala: 3, picnic: 2 }))
    const isShown = Promise.withResolvers<void>()
    s.service.at('/events/gala/responses', async (socket, request) => {
      await isShown.promise
      await send({ body: accountOf({ gala: 3 }).of('gala') })(socket, request)
    })
    const { code, stdout } = await s.onTerminal(['sync'], {
      meanwhile: (child) => untilShown(child, ' 1/2 events, 2 responses').then(isShown.resolve),
    })
    expect(code).toBe(0)
    expect(stdout).toMatch(/█+░+ 1\/2 events, 2 responses( \(\d+\/s\))?, \d rows? changed/)
    expect(stdout.lastIndexOf('█')).toBeLessThan(stdout.indexOf('succeeded'))
    // The line is cleared, the cursor shows, lines wrap.
    expect(stdout).toContain('\u001b[2K')
    expect(stdout).not.toMatch(/\u001b\[\?(25|7)l/)
  })

  test('with --quiet there is none', async () => {
    await using s = await commandStage('postgres', accountOf({ gala: 3 }))
    expect(await s.onTerminal(['sync', '--quiet'])).toMatchObject({ code: 0, stdout: '' })
  })
})

async function asked(
  service: { readonly requests: readonly { readonly path: string }[] },
  path: string,
): Promise<void> {
  while (!service.requests.some((request) => request.path.endsWith(path))) await setTimeout(20)
}

async function isWaitingForLock(database: Database): Promise<void> {
  for (;;) {
    const waiting = await database.transaction((trx) =>
      trx.query(
        `select 1 from pg_locks where not granted and database = (select oid from pg_database where datname = current_database())`,
      ),
    )
    if (waiting.rows.length > 0) return
    await setTimeout(50)
  }
}
