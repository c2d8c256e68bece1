/** What a program in JavaScript is told of options that cannot be used: each function by the name of the option, before anything is opened. */
import { Client } from 'pg'
import { describe, expect, test, vi } from 'vitest'
import * as library from '../../../src/index.ts'
import { InterruptedError, MirrorNotFoundError, UsageError } from '../../../src/index.ts'
import { accountOf } from '../../support/accounts/account.ts'
import { freshPlace } from '../../support/databases/databases.ts'
import { send, startFaultServer } from '../../support/http/fault-server.ts'
import { testKey } from '../../support/http/reading.ts'
import { keyOf } from '../../support/http/serving.ts'

/** A value of each option that a call cannot do without. */
const values = {
  account: 'default',
  apiKey: 'key',
  baseUrl: 'http://127.0.0.1:1/api/v1',
  email: 'ada@example.org',
  event: 'gala',
  file: '/nowhere/mirror.backup',
  format: 'csv',
  historyBefore: '90d',
  id: 1,
  meaning: 'coming',
  newName: 'other',
  out: '/nowhere/export',
  personKey: 'a key of 32 characters or of more than that',
  role: 'reader',
  sha256: ['0123456789abcdef'],
  sql: 'select 1',
  suppressions: {},
  timeZone: 'UTC',
  to: 'pglite:memory',
  value: 'yes',
  view: 'events',
  wanted: 2,
  who: 'ada',
} as const

type Name = keyof typeof values

const required: Readonly<Record<string, readonly Name[]>> = {
  acceptRejects: ['sha256'],
  addReader: ['role'],
  backfill: ['apiKey', 'baseUrl'],
  backupMirror: ['file'],
  createLink: ['view', 'format'],
  erasePerson: ['email', 'personKey'],
  eraseSuppressed: ['suppressions', 'personKey'],
  event: ['event'],
  eventStatus: ['event'],
  exportViews: ['out'],
  moveMirror: ['to'],
  person: ['email'],
  planErasure: ['email'],
  prune: ['historyBefore'],
  query: ['sql'],
  removeAccount: ['account'],
  removeReader: ['role'],
  removeRsvpMeaning: ['value'],
  renameAccount: ['account', 'newName'],
  restoreMirror: ['file'],
  restorePerson: ['email', 'personKey'],
  revokeKey: ['id'],
  revokeLink: ['id'],
  sendDigest: ['to'],
  setAccount: ['account', 'timeZone'],
  setRsvpMeaning: ['value', 'meaning'],
  setSlotTarget: ['wanted'],
  sync: ['apiKey', 'baseUrl'],
  verify: ['apiKey', 'baseUrl'],
  who: ['who'],
}

const functions = Object.entries(library).filter(
  ([name, value]) => typeof value === 'function' && !/^[A-Z]/.test(name),
)

/** As a program in JavaScript calls it: nothing says what may be given. */
async function called(name: string, ...args: readonly unknown[]): Promise<unknown> {
  const value: unknown = Reflect.get(library, name)
  if (typeof value !== 'function') throw new RangeError(`There is no function ${name}.`)
  return await Reflect.apply(value, undefined, args)
}

async function expectRefused(call: Promise<unknown>, message: RegExp): Promise<void> {
  const error = await call.catch((thrown: unknown) => thrown)
  expect(error).toBeInstanceOf(UsageError)
  expect(String(error)).toMatch(message)
}

describe('an option that cannot be used is told by its name', () => {
  test('of every function that needs some', () => {
    const names = functions.map(([name]) => name)
    expect(Object.keys(required).filter((name) => !names.includes(name))).toEqual([])
    expect(names.length).toBeGreaterThan(40)
  })

  test.each(functions)('%s', async (name) => {
    await expectRefused(called(name), /The options must be an object, not undefined\./)
    const needed = required[name] ?? []
    for (const missing of needed) {
      const given = needed.filter((one) => one !== missing).map((one) => [one, values[one]] as const)
      await expectRefused(
        called(name, { database: 'pglite:memory', ...Object.fromEntries(given) }),
        new RegExp(`The option \`${missing}\` must be .+, not undefined\\.`),
      )
    }
    const whole = Object.fromEntries(needed.map((one) => [one, values[one]]))
    for (const wrong of ['database', 'account', 'logger', 'signal', 'force', ...needed])
      await expectRefused(
        called(name, { database: 'pglite:memory', ...whole, [wrong]: () => 'secret' }),
        new RegExp(`The option \`${wrong}\` must be .+, not a function\\.`),
      )
  })

  test('one that no call has, with the one that is written most like it', async () => {
    for (const [name] of functions) {
      const whole = Object.fromEntries((required[name] ?? []).map((one) => [one, values[one]]))
      const call = called(name, { database: 'pglite:memory', ...whole, timeout: 'secret' })
      await expectRefused(call, /There is no option `timeout` \(did you mean timeoutMs\?\)\.$/)
    }
    const status = (given: object) => called('status', { database: 'pglite:./nowhere-at-all', ...given })
    await expectRefused(status({ foo: 1 }), /There is no option `foo`\.$/)
    await expectRefused(status({ constructor: 1 }), /There is no option `constructor`\.$/)
    // What several calls share is spread: options of another call, and those that are not given.
    const others = { sql: 'select 1', timeoutMs: 1000, apiKey: 'key', foo: undefined }
    await expect(status(others)).rejects.toBeInstanceOf(MirrorNotFoundError)
  })

  test('a text or a list with U+0000, as an address of a program may have it (`%00`): the database would refuse it as its own fault', async () => {
    for (const [name] of functions) {
      const needed = required[name] ?? []
      const whole = Object.fromEntries(needed.map((one) => [one, values[one]]))
      for (const wrong of ['account', 'event', 'timeZone', 'events'])
        await expectRefused(
          called(name, {
            database: 'pglite:memory',
            ...whole,
            [wrong]: wrong === 'events' ? ['a\0b'] : 'a\0b',
          }),
          new RegExp(`The option \`${wrong}\` must not contain the character U\\+0000\\.$`),
        )
    }
  })

  test('null for an account or an event is no option, as for a selection of an export', async () => {
    const whole = { database: 'pglite:./nowhere-at-all', out: '/nowhere/export', account: null, event: null }
    await expect(called('exportViews', whole)).rejects.toBeInstanceOf(MirrorNotFoundError)
    await expectRefused(
      called('setAccount', { ...whole, timeZone: 'UTC' }),
      /`account` must be a string, not null/,
    )
  })

  test('an address that is an object, a list that is a string, and a number that is none', async () => {
    const run = { database: 'pglite:memory', apiKey: 'key', baseUrl: values.baseUrl }
    const url = new URL(values.baseUrl)
    await expectRefused(called('sync', { ...run, baseUrl: url }), /`baseUrl` must be a string, not an object/)
    await expectRefused(
      called('sync', { ...run, events: 'gala' }),
      /`events` must be an array of strings, not a string/,
    )
    await expectRefused(
      called('sync', { ...run, concurrency: '8' }),
      /`concurrency` must be a number, not a str/,
    )
    await expectRefused(
      called('sync', { ...run, concurrency: 1e9 }),
      /a whole number from 1 to 256, not 1000000000/,
    )
    await expectRefused(
      called('sync', { ...run, apiKey: ['secret'] }),
      /`apiKey` must be a string, not an array\.$/,
    )
    await expectRefused(
      called('createRunPool', { database: 'pglite:memory', requestsPerHost: 1e9 }),
      /`requestsPerHost` must be a whole number from 1 to 256/,
    )
  })
})

describe('a number or a Date beyond what a timer or a database can hold', () => {
  test('a time for `query` that Postgres and timers of Node hold is kept, a longer one refused', async () => {
    await using place = await freshPlace('postgres')
    const query = (timeoutMs: number) =>
      library.query({ database: place.url, sql: 'select 1 as one', timeoutMs })
    await expect(query(2_147_483_647)).rejects.toThrow('Nothing was read into this mirror yet')
    await expectRefused(
      query(Number.MAX_SAFE_INTEGER),
      /`timeoutMs` must be a whole number from 1 to 2147483647, not/,
    )
  })

  test('timers of a run and of a service are bounded: one that is too long would fire at once', async () => {
    const overflows = vi.fn<(warning: Error) => void>()
    process.on('warning', overflows)
    try {
      await using place = await freshPlace('postgres')
      await using service = await startFaultServer()
      service.always(send((request) => accountOf({ gala: 3 }).answer(request)))
      const longest = Number.MAX_SAFE_INTEGER
      const run = { database: place.url, apiKey: testKey, baseUrl: service.baseUrl.href }
      expect(await library.sync({ ...run, requestTimeoutMs: longest, runTimeoutMs: longest })).toMatchObject({
        status: 'succeeded',
      })
      const served = library.createService({ database: place.url, closeTimeoutMs: longest })
      await served.listen({ host: '127.0.0.1', port: 0 })
      await served.close()
      await new Promise((resolve) => setTimeout(resolve, 20))
      expect(overflows).not.toHaveBeenCalled()
    } finally {
      process.off('warning', overflows)
    }
  })

  test.each([
    ['changes', 'since', {}],
    ['digest', 'since', {}],
    ['createKey', 'expiresAt', {}],
    ['createLink', 'expiresAt', { view: 'events', format: 'csv' }],
    ['prune', 'historyBefore', {}],
  ])('a Date for %s whose year has more than four digits', async (name, option, others) => {
    const whole = { database: 'pglite:./nowhere-at-all', ...others }
    for (const at of [8.64e15, -8.64e15])
      await expectRefused(
        called(name, { ...whole, [option]: new Date(at) }),
        new RegExp(`\`${option}\` must be a Date of the years 1 to 9999, not of -?27`),
      )
  })
})

test('a service that is told no host listens to nobody: Node would take every address of the machine', async () => {
  await using place = await freshPlace('postgres')
  const service = library.createService({ database: place.url })
  const listen = (address?: unknown) => service.listen(address as Parameters<typeof service.listen>[0])
  for (const address of [undefined, {}, { port: 0 }, { port: 0, host: '' }, { port: 0, host: null }])
    await expectRefused(listen(address), /`host` of `listen` must be a host or an address: 127\.0\.0\.1 for/)
  for (const port of [undefined, '8080', 1.5, -1, 65_536])
    await expectRefused(
      listen({ host: '127.0.0.1', port }),
      /`port` of `listen` must be a whole number from 0/,
    )
  expect(await listen({ host: '127.0.0.1', port: 0 })).toMatchObject({ port: expect.any(Number) as number })
  await service.close()
})

const interruptible = functions.filter(([name]) => !['createRunPool', 'createService'].includes(name))

test.each(interruptible)('%s that its signal ends throws an InterruptedError', async (name) => {
  const whole = Object.fromEntries((required[name] ?? []).map((one) => [one, values[one]]))
  const to = name === 'sendDigest' ? { to: 'https://hooks.example/1' } : {}
  for (const reason of [undefined, new RangeError('enough')]) {
    const signal = AbortSignal.abort(reason)
    const call = called(name, { database: 'pglite:memory', ...whole, ...to, signal })
    await expect(call).rejects.toBeInstanceOf(InterruptedError)
  }
})

describe('an async callback that fails', () => {
  test('ends neither the program nor the run, nor the service', async () => {
    const unhandled = vi.fn<(reason: unknown) => void>()
    process.on('unhandledRejection', unhandled)
    try {
      const fail: () => unknown = () => Promise.reject(new Error('The callback fails.'))
      await using place = await freshPlace('postgres')
      const account = accountOf({ gala: 3 })
      await using service = await startFaultServer()
      service.always(send((request) => account.answer(request)))
      const run = { database: place.url, apiKey: testKey, baseUrl: service.baseUrl.href }
      expect(await library.sync({ ...run, onProgress: fail, onAlive: fail })).toMatchObject({
        status: 'succeeded',
      })
      await using pool = library.createRunPool({ database: place.url })
      const { database: _, ...pooled } = run
      expect(await pool.sync({ ...pooled, onTurn: fail })).toMatchObject({ status: 'succeeded' })
      const served = library.createService({ database: place.url, onRequest: fail, onError: fail })
      const { url } = await served.listen({ host: '127.0.0.1', port: 0 })
      const answer = await fetch(`${url}/events`, { headers: { 'X-API-Key': await keyOf(place.url) } })
      expect(answer.status).toBe(200)
      await answer.text()
      await served.close()
      await new Promise((resolve) => setTimeout(resolve, 20))
      expect(unhandled).not.toHaveBeenCalled()
    } finally {
      process.off('unhandledRejection', unhandled)
    }
  })
})

test('a Client of pg is no pool', async () => {
  const status = library.status as (options: object) => Promise<unknown>
  const refused = status({ pool: new Client('postgres://127.0.0.1:1/events') })
  await expect(refused).rejects.toThrow(
    new UsageError('The option `pool` must be a Pool of pg, not an object.'),
  )
})
