/** Commands beside `serve --sync` and `worker` on one PGlite folder: what they ask goes through the process that has it open. */
import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, mkdtemp, readdir, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { accountOf } from '../../../support/accounts/account.ts'
import { headcount, withoutAges, type Ran } from '../../../support/commands/command.ts'
import { commandStage, type CommandStage } from '../../../support/commands/command-stage.ts'
import { sendCall, socketOf } from '../../../support/commands/control.ts'
import { startServe, startWorker, urlOf, type Process } from '../../../support/commands/process.ts'
import { copyDataDir } from '../../../support/files/copy-folder.ts'

/** A schedule that does not come while a test runs. */
const onceAYear = ['--schedule', '0 0 1 1 *']

const oddValues = `select 'NaN'::float8 as nan, array['-Infinity'::float8, 1.5] as odd, -0.0::float8 as zero, 1e21::float8 as large,
  12345678901234567890.50 as exact, 9007199254740993 as digits, '{"amount": 12.50, "n": 9007199254740993, "at": "\u2028"}'::jsonb as document,
  null as nothing, 'a' || chr(10) || 'ü' as text, true as yes, now() > '2020-01-01' as late`

/** What is asked through the holder alone: other arguments of the calls below, and what is refused. */
const askedOfHolder: readonly (readonly string[])[] = [
  ['status', '--event', 'gala'],
  ['tables', 'evnts'],
  ['keys', 'revoke', '99'],
  ['links', 'revoke', '99'],
  ['query', oddValues],
  ['event', 'gala'],
  ['changes', '--since', '1d'],
  ['changes', '--since', '2026-01-01'],
  ['changes'],
  ['digest', '--since', '0', '--event', 'gla'],
  ['rsvp-meanings', 'set', 'yse', 'coming'],
  ['rsvp-meanings', 'remove', 'yse', '--json'],
  ['rsvp-meanings', 'remove', 'yse'],
  ['slot-targets', 'set', '--event', 'gla', '--wanted', '3'],
  ['slot-targets', 'set', '--event', 'gala', '--slot', 'Setp', '--wanted', '3'],
  ['accounts', 'set', 'default', '--time-zone', 'Berlin'],
]

/** What is asked through the holder and directly, where each opens the folder; with `--max-age` and an error, for their exit codes. */
const asked: readonly (readonly string[])[] = [
  ['status', '--json', '--max-age', '1s'],
  ['tables', '--json'],
  ['runs'],
  ['rejects', '--json'],
  ['observations', '--json'],
  ['accounts', '--json'],
  ['keys'],
  ['links'],
  ['query', oddValues, '--json'],
  ['events', '--all'],
  ['event', 'gla'],
  ['who', 'guest', '--limit', '2'],
  ['who-comes', 'gala', '--format', 'plain'],
  ['changes', '--since', '0', '--json'],
  ['thin'],
  ['digest', '--since', '0', '--event', 'gala', '--json'],
  ['rsvp-meanings', '--json'],
  ['slot-targets'],
  ['status', '--json'],
]

/** What only computes, for minutes. */
const endless = 'select count(*) from generate_series(1, 5e9::bigint)'

/** A query whose answer nobody reads yet. */
function unreadQuery(env: Readonly<Record<string, string>>): {
  child: ChildProcess
  ended: () => Promise<Ran>
} {
  const rows = "select repeat('x', 1000) as x from generate_series(1, 1000000)"
  const child = spawn(process.execPath, [inject('command'), 'query', rows], {
    env: { PATH: process.env['PATH'], ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const stderr = text(child.stderr)
  const closed = once(child, 'close')
  return {
    child,
    ended: async () => {
      const stdout = await text(child.stdout)
      const [code]: (number | null)[] = await closed
      return { code: code ?? null, stdout, stderr: await stderr }
    },
  }
}

describe('D22 beside serve --sync', () => {
  let s: CommandStage
  let served: Process
  const through = new Map<readonly string[], Ran>()
  let key = ''
  beforeAll(async () => {
    const account = accountOf({ gala: 3 })
    account.of('gala').push({ id: 'no number' })
    s = await commandStage('pglite', account)
    served = startServe(['--sync', ...onceAYear], { env: s.env })
  })
  afterAll(async () => {
    await served[Symbol.asyncDispose]()
    await s[Symbol.asyncDispose]()
  })

  test('a query that nobody reads is ended when a client of serve waits, and not before', async () => {
    await served.says('sync')
    const { child, ended } = unreadQuery(s.env)
    await once(child.stdout ?? child, 'readable')
    await sleep(6000)
    expect(child.exitCode).toBeNull()
    await fetch(`${await urlOf(served)}/events`, { headers: { 'X-API-Key': 'hc_nobody' } })
    const { code, stderr } = await ended()
    expect({ code, stderr }).toEqual({
      code: 5,
      stderr: expect.stringMatching(
        /^headcount: query: ended, for a run or a client of serve waited 4 s/,
      ) as string,
    })
  })

  test('D24 a statement that only computes is ended, time and again, and all others go on', async () => {
    const url = await urlOf(served)
    const over = new AbortController()
    const computing = s.run(['query', endless, '--timeout', '20s']).finally(() => over.abort())
    const answers = new Set<number>()
    // The first ones may come before it computes; one that comes later waits for its end.
    while (!over.signal.aborted) {
      answers.add((await fetch(`${url}/events`, { headers: { 'X-API-Key': 'hc_nobody' } })).status)
      await sleep(20)
    }
    expect(await computing).toMatchObject({
      code: 5,
      stderr: expect.stringMatching(/^headcount: query: ended, for while it computes no run/) as string,
    })
    expect(answers).toEqual(new Set([401]))
    for (let time = 0; time < 3; time++) {
      expect(await s.run(['query', endless, '--timeout', '100ms'])).toMatchObject({
        code: 5,
        stderr: expect.stringContaining('took longer than 100 ms') as string,
      })
    }
    expect((await s.run(['query', 'select count(*) from responses'])).stdout).toBe('count\n3\n')
    expect((await s.run(['status', '--max-age', '1h'])).code).toBe(0)
  })

  test('a query that is broken off leaves the folder to others', async () => {
    await served.says('sync')
    const { child, ended } = unreadQuery(s.env)
    await once(child.stdout ?? child, 'readable')
    child.kill('SIGINT')
    expect((await ended()).code).toBe(130)
    expect((await s.run(['query', 'select 1 as one'])).stdout).toBe('one\n1\n')
  })

  test('keys are made and taken back, and open what is served at once', async () => {
    const url = await urlOf(served)
    const ask = async () => (await fetch(`${url}/events`, { headers: { 'X-API-Key': key } })).status
    const made = await s.run(['keys', 'create', '--label', 'website', '--expires', '90d'])
    expect(made.stderr).toContain('headcount keys revoke 1 revokes it')
    key = made.stdout.trim()
    expect(await ask()).toBe(200)
    expect(await s.run(['keys', 'revoke', '1'])).toMatchObject({ code: 0 })
    expect(await ask()).toBe(401)
  })

  test('a reject is accepted', async () => {
    const { stdout } = await s.run(['rejects', '--json'])
    const { rejects } = JSON.parse(stdout) as { rejects: { sha256: string }[] }
    const accepted = await s.run(['rejects', 'accept', String(rejects[0]?.sha256)])
    expect(accepted).toMatchObject({ code: 0, stderr: expect.stringContaining('Accepted: 1 item') as string })
  })

  test('X12 writes, unknown calls and other versions are refused, and the socket is the owner’s', async () => {
    await served.says('sync')
    const url = s.place.url
    const count = async () => (await s.run(['query', 'select count(*) from responses'])).stdout
    const before = await count()
    const query = (sql: string) =>
      sendCall(url, 'query', { sql, timeoutMs: 1000, account: null, limit: null, timeZone: null })
    const refused = (message: string) => [
      { error: { code: 'usage', exit_code: 2, message: expect.stringContaining(message) as string } },
    ]
    expect(await query('delete from headcount.responses')).toEqual(refused('query takes one select'))
    expect(await query('with gone as (delete from headcount.responses returning 1) table gone')).toEqual(
      refused('only reads'),
    )
    expect(await query('explain analyze delete from headcount.responses')).toEqual(
      refused('query takes one select'),
    )
    expect(await query('select 1; delete from headcount.responses')).toEqual(refused('one statement'))
    for (const name of ['exec', 'constructor', 'sync']) {
      expect(await sendCall(url, name, {})).toEqual(refused('There is no call'))
    }
    expect(await sendCall(url, 'runs', { account: 7, limit: 1 })).toEqual(
      refused('"account" of a call must be a text'),
    )
    expect(await sendCall(url, 'runs', {}, { version: '0.0.1' })).toEqual(
      refused('this is 0.0.1: use the same version'),
    )
    expect(await count()).toBe(before)
    expect((await stat(socketOf(url))).mode & 0o777).toBe(0o600)
  })

  test('every command says the same through it and, when it was killed, directly', async () => {
    // Longer than the age that status is asked for, whatever the run took.
    await sleep(1500)
    for (const args of [...askedOfHolder, ...asked]) through.set(args, await s.run(args))
    served.kill('SIGKILL')
    await served.ended
    expect(await readdir(s.place.url.slice('pglite:'.length))).toContain('headcount.socket')
    const first = await s.run(['runs'])
    expect(first).toMatchObject({
      code: 0,
      stderr: expect.stringContaining('Removed the lock that process') as string,
    })
    for (const args of asked)
      expect(withoutAges(await s.run(args))).toEqual(withoutAges(through.get(args) ?? first))
    const codes = (lines: typeof asked) => lines.map((args) => through.get(args)?.code)
    expect(codes(askedOfHolder)).toEqual([0, 2, 2, 2, 0, 0, 0, 0, 0, 2, 0, 0, 2, 2, 0, 2])
    expect(codes(asked)).toEqual([6, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 0])
  }, 180_000)
})

describe('D22 beside a worker', () => {
  let parent: string
  let env: Readonly<Record<string, string>>
  let s: CommandStage
  beforeAll(async () => {
    parent = await mkdtemp(join(tmpdir(), 'headcount-test-held-'))
    // Longer than the address of a socket may be.
    const folder = join(parent, 'a'.repeat(120), 'data')
    await mkdir(join(parent, 'a'.repeat(120)))
    copyDataDir(inject('embeddedTemplate'), folder)
    s = await commandStage('postgres', accountOf({ gala: 3 }))
    env = { ...s.env, DATABASE_URL: `pglite:${folder}` }
  })
  afterAll(async () => {
    await s[Symbol.asyncDispose]()
    await rm(parent, { recursive: true })
  })

  test('with --keep-open, in a folder with a long path: between runs too, and until it is told to stop', async () => {
    await using worker = startWorker(['--keep-open', '--schedule', '*/2 * * * * *'], { env })
    await worker.says('sync succeeded')
    const count = await headcount(['query', 'select count(*) from responses'], { env })
    expect(count).toEqual({ code: 0, stdout: 'count\n3\n', stderr: '' })

    const computing = await headcount(['query', endless, '--timeout', '100ms'], { env })
    expect(computing).toMatchObject({ code: 5, stdout: '' })

    const waitedFor = unreadQuery(env)
    await once(waitedFor.child.stdout ?? waitedFor.child, 'readable')
    const runs = worker.log.filter(({ msg }) => msg.includes('sync succeeded')).length
    await worker.says('sync succeeded', runs + 1)
    expect(await waitedFor.ended()).toMatchObject({
      code: 5,
      stderr: expect.stringContaining('a run or a client') as string,
    })

    const { child, ended } = unreadQuery(env)
    await once(child.stdout ?? child, 'readable')
    const began = performance.now()
    worker.kill('SIGTERM')
    expect((await worker.ended).code).toBe(0)
    expect(performance.now() - began).toBeLessThan(8000)
    expect((await ended()).code).toBe(5)
    expect(
      (await readdir(env['DATABASE_URL']?.slice(7) ?? '')).filter((name) => name.startsWith('headcount')),
    ).toEqual([])
  })
})
