/** A list that is read from the database while it is sent keeps a connection: not for longer than its client deserves. */
import { once } from 'node:events'
import type { Socket } from 'node:net'
import { gunzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { connect } from '../../../../src/db/connect.ts'
import type { Transaction } from '../../../../src/db/transaction.ts'
import { deleteEvents } from '../../../../src/load/write/delete.ts'
import { deleteAccount } from '../../../../src/mirror/accounts/remove.ts'
import type { HttpServiceOptions } from '../../../../src/server/http-service.ts'
import { freshMirror, type Mirror, noteEngine, onServer } from '../../../support/databases/databases.ts'
import { lendPglite } from '../../../support/databases/lending.ts'
import { listening, mirrorStore } from '../../../support/http/http-service.ts'
import { addAccount, addLargeList, type MirroredAccount } from '../../../support/accounts/many-accounts.ts'
import { closing, exchange, openSocket, requestText } from '../../../support/http/raw-http.ts'
import { expectSilence } from '../../../support/mirror/shared-mirror.ts'

/** Of 250 characters each: more than is read at once. */
const ROWS = 12_000
const path = '/api/v1/events/large/responses'
/** 50 MB: more than the sockets between the two take in while nobody reads. */
const endless = path.replace('large', 'endless')

let mirror: Mirror
let account: MirroredAccount

beforeAll(async () => {
  mirror = await freshMirror('postgres')
  account = await addAccount(mirror.database, 'north')
  await addLargeList(mirror.database, { account: 'north', event: 'large', rows: ROWS })
  await addLargeList(mirror.database, { account: 'north', event: 'endless', rows: 5_000, message: 10_000 })
})
afterAll(() => mirror[Symbol.asyncDispose]())
expectSilence()

const start = (options: Partial<HttpServiceOptions> = {}) => listening(mirrorStore(mirror.database), options)

function asked(...headers: (readonly [string, string])[]): string {
  return requestText(path, [['X-API-Key', account.key], ...headers])
}

/** A client that has read the beginning of the endless list, and no more. */
async function beginReading(port: number): Promise<Socket> {
  const socket = await openSocket(port, requestText(endless, [['X-API-Key', account.key], closing]))
  const [piece] = await once(socket, 'data')
  expect(String(piece)).toMatch(/^HTTP\/1\.1 200 /)
  socket.pause()
  return socket
}

/** Another state of a list. */
const another = 'list_version = gen_random_uuid()'

/** The end of the list, and of its chunks. */
const END = ']\r\n0\r\n\r\n'

/** The end of what still comes on it. */
async function restOf(client: Socket): Promise<string> {
  let last = ''
  client.on('data', (piece) => (last = (last + String(piece)).slice(-100)))
  client.resume()
  // One that is cut is reset.
  await new Promise((resolve) => client.once('close', resolve))
  return last
}

/** How many connections are in a transaction. */
async function busy(): Promise<number> {
  const { rows } = await mirror.database.transaction((trx) =>
    trx.query(`select count(*)::int from pg_stat_activity
                where datname = current_database() and pid <> pg_backend_pid()
                  and backend_type = 'client backend' and xact_start is not null`),
  )
  return Number(rows[0]?.[0])
}

const untilBusy = (count: number) =>
  vi.waitFor(async () => expect(await busy()).toBe(count), { timeout: 20_000, interval: 20 })

function expectWhole(body: string | undefined): void {
  const ids = (JSON.parse(body ?? '') as { id: number }[]).map(({ id }) => id)
  expect(ids).toEqual(Array.from({ length: ROWS }, (_, place) => place + 1))
}

describe('X7 a large list', () => {
  test('comes whole in chunks, to HTTP/1.0 until the connection ends, compressed when asked for', async () => {
    const { port, errors } = await start()
    const [answer] = await exchange(port, asked(closing))
    expect(answer?.headers).toMatchObject({ 'transfer-encoding': 'chunked', etag: expect.any(String) })
    expectWhole(answer?.body)

    const old = await exchange(port, asked().replace('HTTP/1.1', 'HTTP/1.0'))
    expect(old.map(({ headers }) => [headers['transfer-encoding'], headers['connection']])).toEqual([
      [undefined, 'close'],
    ])
    expectWhole(old[0]?.body)

    const service = await start()
    const headers = { 'X-API-Key': account.key, 'Accept-Encoding': 'gzip' }
    const packed = await service.service.fetch(new Request(`http://a${path}`, { headers }))
    expectWhole(String(gunzipSync(await packed.arrayBuffer())))
    await untilBusy(0)
    expect(errors).toEqual([])
  })

  test('whose client goes away in the middle ends, and its connection is free', async () => {
    const { port, errors } = await start()
    const clients = [await beginReading(port), await beginReading(port)]
    await untilBusy(2)
    for (const client of clients) client.destroy()
    await untilBusy(0)
    expect(errors).toEqual([])
  })

  test('whose client does not read is cut, and its connection is free', async () => {
    const answer = { baseMs: 2_000, bytesPerSecond: 1024 ** 3 }
    const { port, errors } = await start({ clientTimeouts: { send: answer } })
    // It has the first rows: a connection reads on for it, until it is cut.
    const client = await beginReading(port)
    await untilBusy(0)
    expect(await restOf(client)).not.toContain(END)
    expect(errors).toEqual([])
  })

  test('keeps nobody else waiting, and the third waits for one of two to end', async () => {
    const { port } = await start()
    const slow = [await beginReading(port), await beginReading(port)]
    let isThere = false
    const third = exchange(port, asked(closing)).finally(() => (isThere = true))
    for (const other of ['/api/v1/ping', '/api/v1/events', '/api/v1/events/of-north/responses']) {
      const sent = requestText(other, [['X-API-Key', account.key], closing])
      expect((await exchange(port, sent)).map(({ status }) => status)).toEqual([200])
    }
    expect(isThere).toBe(false)
    slow[0]?.destroy()
    expectWhole((await third)[0]?.body)
    slow[1]?.destroy()
    await untilBusy(0)
  })

  test('whose connection to the database is lost is cut, never ended, and the next one is answered', async () => {
    const { port, errors } = await start()
    const clients = [await beginReading(port), await beginReading(port)]
    await untilBusy(2)
    await onServer(`select pg_terminate_backend(pid) from pg_stat_activity
                     where datname = '${new URL(mirror.url).pathname.slice(1)}'`)
    for (const client of clients) expect(await restOf(client)).not.toContain(END)
    await vi.waitFor(() => expect(errors.length).toBeGreaterThan(0), { timeout: 30_000 })
    expectWhole((await exchange(port, asked(closing)))[0]?.body)
  })

  test('in flight when the service is closed is sent to its end', async () => {
    const { port, service } = await start({ closeTimeoutMs: 60_000 })
    const client = await beginReading(port)
    let isClosed = false
    const closed = service.close().then(() => (isClosed = true))
    await expect(openSocket(port)).rejects.toThrow('ECONNREFUSED')
    expect(isClosed).toBe(false)
    expect((await restOf(client)).endsWith(END)).toBe(true)
    await closed
    await untilBusy(0)
  })

  test('of which only the head is asked for is not read, and the connection is good for more', async () => {
    const { port } = await start()
    const head = asked().replace('GET', 'HEAD')
    const answers = await exchange(port, `${head}${head}${asked(closing)}`, (place) => place < 2)
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200])
    expect(new Set(answers.map(({ headers }) => headers['etag'])).size).toBe(1)
    expectWhole(answers[2]?.body)
  })

  test('that a program asks for without HTTP and leaves is not read further', async () => {
    const { service } = await start()
    for (const coding of ['identity', 'gzip']) {
      const headers = { 'X-API-Key': account.key, 'Accept-Encoding': coding }
      const reader = (await service.fetch(new Request(`http://a${path}`, { headers }))).body?.getReader()
      expect((await reader?.read())?.done).toBe(false)
      await reader?.cancel()
      const unread = await service.fetch(new Request(`http://a${path}`, { headers }))
      await unread.body?.cancel()
      await untilBusy(0)
    }
  })
})

describe('X9 a large list that is read slowly', () => {
  test('leaves its place to another account, and is of one view to its end all the same', async () => {
    const south = await addAccount(mirror.database, 'south')
    await addLargeList(mirror.database, { account: 'south', event: 'large', rows: ROWS })
    const { port, errors } = await start()
    const slow = [await beginReading(port), await beginReading(port)]
    await untilBusy(2)
    const sent = requestText(path, [['X-API-Key', south.key], closing])
    expectWhole((await exchange(port, sent))[0]?.body)
    const ends = (await Promise.all(slow.map(restOf))).map((last) => last.endsWith(END))
    expect(ends).toEqual([true, true])
    expect(errors).toEqual([])
    await untilBusy(0)
  })

  test('is cut when it changes after it has left its place, never mixed', async () => {
    const east = await addAccount(mirror.database, 'east')
    await addLargeList(mirror.database, { account: 'east', event: 'large', rows: ROWS })
    const { port, errors } = await start()
    const slow = [await beginReading(port), await beginReading(port)]
    await untilBusy(2)
    const sent = requestText(path, [['X-API-Key', east.key], closing])
    expectWhole((await exchange(port, sent))[0]?.body)
    await mirror.database.transaction((trx) =>
      trx.query(`update headcount.sync_state set ${another} where event_id = 'endless'`),
    )
    const whole = (await Promise.all(slow.map(restOf))).filter((last) => last.endsWith(END))
    // One of the two left; the other keeps its view.
    expect(whole).toHaveLength(1)
    expect(errors).toHaveLength(1)
  })

  test('comes whole to who takes it as fast as he should, however long we wait for him all together', async () => {
    const answer = { baseMs: 500, bytesPerSecond: 256 * 1024 }
    const { port } = await start({ clientTimeouts: { send: answer } })
    const client = await beginReading(port)
    const pulse = setInterval(() => client.resume(), 10)
    let [taken, last] = [0, '']
    client.on('data', (piece) => {
      taken += piece.length
      last = (last + String(piece)).slice(-100)
      client.pause()
    })
    await new Promise((resolve) => client.once('close', resolve))
    clearInterval(pulse)
    expect(last.endsWith(END)).toBe(true)
    expect(taken).toBeGreaterThan(50_000_000)
  })
})

describe('X7 on PGlite, which has one connection', () => {
  /** A large list of which a client has read the beginning, and no more. */
  async function begun(stack: AsyncDisposableStack) {
    const lent = stack.use(await lendPglite())
    noteEngine('pglite')
    const own = stack.use(await connect({ pglite: lent.pglite }))
    const { key } = await addAccount(own, 'north')
    await addLargeList(own, { account: 'north', event: 'large', rows: 15_000 })
    const { service } = await listening(mirrorStore(own))
    const get = (of: string) => service.fetch(new Request(`http://a${of}`, { headers: { 'X-API-Key': key } }))
    const whole = (await (await get(path)).json()) as { id: number }[]
    expect(whole.map(({ id }) => id)).toEqual(Array.from({ length: 15_000 }, (_, place) => place + 1))
    const reader = (await get(path)).body?.getReader()
    expect((await reader?.read())?.done).toBe(false)
    const toTheEnd = async () => {
      while ((await reader?.read())?.done === false);
    }
    return { own, get, toTheEnd }
  }

  test('nobody waits for who reads slowly, and a list that changes meanwhile is cut off, not mixed', async () => {
    await using stack = new AsyncDisposableStack()
    const { own, get, toTheEnd } = await begun(stack)
    expect((await get('/api/v1/ping')).status).toBe(200)
    await own.transaction(async (trx) => {
      await trx.query(`delete from headcount.responses where event_id = 'large' and id > 14000`)
      await trx.query(
        `update headcount.sync_state set list_version = gen_random_uuid() where event_id = 'large'`,
      )
    })
    await expect(toTheEnd()).rejects.toThrow('changed while it was sent')
  })

  test('a list that loses all its other rows meanwhile is cut off: what was sent is never taken for all of it', async () => {
    await using stack = new AsyncDisposableStack()
    const { own, toTheEnd } = await begun(stack)
    const options = { account: 1, run: '1', history: true }
    await own.transaction((trx) => deleteEvents(trx, options, ['large']))
    await expect(toTheEnd()).rejects.toThrow('changed while it was sent')
  })

  test('a list whose account is being removed is cut off, though no run has changed it', async () => {
    await using stack = new AsyncDisposableStack()
    const { own, toTheEnd } = await begun(stack)
    const broken = new AbortController()
    // Of the rows of the account some are gone: the removal was broken off.
    const fence = async ({ query }: Transaction) => {
      const { rows } = await query('select count(*)::int from headcount.responses')
      if (Number(rows[0]?.[0]) < 14_000) broken.abort(new Error('broken off'))
    }
    await expect(deleteAccount(own, { fence }, 1, broken.signal, 2_000)).rejects.toThrow('broken off')
    await expect(toTheEnd()).rejects.toThrow('changed while it was sent')
  })
})
