import { connect as connectSocket, createServer } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, onTestFinished, test, vi } from 'vitest'
import { cancelReadsOnAbort } from '../../../src/db/cancel/cancel-reads.ts'
import { connect, type Database } from '../../../src/db/connect.ts'
import { freshPlace } from '../../support/databases/databases.ts'
import { listenOnLoopback } from '../../support/http/loopback.ts'
import { openPool } from '../../support/databases/pools.ts'

async function placeOf() {
  const place = await freshPlace('postgres')
  onTestFinished(() => place[Symbol.asyncDispose]())
  return place
}

const read = (database: Database, statement: string) =>
  database.transaction((trx) => trx.query(statement), { readOnly: true })

test('reads that are aborted together, as many as the pool of the caller has connections, give them back', async () => {
  const { url } = await placeOf()
  const pool = openPool(url, { max: 3 })
  const locking = openPool(url, { max: 1 })
  onTestFinished(async () => {
    await Promise.all([pool.end(), locking.end()])
  })
  const lock = await locking.connect()
  await lock.query('begin')
  await lock.query('lock table headcount.events in access exclusive mode')
  const stopping = new AbortController()
  await using opened = await connect({ pool })
  await using database = cancelReadsOnAbort(opened, stopping.signal)
  const reads = [1, 2, 3].map(() => read(database, 'select count(*) from headcount.events'))
  const ends = Promise.allSettled(reads)
  await vi.waitFor(() => expect([pool.totalCount, pool.idleCount]).toEqual([3, 0]), { timeout: 30_000 })
  await sleep(100)
  stopping.abort()
  await sleep(500)
  await lock.query('rollback')
  lock.release()
  await ends
  expect((await pool.query('select 1')).rowCount).toBe(1)
  expect(pool.waitingCount).toBe(0)
})

test('what a cancel is meant for is over: the next transaction of that session goes on', async () => {
  const { url } = await placeOf()
  await using opened = await connect(url, { connections: 2 })
  const stopping = new AbortController()
  await using database = cancelReadsOnAbort(opened, stopping.signal)
  const cancelled = read(database, 'select pg_sleep(60)')
  await sleep(100)
  const next = cancelled.catch(() => read(opened, 'select pg_sleep(0.6)'))
  stopping.abort()
  expect((await next).rows).toHaveLength(1)
})

test('a connection that is being made to a server that is silent does not keep a database from being closed', async () => {
  const { url } = await placeOf()
  const { hostname, port, pathname } = new URL(url)
  // Only the first connection is answered.
  const server = createServer().once('connection', (socket) => {
    const onward = connectSocket(Number(port), hostname)
    socket.pipe(onward).pipe(socket)
    socket.on('close', () => onward.destroy())
  })
  const proxy = await listenOnLoopback(server)
  onTestFinished(() => proxy[Symbol.asyncDispose]())
  const through = new URL(url)
  through.host = `127.0.0.1:${proxy.port}`
  through.pathname = pathname
  const database = await connect(through.href)
  const ends = Promise.allSettled([1, 2].map(() => read(database, 'select pg_sleep(60)')))
  await vi.waitFor(() => expect(proxy.connections()).toBeGreaterThan(1), { timeout: 30_000 })
  const isClosed = await Promise.race([database.close().then(() => true), sleep(5000)])
  expect(isClosed).toBe(true)
  expect((await ends).map(({ status }) => status)).toEqual(['rejected', 'rejected'])
})
