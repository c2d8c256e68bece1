import { expect, test } from 'vitest'
import { sync } from '../../../src/index.ts'
import { accountOf } from '../../support/accounts/account.ts'
import { send } from '../../support/http/fault-server.ts'
import { testKey } from '../../support/http/reading.ts'
import { onPostgresStage } from '../../support/runs/stage.ts'

onPostgresStage('X2 a list of errors that echo the key', (stage) => {
  test('is kept among the rejects without it', async () => {
    await using on = await stage(accountOf({ gala: 3 }))
    on.account.of('gala').push({ error: `the key ${testKey} may not see this` })
    expect(await on.sync()).toMatchObject({ exit: 8, report: { rejected: 1 } })
    const [[payload] = []] = await on.query('select payload from headcount.rejects')
    expect(payload).toBe('{"error":"the key [key removed] may not see this"}')
  })
})

onPostgresStage('a run is closed, whatever ends it', (stage) => {
  test('a fault in the caller’s own code is thrown as it is; the run has failed and the next one goes on', async () => {
    await using on = await stage(accountOf({ gala: 3, picnic: 2 }))
    const fault = new TypeError('a fault of the caller')
    const running = sync({
      database: on.url,
      apiKey: testKey,
      baseUrl: on.service.baseUrl.href,
      onProgress: () => {
        throw fault
      },
    })
    await expect(running).rejects.toBe(fault)
    await on.look()
    expect(on.mirror.lastRun).toMatchObject({
      status: 'failed',
      report: { errors: [{ event_id: null, code: 'unexpected' }] },
    })
    expect(await on.sync()).toMatchObject({ exit: 0 })
    on.expectMirrored()
  })

  test('what was not found before the service asked for a long pause has failed, and is read first next time', async () => {
    await using on = await stage(accountOf({ a: 2, b: 2, c: 2 }))
    on.service.at('/events/a/responses', send({ status: 404 }))
    on.service.at('/events/c/responses', send({ status: 429, headers: { 'Retry-After': '3600' } }))
    const { report } = await on.sync({ concurrency: 1 })
    expect(report.errors).toMatchObject([
      { event_id: 'c', code: 'paused_by_service' },
      { event_id: null, code: 'paused_by_service' },
      { event_id: 'a', code: 'not_found' },
    ])
    const before = on.service.requests.length
    expect(await on.sync({ concurrency: 1 })).toMatchObject({ exit: 0 })
    const firstRead = on.service.requests.slice(before).find(({ path }) => path.endsWith('/responses'))
    expect(firstRead?.path).toContain('/a/')
    on.expectMirrored()
  })

  test('a run of named events is marked, for it says nothing of the others', async () => {
    await using on = await stage(accountOf({ a: 2, b: 2 }))
    await on.sync()
    await on.sync({ events: ['a'] })
    const runs = await on.query('select id, named_events_only from headcount.sync_runs order by id')
    expect(runs.map(([, namedEventsOnly]) => namedEventsOnly)).toEqual([false, true])
  })

  test('a deadline longer than a timer can wait does not end the run', async () => {
    await using on = await stage(accountOf({ a: 2 }))
    expect(await on.sync({ runTimeoutMs: 30 * 24 * 3_600_000 })).toMatchObject({ exit: 0 })
  })

  test.each([
    'requestTimeoutMs',
    'runTimeoutMs',
    'maxBodyBytes',
    'inMemoryBytes',
    'chunkBytes',
    'batchRows',
    'maxStalenessMs',
    'forgetAfterMs',
  ] as const)('an option %s that is no number above 0 is refused by name', async (option) => {
    await using on = await stage(accountOf({ a: 2 }))
    for (const value of [Number.NaN, -1, 0]) {
      const { exit, error } = await on.run('sync', { [option]: value })
      expect({ exit, says: error?.message }).toEqual({ exit: 2, says: expect.stringContaining(option) })
    }
    expect(on.service.requests).toEqual([])
  })

  test.each([36_501 * 86_400_000, 1e300])(
    'personal data cannot be forgotten after %d ms, which is more than a hundred years',
    async (forgetAfterMs) => {
      await using on = await stage(accountOf({ a: 2 }))
      const { exit, error } = await on.run('sync', { forgetAfterMs })
      expect({ exit, says: error?.message }).toEqual({
        exit: 2,
        says: expect.stringMatching(
          /`forgetAfterMs` must be a number above 0, and at most 3153600000000, not/,
        ),
      })
    },
  )
})
