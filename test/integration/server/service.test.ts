import { describe, expect, test } from 'vitest'
import { createSampleAccount } from '../../../src/commands/demo/account/account.ts'
import { createHttpService, type HttpServiceOptions } from '../../../src/server/http-service.ts'
import type { MemoryAccount } from '../../../src/server/stores/memory-store.ts'
import { singleKey, startSingle } from '../../support/http/http-service.ts'
import { closing, exchange, requestText } from '../../support/http/raw-http.ts'

const key = ['X-API-Key', singleKey] as const

/** An account without events but for what a test says. */
const start = (account: Partial<MemoryAccount> = {}, options: Partial<HttpServiceOptions> = {}) =>
  startSingle({ events: () => [], responses: () => undefined, ...account }, options)

describe('the three endpoints', () => {
  test('answer the sample account over HTTP, also after it moved on', async () => {
    const account = createSampleAccount({ seed: 1, now: new Date('2026-06-17T10:00:00Z') })
    const { get } = await start(account)
    for (let step = 0; step < 2; step++) {
      expect((await get('/ping')).json).toEqual({ email: account.email })
      const events = await get('/events')
      expect(events.json).toEqual(account.events().toSorted((a, b) => (a.id < b.id ? -1 : 1)))
      for (const { id } of account.events()) {
        expect((await get(`/events/${id}/responses`)).json).toEqual(account.responses(id))
      }
      account.advance()
    }
  })

  test('say JSON in UTF-8, a date, and that nothing may be kept on the way', async () => {
    const { get } = await start({ responses: () => [{ id: 1, name: 'Zoë 花子' }] })
    for (const path of ['/ping', '/events', '/events/a/responses']) {
      const { status, headers } = await get(path)
      expect(status).toBe(200)
      expect(headers['content-type']).toBe('application/json; charset=utf-8')
      expect(Number.isNaN(Date.parse(String(headers['date'])))).toBe(false)
      expect(headers['cache-control']).toBe('private, no-cache')
      expect(headers['vary']).toBe('X-API-Key, Accept-Encoding')
      expect(Number(headers['content-length'])).toBeGreaterThan(0)
    }
    expect((await get('/events/a/responses')).json).toEqual([{ id: 1, name: 'Zoë 花子' }])
  })

  test('give lists whole and ignore a query that is not theirs', async () => {
    const { get } = await start({ events: () => [{ id: 'a' }, { id: 'b' }] })
    expect((await get('/events?page=2&per_page=1')).json).toEqual([{ id: 'a' }, { id: 'b' }])
  })

  test('write integers beyond 2^53 as the store has them', async () => {
    const { get } = await start({ responses: () => [{ id: JSON.rawJSON('9007199254740993') }] })
    expect((await get('/events/a/responses')).text).toBe('[{"id":9007199254740993}]')
  })

  test('answer HEAD like GET, without a body', async () => {
    const { get } = await start()
    const { status, headers, text } = await get('/ping', { method: 'HEAD' })
    expect([status, text]).toEqual([200, ''])
    expect(headers['content-type']).toBe('application/json; charset=utf-8')
  })
})

describe('event ids in the path', () => {
  const ids = [
    'a/b',
    'a%2Fb',
    '100%',
    'x?y#z',
    ' two words ',
    'Überraschung 花見 🌸',
    'a+b',
    'a%zz',
    '...',
    '__proto__',
    'a\\b',
    ':event_id',
    '*',
  ]

  test.each(ids)('%j reaches the store as it is', async (id) => {
    const asked: string[] = []
    const { get } = await start({
      responses: (eventId) => {
        asked.push(eventId)
        return []
      },
    })
    expect((await get(`/events/${encodeURIComponent(id)}/responses`)).status).toBe(200)
    expect(asked).toEqual([id])
  })

  test.each(['/events/%E0%A4%A/responses', '/events/%/responses', '/events/a%FFb/responses'])(
    'what cannot be decoded is an unknown event: %s',
    async (path) => {
      const account = createSampleAccount({ seed: 1, now: new Date('2026-06-17T10:00:00Z') })
      const { port } = await start(account)
      const [answer] = await exchange(port, requestText(`/api/v1${path}`, [key, closing]))
      expect(answer).toMatchObject({ status: 404, body: expect.stringContaining('unknown_event') })
    },
  )
})

describe('the key', () => {
  test.each(['X-API-Key', 'X-API-KEY', 'x-api-key'])('is read from the header written %s', async (name) => {
    const { get } = await start()
    expect((await get('/ping', { headers: { [name]: singleKey } })).status).toBe(200)
  })

  const wrong: [string, Record<string, string | string[]>][] = [
    ['missing', {}],
    ['empty', { 'X-API-Key': '' }],
    ['another', { 'X-API-Key': 'k-0000000000ff' }],
    ['a part of it', { 'X-API-Key': singleKey.slice(0, -1) }],
    ['longer', { 'X-API-Key': `${singleKey}0` }],
    ['in other case', { 'X-API-Key': singleKey.toUpperCase() }],
    ['sent twice', { 'X-API-Key': [singleKey, singleKey] }],
    ['in the wrong header', { Authorization: `Bearer ${singleKey}` }],
  ]

  test.each(wrong)('%s gives 401 with a JSON body that repeats nothing of it', async (_, headers) => {
    const { get } = await start()
    const answer = await get('/ping', { headers })
    expect(answer.status).toBe(401)
    expect(answer.headers['content-type']).toBe('application/problem+json')
    expect(answer.headers['www-authenticate']).toBe('ApiKey')
    expect(answer.json).toEqual({
      type: 'about:blank',
      title: 'No valid API key',
      status: 401,
      detail: expect.stringContaining('X-API-Key'),
      code: 'key_refused',
    })
    expect(JSON.stringify([answer.text, answer.headers])).not.toContain(singleKey.slice(0, -1))
  })

  test('that is empty is never shown to a store', async () => {
    const requester = { account: 'anybody', key: 'any' }
    const service = createHttpService({
      store: {
        resolve: async () => ({ requester, email: 'anybody@example.org', list: null }),
        requireReady: async () => {},
        close: async () => {},
      },
    })
    const headers = { 'X-API-Key': '' }
    expect((await service.fetch(new Request('http://x/api/v1/ping', { headers }))).status).toBe(401)
  })

  test('is asked for before anything else is told', async () => {
    const { get, port } = await start()
    for (const path of ['/nothing', '/events/nothing/responses', '/../../nothing', '/events/%/responses']) {
      expect((await get(path, { headers: {} })).status).toBe(401)
    }
    const post = requestText('/api/v1/ping', [['Content-Length', '0'], closing], 'POST')
    expect(await exchange(port, post)).toMatchObject([{ status: 401 }])
  })
})

describe('what is not there', () => {
  test('an unknown event is 404 with a JSON body', async () => {
    const { get } = await start()
    const answer = await get('/events/no-such-event/responses')
    expect([answer.status, answer.json.code]).toEqual([404, 'unknown_event'])
    expect(answer.headers['content-type']).toBe('application/problem+json')
  })

  test.each([
    '',
    '/',
    '/ping/',
    '/Ping',
    '/events/',
    '/events/a',
    '/events//responses',
    '/events/a/responses/',
    '/events/a/b/responses',
  ])('an unknown path is 404 with a JSON body: /api/v1%s', async (path) => {
    const { get } = await start({ responses: () => [] })
    const answer = await get(path)
    expect([answer.status, answer.json.code]).toEqual([404, 'unknown_path'])
    expect(answer.headers['content-type']).toBe('application/problem+json')
  })

  test.each(['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE', 'PROPFIND'])(
    '%s is 405 with Allow',
    async (method) => {
      const { port } = await start({ responses: () => [] })
      const withKey = ['/ping', '/events', '/events/a/responses'].map((path) => `/api/v1${path}`)
      for (const path of [...withKey, '/', '/docs', '/healthz', '/readyz', '/api/v1/openapi.json']) {
        const sent = requestText(path, [key, ['Content-Length', '2'], closing], method)
        expect(await exchange(port, `${sent}{}`)).toMatchObject([
          {
            status: 405,
            headers: { allow: 'GET, HEAD', 'content-type': 'application/problem+json' },
            body: expect.stringContaining('method_not_allowed'),
          },
        ])
      }
    },
  )
})

test('what the store throws is told to onError and not to the client', async () => {
  const told: unknown[] = []
  const failure = new Error('password=hunter2 refused')
  const { get } = await start(
    { events: () => Promise.reject(failure) },
    { onError: (error) => told.push(error) },
  )
  const answer = await get('/events')
  expect([answer.status, answer.json.code]).toEqual([500, 'internal'])
  expect(answer.text).not.toContain('hunter2')
  expect(told).toEqual([failure])
})
