/** `createService` inside another server: every address that it names leads back to it. */
import { once } from 'node:events'
import { createServer, request as sendTo, type RequestListener } from 'node:http'
import { text } from 'node:stream/consumers'
import { Worker } from 'node:worker_threads'
import { getRequestListener } from '@hono/node-server'
import { Hono } from 'hono'
import { fetch } from 'undici'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  createService,
  sync,
  UsageError,
  type AccessLogEntry,
  type Service,
  type ServiceOptions,
} from '../../../src/index.ts'
import { accountOf } from '../../support/accounts/account.ts'
import { freshPlace } from '../../support/databases/databases.ts'
import { send as answer, startFaultServer } from '../../support/http/fault-server.ts'
import { listenOnLoopback } from '../../support/http/loopback.ts'
import { testKey } from '../../support/http/reading.ts'
import { keyOf } from '../../support/http/serving.ts'

const opened = new AsyncDisposableStack()
let database: string
let key: string

beforeAll(async () => {
  const place = opened.use(await freshPlace('postgres'))
  database = place.url
  const account = accountOf({ ball: 2, gala: 3, picnic: 1 })
  await using service = await startFaultServer()
  service.always(answer((asked) => account.answer(asked)))
  await sync({ database, apiKey: testKey, baseUrl: service.baseUrl.href })
  key = await keyOf(database)
})

afterAll(() => opened.disposeAsync())

/** How a program hands requests on to the service. */
const ways: readonly (readonly [string, (service: Service) => RequestListener])[] = [
  ['requestListener, with the whole path', (service) => service.requestListener],
  [
    'requestListener behind a router that takes the mount path off, as Express does',
    (service) => (incoming, response) => {
      incoming.url = (incoming.url ?? '').replace(/^\/club(?=\/|\?|$)/, '').replace(/^(?!\/)/, '/')
      service.requestListener(incoming, response)
    },
  ],
  [
    'fetch below a Hono app, which takes the mount path off',
    (service) => {
      const app = new Hono()
      app.mount('/club', (asked) => service.fetch(asked))
      const listener = getRequestListener(app.fetch)
      return (incoming, outgoing) => void listener(incoming, outgoing)
    },
  ],
]

/** A server of the caller's with the service below `/club`. */
async function mount(
  listener: (service: Service) => RequestListener,
  options: Partial<ServiceOptions> = {},
): Promise<{ readonly origin: string } & AsyncDisposable> {
  const service = createService({ database, mountPath: '/club', ...options })
  const server = await listenOnLoopback(createServer(listener(service)))
  return {
    origin: `http://127.0.0.1:${server.port}`,
    [Symbol.asyncDispose]: async () => {
      await server[Symbol.asyncDispose]()
      await service.close()
    },
  }
}

describe.each(ways)('%s', (_, listener) => {
  test('the bare address leads to the page, and the page and the document name the mount path', async () => {
    await using mounted = await mount(listener)
    const { origin } = mounted
    for (const path of ['/club', '/club/', '/club?a=b']) {
      const bare = await fetch(origin + path, { redirect: 'manual' })
      expect([path, bare.status, bare.headers.get('location')]).toEqual([path, 302, '/club/docs'])
    }
    const page = await (await fetch(`${origin}/club/docs`)).text()
    expect(page).toContain(`curl -H 'X-API-Key: hc_…' ${origin}/club/api/v1/events`)
    expect(page).toContain('href="/club/api/v1/openapi.json"')
    const document = await (await fetch(`${origin}/club/api/v1/openapi.json`)).json()
    expect(document).toMatchObject({ servers: [{ url: '/club/api/v1' }] })
    for (const path of ['healthz', 'readyz']) expect((await fetch(`${origin}/club/${path}`)).status).toBe(200)
  })

  test('lists, page by page; what is elsewhere is not found', async () => {
    await using mounted = await mount(listener)
    const headers = { 'X-API-Key': key }
    const ids: unknown[] = []
    let next: string | undefined = `${mounted.origin}/club/api/v1/events?limit=1`
    while (next !== undefined) {
      const page = await fetch(next, { headers })
      ids.push(...((await page.json()) as { id: unknown }[]).map(({ id }) => id))
      const [, link] = /^<(.*)>; rel="next"$/.exec(page.headers.get('link') ?? '') ?? []
      next = link === undefined ? undefined : new URL(link, page.url).href
    }
    expect(ids).toEqual(['ball', 'gala', 'picnic'])
    for (const path of ['/club/api/v1', '/club/nothing', '/club/api/v1/events/none/responses'])
      expect((await fetch(mounted.origin + path, { headers })).status, path).toBe(404)
    expect((await fetch(`${mounted.origin}/club/api/v1/ping`)).status).toBe(401)
  })
})

describe('the page', () => {
  test('names the proxy with TLS before it, and any Host only as a word of the shell', async () => {
    await using mounted = await mount((service) => service.requestListener)
    const read = async (headers: Readonly<Record<string, string>>) => {
      const sent = sendTo(`${mounted.origin}/club/docs`, { headers })
      sent.end()
      const [got] = (await once(sent, 'response')) as [AsyncIterable<Buffer>]
      const chunks: Buffer[] = []
      for await (const chunk of got) chunks.push(chunk)
      return Buffer.concat(chunks).toString()
    }
    expect(await read({ Host: 'events.example', 'X-Forwarded-Proto': 'https' })).toContain(
      ' https://events.example/club/api/v1/events',
    )
    const hostile = await read({ Host: `a;$(reboot)'` })
    expect(hostile).toContain(`&#39;http://a;$(reboot)&#39;\\&#39;&#39;&#39;/club/api/v1/events`)
    expect(await read({ Host: '<script>' })).not.toContain('<script>')
  })

  test('a mount path that is none is refused', () => {
    for (const mountPath of ['club', '/cl ub', '//club', '/club?', '/a/../b//'])
      expect(() => createService({ database, mountPath }), mountPath).toThrow(UsageError)
  })
})

const besideHono = `
  const { parentPort, workerData: { adapter, library, database, key } } = require('node:worker_threads')
  import(adapter).then(async ({ getRequestListener }) => {
    const own = Response
    getRequestListener(() => new Response('of the program'))
    const { createService } = await import(library)
    const service = createService({ database })
    const { url } = await service.listen({ host: '127.0.0.1', port: 0 })
    const statuses = []
    for (const path of ['/ping', '/events', '/events/gala/responses', '/nothing']) {
      const answer = await fetch(url + path, { headers: { 'X-API-Key': key } })
      statuses.push([path, answer.status, (await answer.text()).length > 0])
    }
    await service.close()
    parentPort.postMessage({ isReplaced: Response !== own, statuses })
  })`

test('each request is answered once in a program whose Hono has put a Response of its own in place of the global one', async () => {
  const workerData = {
    adapter: import.meta.resolve('@hono/node-server'),
    library: new URL('../../../src/index.ts', import.meta.url).href,
    database,
    key,
  }
  const worker = new Worker(besideHono, { eval: true, workerData, stderr: true })
  const written = text(worker.stderr)
  const [seen] = (await once(worker, 'message')) as unknown[]
  await once(worker, 'exit')
  expect(await written).toBe('')
  expect(seen).toEqual({
    isReplaced: true,
    statuses: [
      ['/ping', 200, true],
      ['/events', 200, true],
      ['/events/gala/responses', 200, true],
      ['/nothing', 404, true],
    ],
  })
})

test('requestListener answers 503 and tells the error where the database cannot be used', async () => {
  const errors: unknown[] = []
  await using mounted = await mount((service) => service.requestListener, {
    database: 'postgres://127.0.0.1:9/none',
    onError: (error) => errors.push(error),
  })
  const refused = await fetch(`${mounted.origin}/club/readyz`)
  expect(refused.status).toBe(503)
  expect(await refused.json()).toMatchObject({ code: 'not_ready' })
  expect(errors).toMatchObject([{ code: 'database' }])
})

test('onRequest tells of each request, without key, query, and without what may be a key in the path', async () => {
  const entries: AccessLogEntry[] = []
  await using mounted = await mount((service) => service.requestListener, {
    onRequest: (entry) => {
      entries.push(entry)
      throw new Error('of the listener')
    },
  })
  const headers = { 'X-API-Key': key }
  const base = `${mounted.origin}/club/api/v1`
  const first = await fetch(`${base}/events`, { headers })
  const again = { ...headers, 'If-None-Match': String(first.headers.get('etag')) }
  await fetch(`${base}/events`, { headers: again })
  await fetch(`${base}/events/gala/responses?limit=1&after=1`, { headers })
  await fetch(`${base}/${key}?key=${key}`, { headers: { 'X-API-Key': 'hc_wrong' } })
  await fetch(`${base}/ada%40example.org/events/gala/responses/4105487`, { headers })
  await expect.poll(() => entries.length).toBe(5)
  const key_id = expect.any(Number) as number
  const ms = expect.any(Number) as number
  expect(entries.map(({ bytes: _, ...entry }) => entry)).toEqual([
    { method: 'GET', path: '/club/api/v1/events', status: 200, duration_ms: ms, key_id },
    { method: 'GET', path: '/club/api/v1/events', status: 304, duration_ms: ms, key_id },
    { method: 'GET', path: '/club/api/v1/events/gala/responses', status: 200, duration_ms: ms, key_id },
    { method: 'GET', path: '/club/api/v1/hc_…', status: 401, duration_ms: ms, key_id: null },
    { method: 'GET', path: '/club/api/v1/…/events/gala/responses/…', status: 404, duration_ms: ms, key_id },
  ])
  const [whole, notModified] = entries.map(({ bytes }) => bytes)
  expect(notModified).toBeGreaterThan(50)
  expect(whole).toBeGreaterThan(notModified ?? 0)
  expect(JSON.stringify(entries)).not.toContain(key)
})
