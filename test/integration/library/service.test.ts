/** What a program that mounts the service may rely on; over a PGlite of its own in own-pglite.test.ts. */
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { createService, DatabaseError, migrate, sync, UsageError } from '../../../src/index.ts'
import { accountOf } from '../../support/accounts/account.ts'
import { freshPlace } from '../../support/databases/databases.ts'
import { send, startFaultServer } from '../../support/http/fault-server.ts'
import { openPool } from '../../support/databases/pools.ts'
import { startSilentServer } from '../../support/http/loopback.ts'
import { testKey } from '../../support/http/reading.ts'
import { keyOf } from '../../support/http/serving.ts'

async function mirrored(database: string): Promise<string> {
  const account = accountOf({ gala: 3 })
  await using service = await startFaultServer()
  service.always(send((request) => account.answer(request)))
  await sync({ database, apiKey: testKey, baseUrl: service.baseUrl.href })
  return await keyOf(database)
}

const asking = (key: string, path = '/events') =>
  new Request(`http://somewhere.example/api/v1${path}`, { headers: { 'X-API-Key': key } })

describe('createService', () => {
  test('answers without a server, over a pool of the caller that stays open', async () => {
    await using place = await freshPlace('postgres')
    const key = await mirrored(place.url)
    const pool = openPool(place.url)
    const service = createService({ pool })
    const answer = await service.fetch(asking(key))
    expect(await answer.json()).toMatchObject([{ id: 'gala' }])
    const etag = answer.headers.get('etag') ?? ''
    const again = new Request(asking(key), { headers: { 'X-API-Key': key, 'If-None-Match': etag } })
    expect((await service.fetch(again)).status).toBe(304)
    await service.close()
    expect((await pool.query('select 1 as one')).rows).toEqual([{ one: 1 }])
    await pool.end()
    await expect(service.fetch(asking(key))).rejects.toBeInstanceOf(UsageError)
  })

  test('streams a large list, also to one who does not want all of it', async () => {
    await using place = await freshPlace('postgres')
    const key = await mirrored(place.url)
    await using database = await place.open()
    await database.transaction((trx) =>
      trx.query(
        `insert into headcount.responses (account_id, event_id, id, kind, name, message, _run_id)
         select 1, 'gala', number, 'bare', 'Guest', repeat('x', 100), 1 from generate_series(1000, 30000) as number`,
      ),
    )
    const pool = openPool(place.url)
    const service = createService({ pool })
    const whole = await (await service.fetch(asking(key, '/events/gala/responses'))).json()
    expect(whole).toHaveLength(29_004)
    const cancelled = await service.fetch(asking(key, '/events/gala/responses'))
    await cancelled.body?.cancel()
    await expect.poll(() => pool.idleCount === pool.totalCount).toBe(true)
    await service.close()
    await pool.end()
  })

  test('keeps bodies of lists in `keptBytes`, and none in 0', async () => {
    await using place = await freshPlace('postgres')
    const key = await mirrored(place.url)
    await using database = await place.open()
    const services = [
      createService({ database: place.url }),
      createService({ database: place.url, keptBytes: 0 }),
    ]
    const lengths = () =>
      Promise.all(services.map(async (service) => (await (await service.fetch(asking(key))).text()).length))
    const [length = 0] = await lengths()
    // The version of the list stays, as no run leaves it.
    await database.transaction((trx) => trx.query(`update headcount.events set title = title || ' and more'`))
    expect(await lengths()).toEqual([length, length + ' and more'.length])
    for (const service of services) await service.close()
  })

  test('waits no longer than `closeTimeoutMs` for responses in flight', async () => {
    await using place = await freshPlace('postgres')
    const key = await mirrored(place.url)
    const pool = openPool(place.url)
    const service = createService({ pool, closeTimeoutMs: 100 })
    const { url } = await service.listen({ host: '127.0.0.1', port: 0 })
    const holder = await pool.connect()
    await holder.query('begin; lock table headcount.api_keys')
    const answer = fetch(`${url}/events`, { headers: { 'X-API-Key': key } }).catch((error: unknown) => error)
    const waiting = () =>
      holder.query(`select from pg_locks where not granted and relation = 'headcount.api_keys'::regclass`)
    await expect.poll(async () => (await waiting()).rowCount).toBe(1)
    const began = performance.now()
    await service.close()
    // A request waits 5 s for the database.
    expect(performance.now() - began).toBeLessThan(4_000)
    expect(await answer).toBeInstanceOf(Error)
    await holder.query('rollback')
    holder.release()
    await pool.end()
  })

  test('answers in a test of a program that sets the time itself', async () => {
    await using place = await freshPlace('postgres')
    const key = await mirrored(place.url)
    vi.useFakeTimers()
    onTestFinished(() => void vi.useRealTimers())
    const service = createService({ database: place.url })
    expect((await service.fetch(asking(key))).status).toBe(200)
    await service.close()
  })

  test('listens once', async () => {
    await using place = await freshPlace('postgres')
    const service = createService({ database: place.url })
    await using other = await startSilentServer()
    await expect(service.listen({ host: '127.0.0.1', port: other.port })).rejects.toThrow(
      /cannot listen on .* choose another host or port/,
    )
    const address = { host: '127.0.0.1', port: 0 }
    const twice = await Promise.allSettled([service.listen(address), service.listen(address)])
    expect(twice).toMatchObject([{ status: 'fulfilled' }, { status: 'rejected' }])
    await expect(service.listen(address)).rejects.toThrow(/^This service listens already\./)
    await service.close()
  })

  test('says what is missing, and works once it is there', async () => {
    expect(() => createService({})).toThrow(UsageError)
    await using place = await freshPlace('postgres', { blank: true })
    const service = createService({ database: place.url })
    await expect(service.fetch(asking('any'))).rejects.toBeInstanceOf(DatabaseError)
    await migrate({ database: place.url })
    expect((await service.fetch(asking('any'))).status).toBe(401)
    await service.close()
  })
})
