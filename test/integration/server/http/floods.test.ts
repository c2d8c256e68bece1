/** Too much, or too slow. */
import { channel } from 'node:diagnostics_channel'
import { once } from 'node:events'
import type { Socket } from 'node:net'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { describe, expect, test } from 'vitest'
import type { Store } from '../../../../src/server/stores/store.ts'
import { expectConforms } from '../../../support/http/conforming.ts'
import { listening, singleKey, singleStore } from '../../../support/http/http-service.ts'
import { closing, exchange, openSocket, requestText } from '../../../support/http/raw-http.ts'
import { sharedMirror } from '../../../support/mirror/shared-mirror.ts'
import { examples } from '../../../support/seed.ts'

const mirror = sharedMirror()

describe('X7 wrong keys', () => {
  test('10,000 of them open nothing; a right one is answered meanwhile, and nothing piles up', async () => {
    const { port, accounts } = mirror()
    const { key, email } = accounts.north
    const [sockets, each, ahead] = [100, examples(100), 20]
    const askAll = (count: number) =>
      Promise.all(Array.from({ length: sockets }, () => askWrongly(port, count, ahead)))
    // What a service needs once, and its code, is there after a first flood.
    await askAll(3 * ahead)
    const before = heapUsed()
    const over = new AbortController()
    const all = askAll(each).finally(() => over.abort())
    let answered = 0
    while (!over.signal.aborted) {
      const sent = requestText('/api/v1/ping', [['X-API-Key', key], closing])
      expect((await exchange(port, sent)).map(({ body }) => JSON.parse(body))).toEqual([{ email }])
      answered += 1
    }
    expect((await all).reduce((sum, count) => sum + count, 0)).toBe(sockets * each)
    expect(answered).toBeGreaterThan(10)
    const grown = heapUsed() - before
    expect(grown).toBeLessThan(80 * sockets * each)
  })
})

/** @returns how often the answer was 401 */
async function askWrongly(port: number, count: number, ahead: number): Promise<number> {
  const begin = Buffer.from('HTTP/1.1 401 ')
  const end = Buffer.from('"key_refused"}')
  const socket = await openSocket(port)
  let [refused, ended] = [0, 0]
  const send = () => {
    const wrong = () => `hc_${Math.random()}`
    const requests = Array.from({ length: ahead }, () =>
      requestText('/api/v1/events', [['X-API-Key', wrong()]]),
    )
    socket.write(requests.join(''))
  }
  send()
  for await (const piece of socket) {
    refused += countOf(begin, piece)
    ended += countOf(end, piece)
    if (ended === count) break
    if (ended % ahead === 0) send()
  }
  return refused
}

function countOf(part: Buffer, whole: Buffer): number {
  let count = 0
  for (let at = whole.indexOf(part); at !== -1; at = whole.indexOf(part, at + 1)) count += 1
  return count
}

describe('X7 sizes', () => {
  test.each([
    ['a header of 16 KiB', requestText('/api/v1/ping', [['X-A', 'x'.repeat(16 * 1024)]]), 431],
    ['a key of 1 MiB', requestText('/api/v1/ping', [['X-API-Key', 'x'.repeat(1024 ** 2)]]), 431],
    [
      '100,000 headers',
      requestText(
        '/api/v1/ping',
        Array.from({ length: 100_000 }, () => ['a', ''] as const),
      ),
      431,
    ],
    ['an address of 8 KiB and a character', requestText(`/${'x'.repeat(8 * 1024)}`), 414],
    ['an address of 1 MiB', requestText(`/${'x'.repeat(1024 ** 2)}`), 414],
    ['a query of 10,000 characters', requestText(`/api/v1/events?${'a&'.repeat(5_000)}`), 414],
    ['an address of 8 KiB', requestText(`/${'x'.repeat(8 * 1024 - 1)}`, [closing]), 401],
  ])('%s', async (_, sent, expected) => {
    const [answer, ...more] = await exchange(mirror().port, sent)
    expect(more).toEqual([])
    expect(answer?.status).toBe(expected)
    expect(JSON.parse(answer?.body ?? '').status).toBe(expected)
    expect(answer?.headers).toMatchObject({ 'content-type': 'application/problem+json', connection: 'close' })
  })
})

test('X7 a key is found behind thousands of headers', async () => {
  const { port, accounts } = mirror()
  const headers = Array.from({ length: 3_000 }, () => ['a', ''] as const)
  const key = ['X-API-Key', accounts.north.key] as const
  const answers = await exchange(port, requestText('/api/v1/ping', [...headers, key, closing]))
  expect(answers.map(({ status }) => status)).toEqual([200])
})

describe('X7 slow clients', () => {
  test.each([
    ['nothing', ''],
    ['half a request', 'GET /api/v1/ping HTTP/1.1\r\nHost: a\r\nX-API-'],
  ])('who send %s are told so and cut', async (_, sent) => {
    const slow = await listening(singleStore(), { clientTimeouts: { requestMs: 100 } })
    const [answer] = await exchange(slow.port, sent)
    expect([answer?.status, JSON.parse(answer?.body ?? '').code]).toEqual([408, 'request_timeout'])
  })

  test('who drip headers are cut, and who drip a body are answered at once', async () => {
    const slow = await listening(singleStore(), { clientTimeouts: { requestMs: 300 } })
    const dripping = await openSocket(slow.port, 'GET /api/v1/ping HTTP/1.1\r\nHost: a\r\n')
    const drip = setInterval(() => dripping.write('X-A: b\r\n'), 20)
    let text = ''
    for await (const piece of dripping) text += String(piece)
    clearInterval(drip)
    expect(text).toMatch(/^HTTP\/1\.1 408 /)
    const body = `POST /api/v1/ping HTTP/1.1\r\nHost: a\r\nContent-Length: 1000000\r\n\r\n`
    expect((await exchange(slow.port, body)).map(({ status }) => status)).toEqual([401])
  })

  test('X9 who take nothing of a body in memory are cut', async () => {
    const events = () => Array.from({ length: 600 }, (_, id) => ({ id: `${id}`, title: 'x'.repeat(100_000) }))
    const slow = await listening(singleStore({ events }), {
      clientTimeouts: { send: { baseMs: 200, bytesPerSecond: 1024 ** 3 } },
    })
    const accepted = nextAccepted()
    const socket = await openSocket(slow.port, requestText('/api/v1/events', [['X-API-Key', singleKey]]))
    await once(await accepted, 'close')
    socket.destroy()
  })

  test('X9 who have a third of all answers on their way get no more, until some have gone, and few lists are read at once', async () => {
    const gate = Promise.withResolvers<void>()
    const store = singleStore()
    let reading = 0
    const read = () => {
      reading += 1
      return gate.promise
    }
    const { port } = await listening({ ...store, resolve: readAfter(read, store) })
    const one = requestText('/api/v1/events', [['X-API-Key', singleKey], closing])
    const waiting = Array.from({ length: 500 }, () => exchange(port, one))
    const path = '/api/v1/ping'
    const ping = async () => {
      const [answer] = await exchange(port, requestText(path, [['X-API-Key', singleKey], closing]))
      if (answer === undefined) throw new Error('A ping was not answered.')
      return answer
    }
    await expect.poll(async () => (await ping()).status, { timeout: 9_000 }).toBe(429)
    const { status, headers, body: text } = await ping()
    expect(headers).toMatchObject({ 'retry-after': '1', connection: 'close' })
    expectConforms({ method: 'GET', path, status, headers, text })
    // There is memory for so many lists that may be large.
    expect(reading).toBeGreaterThan(1)
    expect(reading).toBeLessThan(10)
    gate.resolve()
    for (const [answer] of await Promise.all(waiting)) expect([200, 429]).toContain(answer?.status)
    expect((await ping()).status).toBe(200)
  })

  test('X9 who together send too much ahead are cut, the longest line first', async () => {
    const gate = Promise.withResolvers<object[]>()
    const { port } = await listening(singleStore({ events: () => gate.promise }))
    const one = requestText('/api/v1/events', [['X-API-Key', singleKey]])
    const sockets = await Promise.all(Array.from({ length: 5 }, () => openSocket(port, one.repeat(900))))
    await Promise.race(sockets.map((socket) => new Promise((resolve) => socket.once('close', resolve))))
    expect(sockets.filter(({ destroyed }) => !destroyed).length).toBeGreaterThanOrEqual(3)
    for (const socket of sockets) socket.destroy()
    gate.resolve([])
  })

  test('who send requests far ahead of their answers are cut', async () => {
    const gate = Promise.withResolvers<object[]>()
    const { port } = await listening(singleStore({ events: () => gate.promise }))
    const one = requestText('/api/v1/events', [['X-API-Key', singleKey]])
    expect(await exchange(port, one.repeat(1_002))).toEqual([])
    gate.resolve([])
  })
})

/** The same store, whose lists are read only then. */
function readAfter(gate: () => Promise<void>, store: Store): Store['resolve'] {
  return async (key, name) => {
    const found = await store.resolve(key, name)
    if (!found?.list) return found
    const { list } = found
    const read: typeof list.read = async (window) => {
      await gate()
      return list.read(window)
    }
    return { ...found, list: { ...list, read } }
  }
}

/** The service's side of the next connection. */
function nextAccepted(): Promise<Socket> {
  const sockets = channel('net.server.socket')
  return new Promise((resolve) => {
    const hear = (message: unknown) => {
      sockets.unsubscribe(hear)
      resolve((message as { socket: Socket }).socket)
    }
    sockets.subscribe(hear)
  })
}

/** Of what is still in use. */
function heapUsed(): number {
  setFlagsFromString('--expose-gc')
  runInNewContext('gc')()
  return process.memoryUsage().heapUsed
}
