/** What a program that calls `sync` may rely on: nothing happens but what it asked for. */
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { setImmediate, setTimeout as sleep } from 'node:timers/promises'
import { Client, Pool } from 'pg'
import { beforeEach, describe, expect, test } from 'vitest'
import {
  InterruptedError,
  AuthenticationError,
  migrate,
  query,
  status,
  sync,
  UsageError,
  type RunOptions,
} from '../../../src/index.ts'
import { accountOf, refusal, type Account } from '../../support/accounts/account.ts'
import { engines, freshPlace } from '../../support/databases/databases.ts'
import { blankPglite } from '../../support/databases/lending.ts'
import { send, silence, startFaultServer, type FaultServer } from '../../support/http/fault-server.ts'
import type { Seen, Surroundings } from '../../support/commands/library-caller.ts'
import { openPool } from '../../support/databases/pools.ts'
import { testKey } from '../../support/http/reading.ts'

let account: Account
let service: FaultServer

beforeEach(async () => {
  account = accountOf({ gala: 3, picnic: 12 })
  service = await startFaultServer()
  service.always(send((request) => account.answer(request)))
  return () => service[Symbol.asyncDispose]()
})

/** Everything that would lead astray a library that looked at it. */
const poison = {
  HEADCOUNT_BASE_URL: 'http://poison.invalid/api/v1',
  HEADCOUNT_API_KEY: 'poison',
  HEADCOUNT_API_KEY_FILE: '/poison',
  HEADCOUNT_ACCOUNT: 'poison',
  HEADCOUNT_CONCURRENCY: 'poison',
  HEADCOUNT_LOG_LEVEL: 'debug',
  HEADCOUNT_NONSENSE: 'poison',
  DATABASE_URL: 'postgres://poison.invalid/poison',
  DATABASE_URL_FILE: '/poison',
  PGHOST: 'poison.invalid',
  PGPORT: '1',
  PGUSER: 'poison',
  PGPASSWORD: 'poison',
  PGDATABASE: 'poison',
  PGOPTIONS: '-c default_transaction_read_only=on',
  PGAPPNAME: 'poison',
  PGSSLMODE: 'require',
  PGSSLNEGOTIATION: 'direct',
  PGCLIENT_ENCODING: 'latin1',
  PGREPLICATION: 'true',
  PGBINARY: 'true',
  PGCONNECT_TIMEOUT: '1',
  PGTZ: 'Asia/Kathmandu',
  PGDATESTYLE: 'German',
  USER: 'poison',
  HTTP_PROXY: 'http://poison.invalid',
  http_proxy: 'http://poison.invalid',
}

/** The listeners that change what a process does on a signal or a failure. */
function handlers(surroundings: Surroundings | undefined): readonly string[] {
  return Object.keys(surroundings?.listeners ?? {}).filter((event) => /^SIG|uncaught|unhandled/.test(event))
}

const caller = join(import.meta.dirname, '../../support/commands/library-caller.ts')

async function callLibrary(options: RunOptions) {
  const child = fork(caller, [JSON.stringify(options)], {
    env: { PATH: process.env['PATH'], ...poison },
    execArgv: [],
    silent: true,
  })
  if (child.stdout === null || child.stderr === null) throw new Error('the caller has no streams')
  const streams = [text(child.stdout), text(child.stderr)]
  let seen: Seen | undefined
  child.on('message', (message) => {
    seen = message as Seen
  })
  const [code]: (number | null)[] = await once(child, 'close')
  return { code, seen, written: (await Promise.all(streams)).join('') }
}

describe.each(engines)('in a program of its own (%s)', (engine) => {
  test('reads no variable, writes to no stream, listens to no signal, changes nothing of pg, and lets it end', async () => {
    await using place = await freshPlace(engine)
    const options = { database: place.url, apiKey: testKey, baseUrl: service.baseUrl.href }
    // A run with something to say: an event that cannot be read.
    service.at('/events/gala/responses', send(refusal(400)))
    const { code, seen, written } = await callLibrary(options)
    expect(written).toBe('')
    expect(code).toBe(0)
    expect(seen?.report).toMatchObject({ account: 'default', status: 'partial', events: { failed: 1 } })
    expect(handlers(seen?.during)).toEqual(handlers(seen?.before))
    expect(seen?.during.pg).toBe(seen?.before.pg)
    expect(seen?.after).toEqual(seen?.before)
    const ours = seen?.variables.filter((name) => /^(HEADCOUNT|DATABASE_URL|HTTP_PROXY)/i.test(name))
    expect(ours).toEqual([])
  })
})

test('takes nothing that a database URL leaves open from the environment', async () => {
  await using place = await freshPlace('postgres')
  const url = new URL(place.url)
  const { password } = url
  url.password = ''
  const options = { database: url.href, apiKey: testKey, baseUrl: service.baseUrl.href }
  process.env['PGPASSWORD'] = password
  try {
    await expect(sync(options)).rejects.toThrow(/asks for a password, and the database URL has none/)
  } finally {
    delete process.env['PGPASSWORD']
  }
})

describe('with a pool of the caller', () => {
  const optionsFor = (pool: Pool): RunOptions => ({ pool, apiKey: testKey, baseUrl: service.baseUrl.href })
  const listenersOf = (pool: Pool) =>
    Object.fromEntries(pool.eventNames().map((event) => [String(event), pool.listenerCount(event)]))

  test('three connections are enough; it stays open and as it was', async () => {
    await using place = await freshPlace('postgres')
    const pool = openPool(place.url)
    const before = listenersOf(pool)
    const report = await sync(optionsFor(pool))
    expect(report).toMatchObject({ status: 'succeeded', rows: { responses: { inserted: 15 } } })
    expect(listenersOf(pool)).toEqual(before)
    expect(pool.ended).toBe(false)
    expect(pool.idleCount).toBe(pool.totalCount)
    // Its own statements read values as pg does, and no setting of a run is left behind.
    const { rows } = await pool.query<Record<string, unknown>>(
      `select now() as now, 1::bigint as n, current_setting('synchronous_commit') as commit, current_setting('lock_timeout') as lock`,
    )
    expect(rows).toEqual([{ now: expect.any(Date), n: '1', commit: 'on', lock: '0' }])
    await pool.end()
  })

  test('a fatal cause leaves it open too', async () => {
    await using place = await freshPlace('postgres')
    const pool = openPool(place.url)
    const before = listenersOf(pool)
    service.always(send(refusal(401)))
    await expect(sync(optionsFor(pool))).rejects.toThrow(AuthenticationError)
    expect(pool.ended).toBe(false)
    expect(listenersOf(pool)).toEqual(before)
    await pool.end()
  })

  test('forty calls at once make Node warn of no leak in the program of the caller', async () => {
    await using place = await freshPlace('postgres')
    const pool = openPool(place.url, { max: 5 })
    const before = listenersOf(pool)
    await sync(optionsFor(pool))
    const warnings: string[] = []
    const onWarning = ({ name, message }: Error) => warnings.push(`${name}: ${message}`)
    process.on('warning', onWarning)
    const { signal } = new AbortController()
    const answers = await Promise.all(Array.from({ length: 40 }, () => status({ pool, signal })))
    // Node tells a warning in the next turn.
    await setImmediate()
    process.off('warning', onWarning)
    expect(answers).toHaveLength(40)
    expect(warnings).toEqual([])
    expect(listenersOf(pool)).toEqual(before)
    await pool.end()
  })

  test('a call that ends leaves the listeners to those that go on: a lost connection is their error alone', async () => {
    await using place = await freshPlace('postgres')
    const pool = openPool(place.url)
    const before = listenersOf(pool)
    await sync(optionsFor(pool))
    // While the rows are handed over the connection has no statement in flight: pg tells of its loss by an event alone.
    const onRows = async () => {
      await status({ pool })
      expect(listenersOf(pool)).not.toEqual(before)
      const client = new Client(place.url)
      await client.connect()
      const { rowCount } = await client.query(
        `select pg_terminate_backend(pid, 10000) from pg_stat_activity where state = 'idle in transaction' and datname = current_database()`,
      )
      await client.end()
      expect(rowCount).toBe(1)
      await sleep(50)
    }
    await expect(query({ pool, sql: 'table responses', onRows })).rejects.toMatchObject({ code: 'database' })
    expect(listenersOf(pool)).toEqual(before)
    await pool.end()
  })

  test('fewer than three connections are refused with what to do', async () => {
    await using place = await freshPlace('postgres')
    const pool = openPool(place.url, { max: 2 })
    await expect(sync(optionsFor(pool))).rejects.toThrow(UsageError)
    await expect(sync(optionsFor(pool))).rejects.toThrow(
      /at most 2 connections; headcount needs 3 .*max: 3 or more/,
    )
    expect(pool.ended).toBe(false)
    await pool.end()
  })
})

test('with a PGlite of the caller: it stays open, and reads values as it did', async () => {
  await using pglite = await blankPglite()
  const options = { pglite, apiKey: testKey, baseUrl: service.baseUrl.href }
  expect(await migrate({ pglite })).not.toEqual([])
  expect(await sync(options)).toMatchObject({ status: 'succeeded', rows: { responses: { inserted: 15 } } })
  service.always(send(refusal(401)))
  await expect(sync(options)).rejects.toThrow(AuthenticationError)
  await expect(sync({ ...options, database: 'pglite:memory' })).rejects.toThrow(UsageError)
  expect(pglite.closed).toBe(false)
  const { rows } = await pglite.query<Record<string, unknown>>('select now() as now, 1::bigint as n')
  expect(rows).toEqual([{ now: expect.any(Date), n: 1 }])
})

describe('a run', () => {
  const mirror = async (place: { readonly url: string }, more: Partial<RunOptions> = {}) =>
    sync({ database: place.url, apiKey: testKey, baseUrl: service.baseUrl.href, ...more })

  test('returns partial and held as reports', async () => {
    await using place = await freshPlace('postgres')
    service.at('/events/gala/responses', send(refusal(400)))
    expect(await mirror(place)).toMatchObject({ status: 'partial', events: { failed: 1 } })
    account.of('picnic').splice(0)
    expect(await mirror(place)).toMatchObject({ status: 'held', held: 12, events: { failed: 0 } })
  })

  test('ends by the signal of the caller, with the report on the error', async () => {
    await using place = await freshPlace('postgres')
    const controller = new AbortController()
    service.at('/events/gala/responses', () => controller.abort())
    const error = await mirror(place, { signal: controller.signal }).catch((reason: unknown) => reason)
    expect(error).toBeInstanceOf(InterruptedError)
    expect(error).toMatchObject({ report: { status: 'interrupted' } })
  })

  test('sends its heartbeat every 5 s while it waits', async () => {
    await using place = await freshPlace('postgres')
    service.at('/events/gala/responses', silence)
    const controller = new AbortController()
    const began = performance.now()
    const alive = Promise.withResolvers<number>()
    const run = mirror(place, {
      signal: controller.signal,
      onAlive: () => alive.resolve(performance.now() - began),
    })
    expect(await alive.promise).toBeLessThan(20_000)
    controller.abort()
    await expect(run).rejects.toThrow(InterruptedError)
  })

  test('two ways to the database, or none, are refused', async () => {
    await expect(mirror({ url: 'pglite:memory' }, { pool: new Pool() })).rejects.toThrow(UsageError)
    const none = { apiKey: testKey, baseUrl: service.baseUrl.href }
    await expect(sync(none)).rejects.toThrow('Give either the option `database` or the option `pool`')
  })
})
