/** `headcount serve` as an operator runs it: a process that answers until it is told to stop. */
import { Client } from 'pg'
import { request } from 'undici'
import { describe, expect, test } from 'vitest'
import { accountOf, refusal } from '../../../support/accounts/account.ts'
import { commandStage, onBothCommandStages } from '../../../support/commands/command-stage.ts'
import { onServer } from '../../../support/databases/databases.ts'
import { send } from '../../../support/http/fault-server.ts'
import { startServe, urlOf } from '../../../support/commands/process.ts'
import { testKey } from '../../../support/http/reading.ts'

/** A schedule that does not come while a test runs. */
const onceAYear = ['--schedule', '0 0 1 1 *']

/** Holds locks until it is disposed of; tells how many sessions wait for one. */
async function lock(database: string, statements: string) {
  const client = new Client(database)
  await client.connect()
  await client.query(`begin; ${statements}`)
  const waiting = async (): Promise<unknown> => {
    // Within a transaction it would stay as it was at first.
    await client.query('select pg_stat_clear_snapshot()')
    const { rows } = await client.query<{ count: number }>(
      `select count(*)::int from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
    )
    return rows[0]?.count
  }
  return { waiting, [Symbol.asyncDispose]: () => client.end() }
}

async function ask(url: string, key: string, path = '/events') {
  const { statusCode, body } = await request(`${url}${path}`, { headers: { 'X-API-Key': key } })
  return { status: statusCode, json: await body.json() }
}

onBothCommandStages('serve --sync', (stage) => {
  test('fills an empty mirror too; a folder is its own meanwhile', async () => {
    await using s = await stage(accountOf({ gala: 3 }))
    await using served = startServe(['--sync', ...onceAYear], { env: s.env })
    const url = await urlOf(served)
    await served.says('sync succeeded')
    expect(await ask(url, 'hc_nobody')).toMatchObject({ status: 401 })
    const held = served.log.some(({ msg }) => msg.includes('is held until serve ends'))
    expect(held).toBe(s.place.engine === 'pglite')
    served.kill('SIGINT')
    expect((await served.ended).code).toBe(0)
  })
})

describe('serve', () => {
  test('answers where nothing can be written, as on a standby, and says what is not recorded', async () => {
    await using s = await commandStage('postgres', accountOf({ gala: 3 }))
    expect(await s.run(['sync', '--quiet'])).toMatchObject({ code: 0 })
    const key = (await s.run(['keys', 'create'])).stdout.trim()
    const link = (
      await s.run([
        'links',
        'create',
        '--view',
        'responses',
        '--as',
        'csv',
        '--public-url',
        'http://x.example',
      ])
    ).stdout.trim()
    const { pathname } = new URL(s.place.url)
    await onServer(`alter database ${pathname.slice(1)} set default_transaction_read_only = on`)
    await using served = startServe([], { env: s.env })
    const url = await urlOf(served)
    for (const _ of [1, 2, 3]) {
      expect(await ask(url, key, '/events/gala/responses')).toMatchObject({
        status: 200,
        json: { length: 3 },
      })
      const page = await request(new URL(new URL(link).pathname, url))
      expect(page.statusCode).toBe(200)
      expect((await page.body.text()).trim().split('\n')).toHaveLength(4)
    }
    served.kill('SIGTERM')
    expect((await served.ended).code).toBe(0)
    expect(served.log.filter(({ level }) => level !== 'info')).toMatchObject([
      {
        level: 'warn',
        msg: expect.stringMatching(/nothing can be written .* keys and links do not show when/) as string,
      },
    ])
    await onServer(`alter database ${pathname.slice(1)} reset default_transaction_read_only`)
    expect(JSON.parse((await s.run(['keys', '--json'])).stdout)).toMatchObject({
      keys: [{ last_used_on: null }],
    })
  })

  test('--access-log logs each request, without key, e-mail, or id of a response', async () => {
    await using s = await commandStage('postgres', accountOf({ gala: 3 }))
    expect(await s.run(['sync', '--quiet'])).toMatchObject({ code: 0 })
    const key = (await s.run(['keys', 'create'])).stdout.trim()
    await using served = startServe(['--access-log'], { env: s.env })
    const url = await urlOf(served)
    await ask(url, key, '/events/gala/responses?after=2')
    await ask(url, 'hc_nobody', '/ping?email=ada@example.org')
    const lines = () => served.log.filter(({ msg }) => msg === 'request')
    await expect.poll(() => lines().length).toBe(2)
    expect(lines()).toMatchObject([
      { level: 'info', method: 'GET', path: '/api/v1/events/gala/responses', status: 200, key_id: 1 },
      { level: 'info', method: 'GET', path: '/api/v1/ping', status: 401, key_id: null },
    ])
    served.kill('SIGTERM')
    const { stdout, stderr } = await served.ended
    expect(stdout + stderr).not.toMatch(new RegExp(`${key}|hc_nobody|after=|example\\.org`))
  })

  test('an escape that says nothing is refused by the bundle of the command as by the library', async () => {
    await using s = await commandStage('postgres', accountOf({ gala: 3 }))
    expect(await s.run(['sync', '--quiet'])).toMatchObject({ code: 0 })
    const key = (await s.run(['keys', 'create'])).stdout.trim()
    await using served = startServe([], { env: s.env })
    const url = await urlOf(served)
    const { status, json } = await ask(url, key, '/events?limit=1&after=%zz')
    expect({ status, json }).toMatchObject({
      status: 400,
      json: { detail: 'after must be percent-encoded UTF-8' },
    })
  })

  test('an access log for people is one line a request', async () => {
    await using s = await commandStage('postgres', accountOf({ gala: 1 }))
    expect(await s.run(['sync', '--quiet'])).toMatchObject({ code: 0 })
    const env = { ...s.env, HEADCOUNT_LOG_FORMAT: 'pretty', HEADCOUNT_ACCESS_LOG: '1' }
    await using served = startServe([], { env })
    const url = await urlOf(served)
    await ask(url, 'hc_nobody')
    served.kill('SIGTERM')
    expect((await served.ended).stderr).toMatch(/ GET \/api\/v1\/events 401 \d+ B \d+ ms no key\n/)
  })

  test('answers from the mirror with the service gone, and ends with 0 when it is told to stop', async () => {
    await using s = await commandStage('postgres', accountOf({ gala: 3 }))
    expect(await s.run(['sync', '--quiet'])).toMatchObject({ code: 0 })
    const key = (await s.run(['keys', 'create'])).stdout.trim()
    s.service.always(send(refusal(500)))
    await using served = startServe(['--quiet'], { env: s.env })
    const url = await urlOf(served)
    expect(await ask(url, key)).toMatchObject({ status: 200, json: [{ id: 'gala', title: 'The gala' }] })
    expect(await ask(url, key, '/events/gala/responses')).toMatchObject({ status: 200, json: { length: 3 } })
    expect(await ask(url, testKey)).toMatchObject({ status: 401 })
    served.kill('SIGTERM')
    expect(await served.ended).toEqual({ code: 0, stdout: '', stderr: `listening on ${url}\n` })
  })
})

describe('serve ends', () => {
  test.each(['SIGTERM', 'SIGINT'] as const)(
    'with 0 on %s while its start waits for the database',
    async (signal) => {
      await using s = await commandStage('postgres', accountOf({ gala: 3 }))
      expect(await s.run(['sync', '--quiet'])).toMatchObject({ code: 0 })
      await using locking = await lock(s.place.url, 'lock table headcount.schema_migrations')
      await using served = startServe(['--quiet'], { env: s.env })
      await expect.poll(() => locking.waiting(), { timeout: 20_000 }).toBe(1)
      served.kill(signal)
      expect(await served.ended).toEqual({ code: 0, stdout: '', stderr: '' })
    },
  )

  test('O2 D7 with 0 while lists and the use of a key wait for a lock: nobody waits for them any more', async () => {
    await using s = await commandStage('postgres', accountOf({ gala: 3 }))
    expect(await s.run(['sync', '--quiet'])).toMatchObject({ code: 0 })
    const key = (await s.run(['keys', 'create'])).stdout.trim()
    await using served = startServe(['--quiet'], { env: s.env })
    const url = await urlOf(served)
    await using locking = await lock(
      s.place.url,
      'lock table headcount.responses; lock table headcount.api_keys in share mode',
    )
    // A list waits for some seconds only; the note that the key was used today waits for as long as it takes.
    expect(await ask(url, key)).toMatchObject({ status: 200 })
    await expect.poll(() => locking.waiting(), { timeout: 20_000 }).toBe(1)
    const list = () => ask(url, key, '/events/gala/responses')
    const asked = Promise.allSettled(Array.from({ length: 20 }, list))
    await expect.poll(() => locking.waiting(), { timeout: 20_000 }).toBeGreaterThanOrEqual(3)
    served.kill('SIGTERM')
    expect((await served.ended).code).toBe(0)
    // A busy machine has no time to answer: any of the twenty may lose its connection, and none is shown a list.
    const answers = (await asked).flatMap((answer) =>
      answer.status === 'fulfilled' ? answer.value.status : [],
    )
    expect(answers.filter((status) => status !== 503)).toEqual([])
  })

  test('at once when it is given what only --sync has a use for', async () => {
    await using served = startServe(['--account', 'north'], { env: {} })
    const { code, stderr } = await served.ended
    expect({ code, stderr }).toEqual({
      code: 2,
      stderr: expect.stringContaining('--account goes with --sync only') as string,
    })
  })

  test('at once where there is no mirror, and says what to do', async () => {
    await using s = await commandStage('postgres', accountOf({}), { blank: true })
    await using served = startServe([], { env: s.env })
    const { code, stderr } = await served.ended
    expect({ code, stderr }).toEqual({
      code: 5,
      stderr: expect.stringContaining('headcount migrate') as string,
    })
  })

  test('with 3 when --sync finds that the key is refused', async () => {
    await using s = await commandStage('postgres', accountOf({ gala: 1 }))
    s.service.always(send(refusal(401)))
    await using served = startServe(['--sync', ...onceAYear], { env: s.env })
    expect((await served.ended).code).toBe(3)
  })
})
