/** `worker --queue` and `queue` as an operator runs them. */
import { unlinkSync } from 'node:fs'
import { createServer } from 'node:net'
import { dirname, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { accountOf, refusal } from '../../../support/accounts/account.ts'
import { commandStage, type CommandStage } from '../../../support/commands/command-stage.ts'
import { startWorker, type Process } from '../../../support/commands/process.ts'
import { headcount } from '../../../support/commands/command.ts'
import { accountsFolder } from '../../../support/files/accounts-folder.ts'
import { startFailingProxy, startProxyAt } from '../../../support/databases/database-proxy.ts'
import { listenOnLoopback } from '../../../support/http/loopback.ts'
import { freePort } from '../../../support/http/free-port.ts'
import { startPoolingProxy } from '../../../support/databases/pooling-proxy.ts'
import { freshPlace } from '../../../support/databases/databases.ts'
import { openQueue } from '../../../../src/orchestration/queue/open-queue.ts'
import { QUEUE_SCHEMA } from '../../../../src/orchestration/queue/queues.ts'
import { testKey } from '../../../support/http/reading.ts'
import { send, silence } from '../../../support/http/fault-server.ts'

interface Listed {
  readonly dispatcher: { readonly holder: string } | null
  readonly counts: Readonly<Record<string, number>>
  readonly jobs: readonly { readonly account: string; readonly state: string; readonly code: string | null }[]
}

async function queueOf(stage: CommandStage): Promise<Listed> {
  const { code, stdout, stderr } = await stage.run(['queue', '--json'])
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  return (JSON.parse(stdout) as { queue: Listed }).queue
}

interface ListedRun {
  readonly status: string
  readonly started_at: string
  readonly finished_at: string | null
}

async function runsOf(stage: CommandStage): Promise<readonly ListedRun[]> {
  const { stdout } = await stage.run(['runs', '--json'])
  return (JSON.parse(stdout) as { runs: ListedRun[] }).runs
}

async function healthOf(worker: Process): Promise<{ status: number; body: object }> {
  const { msg } = await worker.says('health is answered at')
  const answer = await fetch(String(msg.split(' ').at(-1)))
  return { status: answer.status, body: (await answer.json()) as object }
}

/** Takes so many connections at a port and ends each. */
async function refuseConnections(port: number, count: number): Promise<void> {
  let refused = 0
  const enough = Promise.withResolvers<void>()
  const server = createServer((socket) => {
    socket.destroy()
    refused += 1
    if (refused === count) enough.resolve()
  })
  await using _server = await listenOnLoopback(server, port)
  await enough.promise
}

const patience = { timeout: 60_000, interval: 1000 }
const queued = ['--queue', '--health-port', '0']

describe('worker --queue', { timeout: 240_000 }, () => {
  test('two workers of one account behind a transaction-pooling proxy: one sends, one run a time, and both are healthy', async () => {
    await using s = await commandStage('postgres', accountOf({ gala: 3 }))
    await using proxy = await startPoolingProxy(s.place.url)
    const env = { ...s.env, DATABASE_URL: proxy.url, HEADCOUNT_SCHEDULE: '*/3 * * * * *' }
    await using first = startWorker(queued, { env })
    await using second = startWorker(queued, { env })
    await expect
      .poll(async () => (await runsOf(s)).length, { timeout: 40_000, interval: 300 })
      .toBeGreaterThanOrEqual(3)
    // One may make all runs before the other has begun.
    let healths = await Promise.all([healthOf(first), healthOf(second)])
    await expect
      .poll(
        async () => {
          healths = await Promise.all([healthOf(first), healthOf(second)])
          return healths.map(({ status }) => status)
        },
        { timeout: 60_000 },
      )
      .toEqual([200, 200])
    const sending = healths.map(({ body }) => (body as { is_dispatcher: boolean }).is_dispatcher)
    expect(new Set(sending)).toEqual(new Set([true, false]))
    expect(healths.map(({ body }) => Object.keys((body as { accounts: object }).accounts)).flat()).toContain(
      'default',
    )
    // The one that sends is killed: the other takes over.
    const [dead, left] = sending[0] === true ? [first, second] : [second, first]
    dead.kill('SIGKILL')
    await expect
      .poll(async () => (await healthOf(left)).body, { timeout: 40_000, interval: 300 })
      .toMatchObject({ healthy: true, is_dispatcher: true })
    // A run that died in the middle is closed by the next one, when neither its job nor its lease has a heartbeat.
    const unfinished = async () => (await runsOf(s)).filter(({ status }) => status === 'running').length
    await expect.poll(unfinished, { timeout: 100_000, interval: 500 }).toBe(0)
    left.kill('SIGTERM')
    expect((await left.ended).code).toBe(0)
    expect((await queueOf(s)).dispatcher).toBeNull()
    const ends = new Set((await runsOf(s)).map(({ status }) => status))
    expect([...ends].filter((end) => !['succeeded', 'abandoned', 'interrupted'].includes(end))).toEqual([])
  })

  test('O2 SIGTERM in the middle of a run: it ends with 0 within its bound, and hands the job back', async () => {
    await using s = await commandStage('postgres', accountOf({ gala: 3 }))
    s.service.at('/events/gala/responses', silence)
    await using worker = startWorker(queued, { env: s.env })
    await expect.poll(() => s.service.requests.length, { timeout: 20_000, interval: 300 }).toBe(3)
    expect(await queueOf(s)).toMatchObject({
      dispatcher: { holder: expect.stringContaining('process') },
      jobs: [{ account: 'default', state: 'running' }],
    })
    const began = performance.now()
    worker.kill('SIGTERM')
    expect((await worker.ended).code).toBe(0)
    expect(performance.now() - began).toBeLessThan(8000)
    expect(await runsOf(s)).toMatchObject([{ status: 'interrupted' }])
    expect(await queueOf(s)).toMatchObject({
      dispatcher: null,
      jobs: [{ account: 'default', state: 'ready' }],
    })
    await using next = startWorker(queued, { env: s.env })
    await expect
      .poll(async () => (await runsOf(s))[0], { timeout: 20_000, interval: 300 })
      .toMatchObject({ status: 'succeeded' })
    // The run is stored first, then its job is taken away.
    await expect.poll(async () => (await queueOf(s)).jobs, { timeout: 20_000 }).toEqual([])
    next.kill('SIGTERM')
    await next.ended
  })

  test('a refused key is a dead letter at once, and queue says why; the worker goes on, and a retry mends it', async () => {
    const account = accountOf({ gala: 3 })
    await using s = await commandStage('postgres', account)
    s.service.always(send(refusal(401)))
    await using worker = startWorker(queued, { env: { ...s.env, HEADCOUNT_SCHEDULE: '0 0 29 2 *' } })
    await worker.says('dead letter')
    expect(await queueOf(s)).toMatchObject({
      counts: { dead: 1 },
      jobs: [{ account: 'default', state: 'dead', code: 'key_refused' }],
    })
    const { stdout } = await s.run(['queue', 'show', 'default'])
    expect(stdout).toContain('the service refused the key: renew it (key_refused)')
    expect((await s.run(['queue'])).stdout).toContain('dead')
    expect(await s.run(['queue', 'retry', 'defualt'])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('did you mean default?'),
    })
    expect(await s.run(['queue', 'retry'])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('--all'),
    })
    s.service.always(send((request) => account.answer(request)))
    expect(await s.run(['queue', 'retry', '--all', '--json'])).toMatchObject({
      code: 0,
      stdout: '{"retried":["default"]}\n',
    })
    await expect
      .poll(async () => (await runsOf(s))[0], { timeout: 20_000, interval: 300 })
      .toMatchObject({ status: 'succeeded' })
    expect((await queueOf(s)).counts['dead']).toBe(0)
  })

  test.each(['HEADCOUNT_KEYS_DIR', 'HEADCOUNT_API_KEY_FILE'])(
    'a retry right after the key was renewed takes the new one: %s',
    async (variable) => {
      await using s = await commandStage('postgres', accountOf({ gala: 3 }))
      const folder = accountsFolder()
      const key = folder.write('keys/default.key', 'canary-of-before')
      const { HEADCOUNT_API_KEY: _, ...given } = s.env
      const path = variable === 'HEADCOUNT_KEYS_DIR' ? dirname(key) : key
      const env = { ...given, [variable]: path, HEADCOUNT_SCHEDULE: '0 0 29 2 *' }
      await using worker = startWorker(queued, { env })
      await worker.says('dead letter')
      folder.write('keys/default.key', testKey)
      await headcount(['queue', 'retry', '--all'], { env })
      await expect.poll(async () => (await runsOf(s)).length, { timeout: 20_000 }).toBe(2)
      await expect
        .poll(async () => await runsOf(s), { timeout: 20_000 })
        .toMatchObject([{ status: 'succeeded' }, { status: 'failed' }])
      // The run is stored first, then its job is taken away.
      await expect.poll(async () => (await queueOf(s)).jobs, { timeout: 20_000 }).toEqual([])
      expect(worker.stderr).not.toMatch(new RegExp(`canary-of-before|${testKey}`))
    },
  )

  test('follows the accounts file as worker does: a faulty entry is told, and goes on as before; --account takes one', async () => {
    await using s = await commandStage('postgres', accountOf({ gala: 3 }))
    const folder = accountsFolder()
    const { HEADCOUNT_API_KEY: _, ...given } = s.env
    const env = { ...given, HEADCOUNT_ACCOUNTS_FILE: folder.file, HEADCOUNT_SCHEDULE: '* * * * * *' }
    folder.write('accounts.yaml', 'accounts: [{ name: choir, key_file: choir.key }]')
    expect(await headcount(['worker', '--queue'], { env })).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('choir.key'),
    })
    folder.write('choir.key', testKey)
    folder.write('band.key', testKey)
    folder.write(
      'accounts.yaml',
      'accounts: [{ name: choir, key_file: choir.key }, { name: band, key_file: band.key }]',
    )
    expect(await headcount(['worker', '--queue', '--account', 'nobody'], { env })).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('"nobody"'),
    })
    await using worker = startWorker([...queued, '--account', 'choir'], { env })
    await worker.says('takes jobs of 1 account from')
    await expect
      .poll(async () => (await runsOf(s)).length, { timeout: 20_000, interval: 300 })
      .toBeGreaterThanOrEqual(1)
    expect(await healthOf(worker)).toMatchObject({ status: 200, body: { faulty_entries: 0 } })
    unlinkSync(join(folder.path, 'choir.key'))
    await worker.says('goes on with its former settings')
    const before = (await runsOf(s)).length
    await expect
      .poll(async () => (await runsOf(s)).length, { timeout: 40_000, interval: 300 })
      .toBeGreaterThan(before + 1)
    expect(await healthOf(worker)).toMatchObject({ status: 503, body: { faulty_entries: 1 } })
    s.service.always(send(refusal(401)))
    expect(await worker.says('account choir: GET')).toMatchObject({
      code: 'key_refused',
      msg: expect.stringMatching(/the key in choir\.key \(/),
    })
    expect(await headcount(['queue', 'retry', 'nobody'], { env })).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('The accounts file has no account "nobody"'),
    })
  })

  test('a pause that one account is asked for takes no place from the others, of one run at once and one at the host', async () => {
    const account = accountOf({ gala: 3 })
    await using s = await commandStage('postgres', account)
    const folder = accountsFolder()
    const { HEADCOUNT_API_KEY: _, ...given } = s.env
    const env = { ...given, HEADCOUNT_ACCOUNTS_FILE: folder.file, HEADCOUNT_SCHEDULE: '0 0 1 1 *' }
    const names = ['choir', 'band', 'club']
    account.keys = names.map((name) => `key-of-${name}`)
    for (const name of names) folder.write(`${name}.key`, `key-of-${name}`)
    folder.write(
      'accounts.yaml',
      JSON.stringify({ accounts: names.map((name) => ({ name, key_file: `${name}.key` })) }),
    )
    s.service.at('/events/gala/responses', send({ status: 429, headers: { 'Retry-After': '10' } }))
    await using worker = startWorker([...queued, '--runs', '1', '--runs-per-host', '1'], { env })
    await expect
      .poll(async () => (await runsOf(s)).map(({ status }) => status), { timeout: 60_000, interval: 300 })
      .toEqual(['succeeded', 'succeeded', 'succeeded'])
    const [first, , last] = (await runsOf(s)).toSorted((a, b) => (a.started_at < b.started_at ? -1 : 1))
    // All others began while the first one, which was asked for the pause, had not ended.
    expect(Date.parse(last?.started_at ?? '')).toBeLessThan(Date.parse(first?.finished_at ?? ''))
    worker.kill('SIGTERM')
    expect((await worker.ended).code).toBe(0)
  })

  test('a database that is away at the start: the worker waits for it, says so, and works once it is there', async () => {
    await using s = await commandStage('postgres', accountOf({ gala: 3 }))
    const port = await freePort()
    const url = new URL(s.place.url)
    url.port = String(port)
    await using worker = startWorker(queued, { env: { ...s.env, DATABASE_URL: url.href } })
    expect(await worker.says('tries again every 5 s')).toMatchObject({ level: 'warn' })
    expect(await healthOf(worker)).toMatchObject({
      status: 503,
      body: { reason: expect.stringContaining('ECONNREFUSED') },
    })
    await using _proxy = await startProxyAt(port, s.place.url)
    await expect
      .poll(async () => (await runsOf(s))[0], { timeout: 30_000, interval: 300 })
      .toMatchObject({ status: 'succeeded' })
    expect(await worker.says('sends the jobs of all')).toMatchObject({ level: 'info' })
    const { msg } = await worker.says('health is answered at')
    const ofAccount = await fetch(`${String(msg.split(' ').at(-1))}/default`)
    expect({ status: ofAccount.status, body: await ofAccount.json() }).toMatchObject({
      status: 404,
      body: { reason: expect.stringContaining('headcount status --account default') },
    })
    worker.kill('SIGTERM')
    expect((await worker.ended).code).toBe(0)
  })

  test('a database that goes away at the start, while the queue is made: the worker waits for it, and works once it is there', async () => {
    await using s = await commandStage('postgres', accountOf({ gala: 3 }))
    await using proxy = await startFailingProxy(s.place.url, `create schema ${QUEUE_SCHEMA}`)
    await using worker = startWorker(queued, { env: { ...s.env, DATABASE_URL: proxy.url } })
    expect(await worker.says('tries again every 5 s')).toMatchObject({ level: 'warn' })
    expect(proxy.cut).toBe(1)
    expect(await healthOf(worker)).toMatchObject({ status: 503, body: { healthy: false } })
    await expect
      .poll(async () => (await runsOf(s))[0], { timeout: 30_000, interval: 300 })
      .toMatchObject({ status: 'succeeded' })
    worker.kill('SIGTERM')
    expect((await worker.ended).code).toBe(0)
  })

  test('a database that goes away for a while: each failure is told once a minute, and then runs go on', async () => {
    await using s = await commandStage('postgres', accountOf({ gala: 3 }))
    const port = await freePort()
    const url = new URL(s.place.url)
    url.port = String(port)
    const env = { ...s.env, DATABASE_URL: url.href, HEADCOUNT_SCHEDULE: '* * * * * *' }
    const proxy = await startProxyAt(port, s.place.url)
    await using worker = startWorker(queued, { env })
    await expect.poll(async () => (await runsOf(s))[0], patience).toMatchObject({ status: 'succeeded' })
    await proxy[Symbol.asyncDispose]()
    const began = performance.now()
    await refuseConnections(port, 12)
    await using _proxy = await startProxyAt(port, s.place.url)
    const before = (await runsOf(s)).length
    await expect.poll(async () => (await runsOf(s)).length, patience).toBeGreaterThan(before + 1)
    const minutes = Math.ceil((performance.now() - began) / 60_000)
    const told = worker.stderr.split('\n').filter((line) => line.includes('no jobs could be taken'))
    expect(told.length).toBeGreaterThanOrEqual(1)
    expect(told.length).toBeLessThanOrEqual(minutes)
    worker.kill('SIGTERM')
    expect((await worker.ended).code).toBe(0)
  })

  test('a signal ends the wait for a database; what no wait mends ends the worker', async () => {
    await using s = await commandStage('postgres', accountOf({ gala: 3 }))
    const url = new URL(s.place.url)
    url.port = String(await freePort())
    await using worker = startWorker(queued, { env: { ...s.env, DATABASE_URL: url.href } })
    await worker.says('tries again every 5 s')
    worker.kill('SIGTERM')
    expect((await worker.ended).code).toBe(0)
    const wrong = new URL(s.place.url)
    wrong.password = 'wrong'
    expect(await s.run(['worker', ...queued], { env: { DATABASE_URL: wrong.href } })).toMatchObject({
      code: 5,
      stderr: expect.stringContaining('Check user and password'),
    })
  })

  test('doctor says what a queue lacks', async () => {
    await using s = await commandStage('postgres', accountOf({ gala: 3 }))
    const queueLine = async (env: Readonly<Record<string, string>> = {}) => {
      const { stdout } = await s.run(['doctor', '--json'], { env: { HEADCOUNT_QUEUE: '1', ...env } })
      const { checks } = JSON.parse(stdout) as { checks: readonly { name: string }[] }
      return checks.find(({ name }) => name === 'queue')
    }
    expect(await queueLine()).toMatchObject({
      state: 'ok',
      detail: expect.stringContaining('first worker makes'),
    })
    await using database = await s.place.open()
    await database.transaction((trx) =>
      trx.query(`create role doctor_${s.place.url.slice(-8).replace(/\W/g, '_')} login password 'x'`),
    )
    const role = `doctor_${s.place.url.slice(-8).replace(/\W/g, '_')}`
    const url = new URL(s.place.url)
    url.username = role
    url.password = 'x'
    await database.transaction(async (trx) => {
      await trx.query(`grant usage on schema headcount to ${role}`)
      await trx.query(`grant select on all tables in schema headcount to ${role}`)
    })
    expect(await queueLine({ DATABASE_URL: url.href })).toMatchObject({
      state: 'failed',
      exit_code: 5,
      detail: expect.stringContaining(`create schema headcount_queue authorization ${role}`),
    })
    await s.run(['migrate', '--queue'])
    expect(await queueLine()).toMatchObject({
      state: 'ok',
      detail: expect.stringContaining('no worker --queue'),
    })
    const folder = accountsFolder(['choir'])
    folder.write('accounts.yaml', 'accounts: [{ name: choir, key_file: keys/choir.key }]')
    const { HEADCOUNT_API_KEY: _, ...env } = s.env
    const ofMany = { ...env, HEADCOUNT_ACCOUNTS_FILE: folder.file, HEADCOUNT_QUEUE: '1' }
    const { stdout } = await headcount(['doctor', '--json'], { env: ofMany })
    expect((JSON.parse(stdout) as { checks: unknown[] }).checks).toContainEqual(
      expect.objectContaining({ name: 'queue', state: 'ok' }),
    )
    await using embedded = await freshPlace('pglite')
    expect(await queueLine({ DATABASE_URL: embedded.url })).toMatchObject({
      state: 'failed',
      exit_code: 2,
    })
    await database.transaction(async (trx) => {
      await trx.query(`drop owned by ${role}`)
      await trx.query(`drop role ${role}`)
    })
  })

  test('migrate --queue makes the schema; queue says that there is none before', async () => {
    await using s = await commandStage('postgres', accountOf({ gala: 3 }))
    expect((await s.run(['queue'])).stdout).toContain('There is no queue in this database')
    await using empty = await freshPlace('postgres')
    const env = { DATABASE_URL: empty.url }
    await using database = await empty.open()
    await using _queue = await openQueue(database)
    // No run has made the mirror there yet.
    expect(await s.run(['queue'], { env })).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('0 dead'),
    })
    expect(await s.run(['queue', 'show', 'north'], { env })).toMatchObject({ code: 2 })
    expect(await s.run(['queue', 'retry', '--all'], { env })).toMatchObject({ code: 0 })
    expect(await s.run(['migrate', '--queue'])).toMatchObject({ code: 0 })
    expect((await s.run(['queue'])).stdout).toContain('no worker --queue is running')
    expect(await s.run(['queue', 'show', 'north'])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('There is no account "north"'),
    })
    expect((await s.run(['sync', '-q'])).code).toBe(0)
    expect((await s.run(['queue', 'show', 'default'])).stdout).toContain('No job of account default')
    expect((await s.run(['queue', 'show', 'defualt'])).stderr).toContain('did you mean default?')
    expect((await s.run(['queue', 'retry', '--all'])).stderr).toContain('There are no dead letters')
    expect((await s.run(['queue', 'purge', '--all'])).stderr).toContain('There are no dead letters')
    expect(await s.run(['queue', 'purge', 'default'])).toMatchObject({ code: 2 })
    expect((await s.run(['queue', 'purge'])).stderr).toContain('queue purge takes the names of accounts')
  })

  test('on PGlite: exit 2, and what to do', async () => {
    await using s = await commandStage('pglite', accountOf({ gala: 3 }))
    for (const args of [['worker', '--queue'], ['queue'], ['queue', 'show', 'north'], ['migrate', '--queue']])
      expect(await s.run(args)).toMatchObject({
        code: 2,
        stderr: expect.stringContaining('A queue needs Postgres'),
      })
  })

  test('digests are nobody’s there: exit 2, and what to do', async () => {
    await using s = await commandStage('postgres', accountOf({ gala: 3 }))
    const env = { HEADCOUNT_DIGEST_SCHEDULE: '0 7 * * *', HEADCOUNT_SMTP_URL: 'smtp://127.0.0.1:1' }
    const { code, stderr } = await s.run(['worker', '--queue'], { env })
    expect({ code, stderr }).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('HEADCOUNT_DIGEST_SCHEDULE'),
    })
  })
})
