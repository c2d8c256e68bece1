/** What becomes of a call that its signal ends. */
import { mkdtempDisposable } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql, type RawBuilder } from 'kysely'
import { expect, test } from 'vitest'
import { connect, type Database } from '../../../src/db/connect.ts'
import { SCHEMA_VERSION } from '../../../src/db/migrate.ts'
import {
  createKey,
  exportViews,
  InterruptedError,
  listKeys,
  migrate,
  query,
  removeAccount,
  report,
  sendDigest,
  status,
  sync,
  type DatabaseOptions,
} from '../../../src/index.ts'
import { accountOf } from '../../support/accounts/account.ts'
import { send, startFaultServer } from '../../support/http/fault-server.ts'
import { startSilentServer } from '../../support/http/loopback.ts'
import { testKey } from '../../support/http/reading.ts'
import { freshPlace, onBoth } from '../../support/databases/databases.ts'
import { lendPglite } from '../../support/databases/lending.ts'
import { openPool } from '../../support/databases/pools.ts'

/** How many others of this database have a statement under way that `which` is true of. */
async function active({ kysely }: Database, which: RawBuilder<boolean>): Promise<number | undefined> {
  const { rows } = await sql<{ n: number }>`
    select count(*)::int as n from pg_stat_activity
     where datname = current_database() and state = 'active' and pid <> pg_backend_pid()
       and ${which}`.execute(kysely)
  return rows[0]?.n
}

async function synced(database: DatabaseOptions): Promise<void> {
  const account = accountOf({ gala: 3 })
  await using service = await startFaultServer()
  service.always(send((request) => account.answer(request)))
  await sync({ ...database, apiKey: testKey, baseUrl: service.baseUrl.href })
}

test.each(['its address', 'a pool of the caller'])('a query by %s is ended in Postgres', async (how) => {
  await using place = await freshPlace('postgres')
  await synced({ database: place.url })
  await using database = await connect(place.url)
  const pool = openPool(place.url)
  const mirror = how === 'its address' ? { database: place.url } : { pool }
  const controller = new AbortController()
  const { signal } = controller
  const sleeping = () => active(database, sql<boolean>`wait_event = 'PgSleep'`)
  const call = query({ ...mirror, sql: 'select pg_sleep(600)', timeoutMs: 600_000, signal })
  const ended = expect(call).rejects.toThrow(InterruptedError)
  await expect.poll(sleeping, { timeout: 20_000 }).toBe(1)
  controller.abort()
  await ended
  await expect.poll(sleeping, { timeout: 20_000 }).toBe(0)
  // Nobody waits for the answer to the cancel, which may come after that of the query it cancelled.
  await expect.poll(() => pool.totalCount - pool.idleCount, { timeout: 20_000 }).toBe(0)
  await pool.end()
})

/** A call that waits for a lock is ended by its signal, and its statement with it. */
async function expectEndAtLock(
  url: string,
  lock: string,
  call: (mirror: { readonly database: string; readonly signal: AbortSignal }) => Promise<unknown>,
): Promise<void> {
  await using database = await connect(url)
  const pool = openPool(url)
  const holder = await pool.connect()
  await holder.query(`begin; ${lock}`)
  const controller = new AbortController()
  const ended = expect(call({ database: url, signal: controller.signal })).rejects.toThrow(InterruptedError)
  const waiting = () => active(database, sql<boolean>`wait_event_type = 'Lock'`)
  await expect.poll(waiting, { timeout: 20_000 }).toBe(1)
  controller.abort()
  await ended
  await expect.poll(waiting, { timeout: 20_000 }).toBe(0)
  await holder.query('rollback')
  holder.release()
  await pool.end()
}

test('a call that waits for a lock ends at once, and its statement with it', async () => {
  await using place = await freshPlace('postgres')
  await expectEndAtLock(place.url, 'lock table headcount.api_keys', listKeys)
})

test('a call that waits for a folder of another process ends at once', async () => {
  await using place = await freshPlace('pglite')
  await using _holder = await connect(place.url)
  const began = performance.now()
  const mirror = () => ({ database: place.url, signal: AbortSignal.timeout(100) })
  const service = { apiKey: testKey, baseUrl: 'http://127.0.0.1:9/api/v1' }
  const calls = [migrate(mirror()), listKeys(mirror()), sync({ ...service, ...mirror() })]
  for (const call of await Promise.allSettled(calls))
    expect(call).toMatchObject({ reason: expect.any(InterruptedError) })
  expect(performance.now() - began).toBeLessThan(8000)
})

test('a migration that waits for the lock of another one ends at once, and its statement with it', async () => {
  await using place = await freshPlace('postgres', { blank: true })
  await expectEndAtLock(place.url, 'select pg_advisory_xact_lock(6283185307)', migrate)
  expect(await migrate({ database: place.url })).not.toEqual([])
})

test('a call that writes ends at once while it waits to bring the schema up to date', async () => {
  await using place = await freshPlace('postgres')
  await using database = await place.open()
  await database.transaction((trx) =>
    trx.query('delete from headcount.schema_migrations where number = $1', [SCHEMA_VERSION]),
  )
  await expectEndAtLock(place.url, 'select pg_advisory_xact_lock(6283185307)', createKey)
})

test('a server that does not answer is left at once', async () => {
  await using silent = await startSilentServer()
  const began = performance.now()
  const signal = AbortSignal.timeout(100)
  const call = status({ database: `postgres://ada@127.0.0.1:${silent.port}/mirror`, signal })
  await expect(call).rejects.toThrow(InterruptedError)
  expect(performance.now() - began).toBeLessThan(8000)
})

onBoth('a program with rows', (fresh) => {
  test('gets no more of them after the signal', async () => {
    await using mirror = await fresh()
    await synced({ opened: mirror.database })
    const controller = new AbortController()
    const parts: number[] = []
    const call = query({
      opened: mirror.database,
      sql: 'select n from generate_series(1, 200000) as n',
      signal: controller.signal,
      onRows: ({ rows }) => {
        parts.push(rows.length)
        controller.abort()
      },
    })
    await expect(call).rejects.toThrow(InterruptedError)
    await mirror.database.transaction((trx) => trx.query('select 1'))
    expect(parts).toHaveLength(1)
  })
})

test('the error says what becomes of the work, also when it has not begun', async () => {
  await using place = await freshPlace('pglite')
  await using _holder = await connect(place.url)
  await using folder = await mkdtempDisposable(join(tmpdir(), 'headcount-test-'))
  const mirror = () => ({ database: place.url, signal: AbortSignal.timeout(100) })
  const calls = {
    'The report was interrupted; the file stays as it was.': report(mirror()),
    'The export was interrupted; the folder stays as it was.': exportViews({ ...mirror(), out: folder.path }),
    'The removal was interrupted; the next call continues it.': removeAccount({
      ...mirror(),
      account: 'default',
    }),
    'The delivery was interrupted; the next call sends what was not sent.': sendDigest({
      ...mirror(),
      to: 'http://127.0.0.1:9/',
    }),
  }
  for (const [message, call] of Object.entries(calls)) await expect.soft(call).rejects.toThrow(message)
})

test('what writes is done, or has not begun', async () => {
  await using lent = await lendPglite()
  const mirror = { pglite: lent.pglite }
  const signal = AbortSignal.abort()
  await expect(createKey({ ...mirror, signal })).rejects.toThrow(InterruptedError)
  expect(await listKeys({ ...mirror, signal: new AbortController().signal })).toEqual([])
})
