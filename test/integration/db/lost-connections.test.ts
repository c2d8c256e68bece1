/** Connections that Postgres ends when nobody expects it, the moment at which they become ready among them. */
import { once } from 'node:events'
import { setTimeout } from 'node:timers/promises'
import { Pool } from 'pg'
import { describe, expect, test } from 'vitest'
import { connect } from '../../../src/db/connect.ts'
import { sync } from '../../../src/index.ts'
import { accountOf } from '../../support/accounts/account.ts'
import { commandStage } from '../../support/commands/command-stage.ts'
import { startEndingProxy } from '../../support/databases/database-proxy.ts'
import { onServer } from '../../support/databases/databases.ts'
import { addLargeList } from '../../support/accounts/many-accounts.ts'
import { startServe, startWorker } from '../../support/commands/process.ts'
import { testKey } from '../../support/http/reading.ts'
import { onPostgresStage, pause } from '../../support/runs/stage.ts'

const terminated = /terminating connection due to administrator command.*try again when it is up/
const all = () => true

onPostgresStage('D18 a connection that ends in the packet in which it becomes ready', (stage) => {
  test.each([1, 2])('that of number %i of a run: exit 5, and the next run converges', async (meant) => {
    const events = Object.fromEntries(Array.from({ length: 12 }, (_, place) => [`event ${place}`, 3]))
    await using on = await stage(accountOf(events))
    await using proxy = await startEndingProxy(on.url)
    proxy.end((number) => number === meant)
    // With a batch for each event a run needs more than one connection.
    const { exit, error } = await on.run('sync', { database: proxy.url, batchRows: 1 })
    expect({ exit, ended: proxy.ended }).toEqual({ exit: 5, ended: 1 })
    expect(error?.message).toMatch(terminated)
    proxy.end(null)
    expect(await on.run('sync', { database: proxy.url })).toMatchObject({ exit: 0 })
    await on.look()
    on.expectMirrored()
  })

  test('at the end of a run: the next run of this process goes on at once, for that one is over', async () => {
    await using on = await stage(accountOf({ gala: 3 }))
    await using proxy = await startEndingProxy(on.url)
    const paused = pause(on, '/events/gala/responses')
    const first = on.run('sync', { database: proxy.url })
    await paused.reached
    // A run that goes on keeps its account, also in its own process.
    expect(await on.run('sync', { database: proxy.url })).toMatchObject({ exit: 9 })
    proxy.end(all)
    await endConnections(on.url, 1)
    paused.release()
    expect(await first).toMatchObject({ exit: 5 })
    proxy.end(null)
    expect(await on.run('sync', { database: proxy.url })).toMatchObject({ exit: 0 })
    expect(await on.query('select status from headcount.sync_runs order by id')).toEqual([
      ['abandoned'],
      ['succeeded'],
    ])
    await on.look()
    on.expectMirrored()
  })

  test('of a pool that is given: the same error, and the pool is left as it was', async () => {
    await using on = await stage(accountOf({ gala: 3 }))
    await using proxy = await startEndingProxy(on.url)
    const pool = new Pool({ connectionString: proxy.url, max: 4 })
    const listeners = () => pool.eventNames().map((name) => [name, pool.listenerCount(name)])
    const before = listeners()
    const options = { pool, apiKey: testKey, baseUrl: on.service.baseUrl.href }
    for (const which of [all, null, all, null]) {
      proxy.end(which)
      if (which === null) expect(await sync(options)).toMatchObject({ status: 'succeeded' })
      else
        await expect(sync(options)).rejects.toMatchObject({
          exitCode: 5,
          message: expect.stringMatching(terminated),
        })
      expect(listeners()).toEqual(before)
      if (which === null) await closeIdle(pool)
    }
    await pool.end()
  })
})

/** Ends the connections that rest, so that the next one is new; what is left of listeners would show on them. */
async function closeIdle(pool: Pool): Promise<void> {
  const clients = await Promise.all(Array.from({ length: pool.totalCount }, () => pool.connect()))
  for (const client of clients) {
    expect(client.listenerCount('error')).toBe(0)
    const removed = once(pool, 'remove')
    client.release(true)
    await removed
  }
}

describe('D18 while connections end in the packet in which they become ready', () => {
  test('sync ends with 5 and says what to do; the worker goes on at the next tick', async () => {
    await using s = await commandStage('postgres', accountOf({ gala: 3 }))
    await using proxy = await startEndingProxy(s.place.url)
    proxy.end(all)
    const env = { ...s.env, DATABASE_URL: proxy.url }
    const { code, stderr } = await s.run(['sync', '--quiet'], { env })
    expect({ code, stderr }).toEqual({ code: 5, stderr: expect.stringMatching(terminated) as string })
    await using worker = startWorker(['--schedule', '* * * * * *'], { env })
    expect(await worker.says('terminating connection')).toMatchObject({ level: 'error', code: 'database' })
    proxy.end(null)
    await worker.says('sync succeeded')
    worker.kill('SIGTERM')
    expect((await worker.ended).code).toBe(0)
  })

  test('D19 serve answers 503, and then answers again; a hundred ended connections leave no answer cut and called whole', async () => {
    await using s = await commandStage('postgres', accountOf({ gala: 3 }))
    await s.run(['sync', '--quiet'])
    await using database = await connect(s.place.url)
    await addLargeList(database, { account: 'default', event: 'large', rows: 20_000 })
    const key = (await s.run(['keys', 'create'])).stdout.trim()
    await using proxy = await startEndingProxy(s.place.url)
    await using served = startServe(['--quiet'], { env: { ...s.env, DATABASE_URL: proxy.url } })
    const line = /^listening on (\S+)$/m
    await expect.poll(() => served.stderr, { timeout: 20_000 }).toMatch(line)
    const ask = askAt(line.exec(served.stderr)?.[1] ?? '', key)
    expect(await ask('/events')).toBe('whole 200 of 2')

    proxy.end(all)
    await endConnections(s.place.url, 1)
    expect(await ask('/events')).toBe('whole 503')
    expect(proxy.ended).toBeGreaterThan(0)
    proxy.end(null)
    expect(await ask('/events')).toBe('whole 200 of 2')

    const stopping = new AbortController()
    const lists = { '/events/gala/responses': 3, '/events/large/responses': 20_000 }
    const outcomes = Object.entries(lists).map(async ([path, length]) => {
      const seen = new Set<string>()
      while (!stopping.signal.aborted) seen.add(await ask(path))
      expect(['whole 503', `whole 200 of ${length}`, 'cut 200', 'none']).toEqual(
        expect.arrayContaining([...seen]),
      )
      return seen
    })
    await endConnections(s.place.url, 100)
    stopping.abort()
    await Promise.all(outcomes)
    expect(await ask('/events/large/responses')).toBe('whole 200 of 20000')
    served.kill('SIGTERM')
    expect((await served.ended).code).toBe(0)
  })
})

/** What came of asking: a whole answer with its status and length, one that broke off, or none. */
function askAt(url: string, key: string) {
  return async (path: string): Promise<string> => {
    const answer = await fetch(`${url}${path}`, { headers: { 'X-API-Key': key } }).catch(() => null)
    if (answer === null) return 'none'
    const body: unknown = await answer.text().then(
      (text) => JSON.parse(text),
      () => null,
    )
    if (body === null) return `cut ${answer.status}`
    return Array.isArray(body) ? `whole ${answer.status} of ${body.length}` : `whole ${answer.status}`
  }
}

/** Terminates so many connections to a mirror other than idle ones of the test's own, as they come; waits for the end of one alone. */
async function endConnections(url: string, count: number): Promise<void> {
  const name = new URL(url).pathname.slice(1)
  await onServer(`
    do $$ declare ended int := 0; found_now int; begin
      for attempt in 1..20000 loop
        select count(pg_terminate_backend(pid, ${count === 1 ? 5000 : 0})) into found_now
          from pg_stat_activity where datname = '${name}' and backend_type = 'client backend';
        ended := ended + found_now;
        exit when ended >= ${count};
        perform pg_sleep(0.005);
        perform pg_stat_clear_snapshot();
      end loop;
      if ended < ${count} then raise 'only % connections were ended', ended; end if;
    end $$`)
  await setTimeout(50)
}
