/** What a program may ask of a mirror, and change in it: the same as the commands, with the options of the library. */
import { beforeEach, describe, expect, test } from 'vitest'
import * as library from '../../../src/index.ts'
import type { DatabaseOptions } from '../../../src/index.ts'
import { accountOf, responseItem, type Account } from '../../support/accounts/account.ts'
import type { Engine } from '../../../src/db/transaction.ts'
import { engines, freshPlace } from '../../support/databases/databases.ts'
import { blankPglite, lendPglite } from '../../support/databases/lending.ts'
import { send, startFaultServer, type FaultServer } from '../../support/http/fault-server.ts'
import { openPool } from '../../support/databases/pools.ts'
import { testKey } from '../../support/http/reading.ts'

let account: Account
let service: FaultServer

beforeEach(async () => {
  account = accountOf({ gala: 3, picnic: 2 })
  service = await startFaultServer()
  service.always(send((request) => account.answer(request)))
  return () => service[Symbol.asyncDispose]()
})

const failure = (call: () => Promise<unknown>) =>
  call().then(
    () => null,
    (error: unknown) => error,
  )

const remote = () => ({ baseUrl: service.baseUrl.href, apiKey: testKey })

/** An empty mirror. On Postgres each call opens the database; on PGlite, which takes a second to open, they share one. */
async function openMirror(engine: Engine, opened: AsyncDisposableStack): Promise<DatabaseOptions> {
  if (engine === 'postgres') return { database: opened.use(await freshPlace(engine)).url }
  return { pglite: opened.use(await lendPglite()).pglite }
}

/** A database without any schema: that takes a second to make on PGlite. */
async function openBlank(engine: Engine, opened: AsyncDisposableStack): Promise<DatabaseOptions> {
  if (engine === 'postgres') return { database: opened.use(await freshPlace(engine, { blank: true })).url }
  const pglite = await blankPglite()
  opened.defer(() => pglite.close())
  return { pglite }
}

describe.each(engines)('a program with a mirror (%s)', (engine) => {
  test('asks and changes all that the commands do, and every message names its options', async () => {
    await using stack = new AsyncDisposableStack()
    const mirror = await openBlank(engine, stack)
    const missing = await failure(() => library.status(mirror))
    expect(missing).toBeInstanceOf(library.HeadcountError)

    await library.sync({ ...mirror, ...remote() })
    await library.sync({ ...mirror, ...remote(), account: 'south', createAccount: true })

    const statuses = await library.status(mirror)
    expect(statuses.map(({ account, rows }) => [account, rows.responses])).toEqual([
      ['default', 5],
      ['south', 5],
    ])
    expect(await library.status({ ...mirror, account: 'south' })).toMatchObject([{ account: 'south' }])
    const { events } = await library.eventStatus({ ...mirror, event: 'gala', account: 'south' })
    expect(events).toMatchObject([{ account: 'south', event_id: 'gala', missing: null }])
    expect(await library.runs({ ...mirror, limit: 1 })).toMatchObject([
      { account: 'south', mode: 'sync', status: 'succeeded' },
    ])
    const seen = await library.observations({ ...mirror, account: 'south' })
    expect(seen.map(({ account, points }) => [account, points.length > 5])).toEqual([['south', true]])
    const described = await library.tables(mirror)
    expect(described.views.map(({ name }) => name)).toContain('event_summary')

    const sql = 'select event_id, count(*)::int as responses from responses group by 1 order by 1'
    const counted = await library.query({ ...mirror, account: 'south', sql })
    expect(counted.columns.map(({ name }) => name)).toEqual(['event_id', 'responses'])
    expect(counted.rows).toHaveLength(2)
    const parts: number[] = []
    const series = 'select n from generate_series(1, 3000) as n'
    const streamed = await library.query({
      ...mirror,
      sql: series,
      onRows: async ({ rows }) => void parts.push(rows.length),
    })
    expect(streamed.rows).toEqual([])
    expect(parts.length).toBeGreaterThan(1)
    expect(parts.reduce((sum, count) => sum + count, 0)).toBe(3000)

    expect(await library.prune({ ...mirror, historyBefore: '1d' })).toMatchObject({
      pruned: false,
      tables: [],
    })
    await library.renameAccount({ ...mirror, account: 'south', newName: 'harbour' })
    expect((await library.listAccounts(mirror)).map(({ account }) => account)).toEqual(['default', 'harbour'])
    expect(await library.removeAccount({ ...mirror, account: 'harbour' })).toBeGreaterThan(5)
    expect(await library.listAccounts(mirror)).toMatchObject([{ account: 'default', responses: 5 }])
  })

  test('makes, lists and revokes a key, which opens its service', async () => {
    await using stack = new AsyncDisposableStack()
    const mirror = await openMirror(engine, stack)
    await library.sync({ ...mirror, ...remote() })
    const expiresAt = new Date(Date.now() + 3_600_000)
    const { id, key, account: opened } = await library.createKey({ ...mirror, label: 'calendar', expiresAt })
    expect(opened).toBe('default')

    const ask = async () => {
      const served = library.createService(mirror)
      const headers = { 'X-API-Key': key }
      const { status } = await served.fetch(new Request('http://localhost/api/v1/events', { headers }))
      await served.close()
      return status
    }
    expect(await ask()).toBe(200)
    expect(await library.listKeys(mirror)).toMatchObject([{ id, label: 'calendar', state: 'active' }])
    expect(await library.revokeKey({ ...mirror, id })).toMatchObject({ id, wasRevoked: false })
    expect(await library.revokeKey({ ...mirror, id })).toMatchObject({ id, wasRevoked: true })
    expect(await library.listKeys({ ...mirror, account: 'default' })).toMatchObject([{ state: 'revoked' }])
    expect(await ask()).toBe(401)
  })

  test('accepts a reject, and takes it back', async () => {
    await using stack = new AsyncDisposableStack()
    const mirror = await openMirror(engine, stack)
    service.always(
      send((request) => {
        const answer = account.answer(request)
        return request.path.includes('/gala/') ? { ...answer, body: '[{"id":"none"}]' } : answer
      }),
    )
    await library.sync({ ...mirror, ...remote() })
    const [reject] = await library.rejects(mirror)
    const sha256 = reject?.sha256 ?? ''
    expect(reject).toMatchObject({ account: 'default', event_id: 'gala', accepted_at: null })
    const accepted = await library.acceptRejects({ ...mirror, sha256: [sha256.slice(0, 12)] })
    expect(accepted).toMatchObject([{ account: 'default', event_id: 'gala', sha256 }])
    expect(await library.status(mirror)).toMatchObject([{ rejected: 0, accepted: 1 }])
    await library.acceptRejects({ ...mirror, sha256: [sha256], event: 'gala', revoke: true })
    expect(await library.status(mirror)).toMatchObject([{ rejected: 1, accepted: 0 }])
  })

  test('says what replies mean, what slots want, and where an account lives', async () => {
    await using stack = new AsyncDisposableStack()
    const mirror = await openMirror(engine, stack)
    account.of('gala').push(responseItem(90, { rsvp: 'perhaps' }))
    await library.sync({ ...mirror, ...remote() })
    expect(await library.status(mirror)).toMatchObject([
      { rsvp_without_meaning: [{ value: 'perhaps', responses: 1 }] },
    ])
    expect(await library.setRsvpMeaning({ ...mirror, value: 'perhaps', meaning: 'maybe' })).toEqual({
      value: 'perhaps',
      meaning: 'maybe',
      responses: 1,
      former_meaning: null,
      nearest: null,
    })
    const listed = await library.listRsvpMeanings({ ...mirror, account: 'default' })
    expect(listed.rsvp_meanings).toContainEqual({ value: 'perhaps', meaning: 'maybe', responses: 1 })
    expect(await library.removeRsvpMeaning({ ...mirror, value: 'perhaps' })).toMatchObject({
      meaning: 'maybe',
    })
    expect((await library.listRsvpMeanings(mirror)).without_meaning).toEqual([
      { value: 'perhaps', responses: 1 },
    ])

    const target = { ...mirror, event: 'gala', slot: 'Setup' }
    expect(await library.setSlotTarget({ ...target, wanted: 4 })).toMatchObject({
      account: 'default',
      former_wanted: null,
      is_unknown_slot: false,
    })
    expect(await library.listSlotTargets(mirror)).toMatchObject([
      { account: 'default', event_id: 'gala', slot_name: 'Setup', wanted: 4 },
    ])
    expect(await library.removeSlotTarget(target)).toMatchObject({ wanted: 4 })
    const wrong = await failure(() => library.setSlotTarget({ ...mirror, event: 'galla', wanted: 4 }))
    expect(wrong).toMatchObject({
      code: 'unknown_event',
      message: expect.stringContaining('gala') as string,
    })

    const zone = { ...mirror, account: 'default', timeZone: 'Asia/Tokyo' }
    expect(await library.setAccount(zone)).toMatchObject({ former_time_zone: 'UTC' })
    expect(await library.listAccounts(mirror)).toMatchObject([{ time_zone: 'Asia/Tokyo' }])
  })
})

/** Before any statement, or with the message of one: both are the same on any engine. */
test('a program is told of a wrong option by its name here, and of no flag', async () => {
  await using stack = new AsyncDisposableStack()
  const mirror = await openMirror('postgres', stack)
  await library.sync({ ...mirror, ...remote(), account: 'north' })
  await library.sync({ ...mirror, ...remote(), account: 'south', createAccount: true })
  const refused: readonly (readonly [option: string, call: () => Promise<unknown>])[] = [
    ['`account`', () => library.createKey(mirror)],
    ['`expiresAt`', () => library.createKey({ ...mirror, account: 'north', expiresAt: '2020-01-01' })],
    ['`expiresAt`', () => library.createKey({ ...mirror, account: 'north', expiresAt: 'soon' })],
    ['`label`', () => library.createKey({ ...mirror, account: 'north', label: 'x'.repeat(201) })],
    ['`historyBefore`', () => library.prune({ ...mirror, historyBefore: new Date(Number.NaN) })],
    ['`limit`', () => library.runs({ ...mirror, limit: 0 })],
    ['`limit`', () => library.listRsvpMeanings({ ...mirror, limit: 0 })],
    ['`wanted`', () => library.setSlotTarget({ ...mirror, wanted: 2 ** 31 })],
    ['`account`', () => library.setSlotTarget({ ...mirror, wanted: 3 })],
    ['`id`', () => library.revokeKey({ ...mirror, id: 1.5 })],
    ['`sha256`', () => library.acceptRejects({ ...mirror, sha256: [] })],
    ['`holdForMs`', () => library.status({ ...mirror, holdForMs: -1 })],
    ['`which`', () => library.events({ ...mirror, which: JSON.parse('"upcomming"') as 'upcoming' })],
    ['`timeoutMs`', () => library.query({ ...mirror, sql: slow, timeoutMs: 50 })],
  ]
  for (const [option, call] of refused) {
    const error = await failure(call)
    expect(error).toBeInstanceOf(library.HeadcountError)
    expect(String(error)).toContain(option)
    expect(String(error)).not.toMatch(/--[a-z]/)
  }
  expect(String(await failure(() => library.removeAccount({ ...mirror, account: 'east' })))).toContain(
    'it has north, south',
  )
})

const slow = 'select count(*) from generate_series(1, 3000000)'

test('a pool that is given stays open', async () => {
  await using place = await freshPlace('postgres', { blank: true })
  const pool = openPool(place.url)
  await library.sync({ pool, ...remote() })
  await library.createKey({ pool })
  expect(await library.status({ pool })).toHaveLength(1)
  expect((await pool.query('select 1 as one')).rows).toEqual([{ one: 1 }])
  await pool.end()
})
