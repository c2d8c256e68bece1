/** Secrets, looked for in every byte that commands print and every row that they store, whatever fails. */
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { connect } from '../../../src/db/connect.ts'
import { accountOf } from '../../support/accounts/account.ts'
import { headcount } from '../../support/commands/command.ts'
import type { Ran } from '../../support/commands/command.ts'
import { commandStage } from '../../support/commands/command-stage.ts'
import type { CommandStage } from '../../support/commands/command-stage.ts'
import { readContents } from '../../support/mirror/contents.ts'
import { closedPort, list, resetInBody, send, startFaultServer } from '../../support/http/fault-server.ts'
import type { Step } from '../../support/http/fault-server.ts'
import { expectNoKey } from '../../support/mirror/invariants.ts'
import { testKey } from '../../support/http/reading.ts'

/** Ways in which the key could be written. */
const spellings = [testKey, encodeURIComponent(testKey), JSON.stringify(testKey).slice(1, -1), 'canary-7d1f']
const inUrl = encodeURIComponent(testKey)

function expectSecret(secrets: readonly string[], ...ran: readonly Ran[]): void {
  for (const { stdout, stderr } of ran) {
    expect((stdout + stderr).length).toBeGreaterThan(0)
    for (const secret of secrets) expect(stdout + stderr).not.toContain(secret)
  }
}

/** An answer with the key in its body and in its headers. */
function echo(status: number, headers: Record<string, string> = {}): Step {
  return send({
    status,
    headers: { 'X-Request-Key': testKey, 'Set-Cookie': `key=${inUrl}`, 'Retry-After': '0', ...headers },
    body: { error: `the key ${testKey} (${inUrl}) cannot be used`, key: testKey },
  })
}

const html = `<!doctype html><title>${testKey}</title><a href="/users/api?key=${inUrl}">Log in</a>`
const torn = send({ body: Array.from({ length: 50 }, () => ({ id: 1, key: testKey })) }, resetInBody)

/** What goes wrong at /events and at the responses of one event, and the exit codes. */
const failures: readonly (readonly [string, Step, number, number])[] = [
  ['401', echo(401, { 'WWW-Authenticate': `Key realm="${inUrl}"` }), 3, 6],
  ['X2 500 with the key in body and headers', echo(500), 4, 6],
  ['422', echo(422), 7, 6],
  ['404', echo(404), 2, 6],
  ['an HTML page', send({ headers: { 'Content-Type': 'text/html' }, body: html }), 7, 6],
  ['an object for a list', send({ body: { error: testKey, next: `/?key=${inUrl}` } }), 7, 6],
  ['a list that is no JSON', send({ body: `["${testKey}", ${testKey}]` }), 7, 6],
  ['a reset in the body', torn, 4, 6],
  ['a redirect elsewhere', echo(302, { Location: `https://elsewhere.example/${inUrl}?key=${inUrl}` }), 2, 6],
  ['a redirect without end', echo(302, { Location: `/loop/${inUrl}` }), 7, 6],
  ['a page elsewhere', list([], { Link: `<https://elsewhere.example/?key=${inUrl}>; rel="next"` }), 7, 6],
  ['a header that cannot be read', list([], { 'Content-Encoding': testKey }), 7, 6],
]

describe('X1 the key, with a run that fails at', () => {
  let stage: CommandStage
  beforeAll(async () => {
    stage = await commandStage('postgres', accountOf({ gala: 2, ball: 1 }))
    expect((await stage.run(['sync'])).code).toBe(0)
  })
  afterAll(() => stage[Symbol.asyncDispose]())

  test.each(failures)('%s', async (_, step, exit, exitOfEvent) => {
    const steps = Array.from({ length: 8 }, () => step)
    const log = { HEADCOUNT_LOG_LEVEL: 'debug', HEADCOUNT_LOG_FORMAT: 'json' }
    const loop = send({ status: 302, headers: { Location: `/loop/${inUrl}` } })
    const served = send((request) => accountOf({ gala: 2, ball: 1 }).answer(request))
    stage.service.always((socket, request) =>
      (request.path.startsWith('/loop') ? loop : served)(socket, request),
    )
    stage.service.at('/events', ...steps)
    const whole = await stage.run(['sync', '--json'], { env: log })
    stage.service.at('/events')
    stage.service.at('/events/gala/responses', ...steps)
    const event = await stage.run(['sync'], { env: { HEADCOUNT_LOG_LEVEL: 'debug' } })
    stage.service.at('/events/gala/responses')
    expect([whole.code, event.code]).toEqual([exit, exitOfEvent])
    expectSecret(spellings, whole, event)
  })

  test('every table, and every command that tells of these runs', async () => {
    expectSecret(
      spellings,
      await stage.run(['runs', '--json', '--limit', '100']),
      await stage.run(['status', '--json']),
      await stage.run(['status']),
      await stage.run(['query', 'select * from list_status', '--json']),
      await stage.run(['doctor']),
    )
    await using database = await connect(stage.place.url)
    const contents = await readContents(database)
    expect(contents.rows('sync_runs').length).toBeGreaterThan(2 * failures.length)
    expectNoKey(contents, '')
  })

  test('a service that gives it for an e-mail address has none', async () => {
    const account = accountOf({ gala: 1 })
    await using own = await commandStage('postgres', account)
    const ran: Ran[] = []
    for (const email of [testKey, 'owner@example.org', `<${testKey}>`, 'other@example.org']) {
      account.email = email
      ran.push(await own.run(['sync', '--json']))
    }
    expect(ran.map(({ code }) => code)).toEqual([0, 0, 0, 0])
    await using database = await connect(own.place.url)
    expectSecret(spellings, ...ran)
    expectNoKey(await readContents(database), '')
  })

  test('the other host of a redirect never hears of it', async () => {
    await using other = await startFaultServer()
    other.always(list([]))
    stage.service.at('/events', send({ status: 302, headers: { Location: `${other.origin}/?key=${inUrl}` } }))
    const ran = await stage.run(['sync', '--json'])
    expect({ code: ran.code, connections: other.connections }).toEqual({ code: 2, connections: 0 })
    expectSecret(spellings, ran)
  })
})

describe('X6 the password of the database', () => {
  const server = new URL(inject('postgres'))
  const password = 'geheimnis/@1'
  const encoded = encodeURIComponent(password)
  const targets: readonly (readonly [string, () => string | Promise<string>, number])[] = [
    ['a host that does not exist', () => `postgres://owner:${encoded}@nowhere.invalid/mirror`, 5],
    ['a wrong password', () => `postgres://postgres:${encoded}@${server.host}/mirror_template`, 5],
    ['an address that cannot be read', () => `postgres://owner:${encoded}@[127.0.0.1/mirror`, 2],
    ['a password that is not encoded', () => `postgres://owner:${password}@127.0.0.1/mirror`, 2],
    [
      'as a parameter',
      async () => `postgres://127.0.0.1:${await closedPort()}/m?user=o&password=${encoded}`,
      5,
    ],
  ]

  test.each(targets)('%s', async (_, target, exit) => {
    const env = {
      HEADCOUNT_BASE_URL: 'http://127.0.0.1:9/api/v1',
      HEADCOUNT_API_KEY: testKey,
      DATABASE_URL: await target(),
    }
    const debug = { ...env, HEADCOUNT_LOG_LEVEL: 'debug', HEADCOUNT_LOG_FORMAT: 'json' }
    const ran = await Promise.all([
      headcount(['sync', '--json'], { env: debug }),
      headcount(['status'], { env }),
      headcount(['doctor'], { env }),
    ])
    expectSecret(['geheimnis', encoded, ...spellings], ...ran)
    expect(ran[0]?.code).toBe(exit)
    expect(ran[1]?.code).toBe(exit)
  })
})

test.each([
  ['a file', 'file:///etc/geheimnis', 2],
  ['a user and a password', 'https://owner:geheimnis@127.0.0.1/api/v1', 2],
  ['a query', 'https://127.0.0.1/api/v1?key=geheimnis', 2],
  ['plain http to a far host', 'http://service.example/api/v1', 2],
])(
  'X3 a base address with %s is refused before anything is opened, and not quoted',
  async (_, address, exit) => {
    const env = {
      HEADCOUNT_BASE_URL: address,
      HEADCOUNT_API_KEY: testKey,
      DATABASE_URL: `postgres://127.0.0.1:${await closedPort()}/mirror`,
    }
    const [run, flagged] = await Promise.all([
      headcount(['sync', '--json'], { env }),
      headcount(['sync', '--base-url', address], { env }),
    ])
    expect([run.code, flagged.code]).toEqual([exit, exit])
    expectSecret(['geheimnis', ...spellings], run, flagged)
    expect(run.stderr).toContain('HEADCOUNT_BASE_URL')
  },
)
