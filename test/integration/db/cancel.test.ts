import { once } from 'node:events'
import { connect as connectSocket, createServer, type AddressInfo, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, onTestFinished, test, vi } from 'vitest'
import { cancelReadsOnAbort } from '../../../src/db/cancel/cancel-reads.ts'
import { connect, type Database } from '../../../src/db/connect.ts'
import { freshPlace } from '../../support/databases/databases.ts'
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
  const sockets = new Set<Socket>()
  const proxy = createServer((socket) => {
    sockets.add(socket)
    socket.on('error', () => {})
    // Only the first connection is answered.
    if (sockets.size > 1) return
    const server = connectSocket(Number(port), hostname)
    sockets.add(server)
    socket.pipe(server).pipe(socket)
  })
  proxy.listen(0, '127.0.0.1')
  await once(proxy, 'listening')
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy()
    proxy.close()
  })
  const through = new URL(url)
  through.host = `127.0.0.1:${(proxy.address() as AddressInfo).port}`
  through.pathname = pathname
  const database = await connect(through.href)
  const ends = Promise.allSettled([1, 2].map(() => read(database, 'select pg_sleep(60)')))
  await vi.waitFor(() => expect(sockets.size).toBeGreaterThan(2), { timeout: 30_000 })
  const isClosed = await Promise.race([database.close().then(() => true), sleep(5000)])
  expect(isClosed).toBe(true)
  expect((await ends).map(({ status }) => status)).toEqual(['rejected', 'rejected'])
})
