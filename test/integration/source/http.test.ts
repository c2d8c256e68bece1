import { inspect } from 'node:util'
import { describe, expect, test, vi } from 'vitest'
import {
  ConfigurationError,
  InvalidResponseError,
  CrossOriginError,
  AuthenticationError,
  NotFoundError,
  RequestSkippedError,
  RetryLaterError,
  UnreachableError,
} from '../../../src/common/errors.ts'
import { list, raw, resetBeforeHeaders, send, type Step } from '../../support/http/fault-server.ts'
import { errorOf, faultServer, numberText, testKey, valuesOf } from '../../support/http/reading.ts'
import { itemsOf } from '../../support/accounts/read-items.ts'

const items = [{ id: 'a' }]
const good = list(items)

/** An answer with this status, its body and headers. */
function status(code: number, headers: Record<string, string> = {}, body: unknown = { error: 'no' }): Step {
  return send({ status: code, headers, body })
}

describe('what every request carries', () => {
  test('the key, a name, and what is accepted', async () => {
    const server = await faultServer()
    server.at(
      '/ping',
      send({ body: { email: 'ada@example.org' }, headers: { Date: 'Sun, 01 Mar 2026 10:00:00 GMT' } }),
    )
    const source = numberText(new URL(`${server.baseUrl.href}/`), { userAgent: 'headcount/1.2.3 (+mirror)' })
    expect(await source.ping()).toEqual({
      email: 'ada@example.org',
      serverDate: new Date('2026-03-01T10:00:00Z'),
    })
    expect(server.requests[0]).toMatchObject({
      method: 'GET',
      path: '/api/v1/ping',
      headers: {
        'x-api-key': testKey,
        'user-agent': 'headcount/1.2.3 (+mirror)',
        accept: 'application/json',
        'accept-encoding': 'gzip, identity',
      },
    })
    expect(source.counts).toEqual({
      requests: 1,
      retries: 0,
      rejected: 0,
      rejectedRetries: 0,
      notModified: 0,
      bytesReceived: 27,
      statuses: new Set(['ping 200']),
    })
  })

  test('a ping without a Date, or without an e-mail, is one too', async () => {
    const server = await faultServer()
    server.always(send({ body: {} }))
    expect(await numberText(server.baseUrl).ping()).toEqual({ email: null, serverDate: null })
  })

  test('the event list comes on the connection of the ping', async () => {
    const server = await faultServer()
    server.at('/ping', send({ body: { email: 'ada@example.org' } }))
    server.at('/events', good)
    const source = numberText(server.baseUrl)
    await source.ping()
    await valuesOf(source.events())
    expect(server.connections).toBe(1)
  })

  test('an event id cannot lead to another path', async () => {
    const server = await faultServer()
    server.always(list([]))
    const source = numberText(server.baseUrl)
    await valuesOf(source.responses('../ping?x#y'))
    expect(server.requests[0]?.path).toBe('/api/v1/events/..%2Fping%3Fx%23y/responses')
    expect(await errorOf(source.responses('..'))).toBeInstanceOf(InvalidResponseError)
    expect(server.requests).toHaveLength(1)
  })
})

describe('a refusal that will not pass is not tried again', () => {
  test.each([
    ['H1 401', 401, AuthenticationError],
    ['H1 403', 403, AuthenticationError],
    ['H3 404', 404, NotFoundError],
    ['H4 410', 410, NotFoundError],
    ['H10 400', 400, InvalidResponseError],
    ['H10 422', 422, InvalidResponseError],
    ['501', 501, InvalidResponseError],
    ['H19 304 without our validator', 304, InvalidResponseError],
    ['H13 204', 204, InvalidResponseError],
    ['H14 206', 206, InvalidResponseError],
    ['203', 203, InvalidResponseError],
  ])('%s', async (_, code, kind) => {
    const server = await faultServer()
    server.next(status(code))
    server.always(good)
    for (const read of ['events', 'ping'] as const) {
      server.at(`/${read}`, status(code))
      const source = numberText(server.baseUrl)
      const error = await errorOf(source[read]())
      expect(error).toBeInstanceOf(kind)
      expect(error.message).toContain(`GET /api/v1/${read}`)
      expect(source.counts).toMatchObject({ requests: 1, retries: 0 })
    }
  })

  test('a body is quoted without control characters, and not for long', async () => {
    const server = await faultServer()
    server.always(status(400, {}, `\u001B[2J${'so long '.repeat(10_000)}`))
    const error = await errorOf(numberText(server.baseUrl).events())
    expect(error.message).toContain('400: [2Jso long so long')
    expect(error.message.length).toBeLessThan(400)
  })
})

describe('H25 an answer that is hardly HTTP is an error of the family, and the next one is read', () => {
  const said = (first: string, headers = '', body = '[]') =>
    `${first}\r\n${headers}Content-Length: ${body.length}\r\n\r\n${body}`
  const ok = 'HTTP/1.1 200 OK'
  const inChunks = (chunks: string) => `${ok}\r\nTransfer-Encoding: chunked\r\n\r\n${chunks}`
  const upgrade = 'Connection: upgrade\r\nUpgrade: h2c\r\n\r\n'

  test.each([
    ['status 000', said('HTTP/1.1 000 X'), UnreachableError],
    ['status 099', said('HTTP/1.1 099 X'), UnreachableError],
    ['status 99', said('HTTP/1.1 99 X'), UnreachableError],
    ['status 600', said('HTTP/1.1 600 X'), InvalidResponseError],
    ['status 999', said('HTTP/1.1 999 X'), InvalidResponseError],
    ['status 1000', said('HTTP/1.1 1000 X'), UnreachableError],
    ['a status that is no number', said('HTTP/1.1 abc'), UnreachableError],
    ['no status', said('HTTP/1.1'), UnreachableError],
    ['100 and nothing else', 'HTTP/1.1 100 Continue\r\n\r\n', UnreachableError],
    ['103 and nothing else', 'HTTP/1.1 103 Early\r\n\r\n', UnreachableError],
    ['101 that changes the protocol', `HTTP/1.1 101 Switching\r\n${upgrade}`, UnreachableError],
    ['101 that does not', said('HTTP/1.1 101 Switching'), UnreachableError],
    ['102, then 101', `HTTP/1.1 102 Processing\r\n\r\n${said('HTTP/1.1 101 X')}`, UnreachableError],
    ['HTTP/0.9', '[]', UnreachableError],
    ['a request', 'GET / HTTP/1.1\r\n\r\n', UnreachableError],
    ['the preface of HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', UnreachableError],
    ['settings of HTTP/2', '\0\0\0\x04\0\0\0\0\0', UnreachableError],
    ['headers of 40 KiB', said(ok, `X: ${'a'.repeat(40_000)}\r\n`), InvalidResponseError],
    ['U+0000 in a header', said(ok, 'X: a\0b\r\n'), UnreachableError],
    ['a header without a colon', said(ok, 'X\r\n'), UnreachableError],
    ['a folded header', said(ok, 'X: a\r\n b\r\n'), UnreachableError],
    ['two lengths', said(ok, 'Content-Length: 3\r\n'), UnreachableError],
    ['a length that is no number', said(ok, 'Content-Length: 0x2\r\n'), UnreachableError],
    ['a chunk that is no number', inChunks('zz\r\n[]\r\n0\r\n\r\n'), UnreachableError],
    ['a chunk beyond any number', inChunks(`${'f'.repeat(20)}\r\n[]\r\n0\r\n\r\n`), UnreachableError],
    ['a chunk extension that does not end', inChunks('2;a="\r\n[]\r\n0\r\n\r\n'), UnreachableError],
    ['a trailer that is no header', inChunks('2\r\n[]\r\n0\r\nX y\r\n\r\n'), UnreachableError],
  ])('%s', async (_, bytes, kind) => {
    const server = await faultServer()
    server.at('/events/a/responses', ...Array.from({ length: 3 }, () => raw(bytes)))
    server.always(good)
    const source = numberText(server.baseUrl)
    const error = await errorOf(source.responses('a'))
    expect(error).toBeInstanceOf(kind)
    expect(error.message).toMatch(/answer/)
    expect(await valuesOf(source.responses('b'))).toEqual(items)
  })

  test.each([
    [
      '100 before a sound answer',
      `HTTP/1.1 100 Continue\r\n\r\n${said(ok)}`,
      /"100 Continue" before its answer/,
    ],
    ['101', `HTTP/1.1 101 Switching\r\n${upgrade}`, /changes the protocol \(101\) unasked/],
  ])('%s is refused by the HTTP client, and the message says so', async (_, bytes, message) => {
    const server = await faultServer()
    server.always(raw(bytes))
    expect((await errorOf(numberText(server.baseUrl).responses('a'))).message).toMatch(message)
  })

  test.each([
    ['early hints before it', `HTTP/1.1 103 Early\r\nLink: </x>\r\n\r\n${said(ok)}`],
    ['an offer of another protocol', said(ok, 'Connection: upgrade\r\nUpgrade: h2c\r\n')],
    ['chunk extensions and trailers', inChunks('2;a=b\r\n[]\r\n0\r\nStatus: 500\r\n\r\n')],
    ['something behind it', `${said(ok)}${said('HTTP/1.1 500 X')}`],
  ])('a sound answer with %s is one', async (_, bytes) => {
    const server = await faultServer()
    server.always(raw(bytes))
    expect(await valuesOf(numberText(server.baseUrl).responses('a'))).toEqual([])
  })
})

describe('a refusal that may pass is tried again', () => {
  test.each([408, 425, 500, 502, 503, 504])('H9 %i, twice, and then the list', async (code) => {
    const server = await faultServer()
    server.next(status(code), status(code), good)
    const source = numberText(server.baseUrl)
    expect(await valuesOf(source.events())).toEqual(items)
    expect(source.counts).toMatchObject({ requests: 3, retries: 2 })
  })

  test('H9 a burst that outlasts three tries', async () => {
    const server = await faultServer()
    server.always(status(502))
    const error = await errorOf(numberText(server.baseUrl).events())
    expect(error).toBeInstanceOf(UnreachableError)
    expect(error.message).toMatch(/502.*3 tries/)
    expect(server.requests).toHaveLength(3)
  })

  test('H9 a service in trouble is asked three more times in a short run, not twice for every list', async () => {
    const server = await faultServer()
    server.always(status(500))
    const source = numberText(server.baseUrl)
    const errors = await Promise.all(Array.from({ length: 20 }, (_, n) => errorOf(source.responses(`e${n}`))))
    expect(errors.every((error) => error instanceof UnreachableError)).toBe(true)
    expect(source.counts).toEqual({
      requests: 23,
      retries: 3,
      rejected: 0,
      rejectedRetries: 0,
      notModified: 0,
      bytesReceived: 23 * 14,
      statuses: new Set(['responses 500']),
    })
  })

  test('H5 429 with Retry-After in seconds: no request of any kind before that', async () => {
    const server = await faultServer()
    server.next(status(429, { 'Retry-After': '1' }))
    server.always(good)
    const source = numberText(server.baseUrl)
    const first = valuesOf(source.events())
    await vi.waitFor(() => expect(source.counts.rejected).toBe(1), { timeout: 30_000 })
    await Promise.all([first, valuesOf(source.responses('a')), valuesOf(source.responses('b'))])
    const [refused, ...later] = server.requests.map((request) => request.at)
    expect(later).toHaveLength(3)
    for (const at of later) expect(at - (refused ?? 0)).toBeGreaterThan(990)
  })

  test('H5 nor is a request sent that waited for its permit meanwhile', async () => {
    const server = await faultServer()
    server.next(status(429, { 'Retry-After': '1' }))
    server.always(good)
    const source = numberText(server.baseUrl, { concurrency: 1 })
    await Promise.all(['a', 'b', 'c'].map((event) => valuesOf(source.responses(event))))
    const [refused, ...later] = server.requests.map((request) => request.at)
    expect(later).toHaveLength(3)
    for (const at of later) expect(at - (refused ?? 0)).toBeGreaterThan(990)
  })

  test('H5 nor is a redirect followed before that', async () => {
    const server = await faultServer()
    server.at('/events/a/responses', async (socket, request) => {
      await vi.waitFor(() => expect(source.counts.rejected).toBe(1), { interval: 5, timeout: 30_000 })
      await status(302, { Location: '/moved' }, '')(socket, request)
    })
    server.at('/events/b/responses', status(429, { 'Retry-After': '1' }))
    server.always(good)
    const source = numberText(server.baseUrl)
    await Promise.all([valuesOf(source.responses('a')), valuesOf(source.responses('b'))])
    const [, refused, ...later] = server.requests.map((request) => request.at)
    expect(later).toHaveLength(2)
    for (const at of later) expect(at - (refused ?? 0)).toBeGreaterThan(990)
  })

  test('H6 Retry-After as a date, by the clock of a service that is an hour slow', async () => {
    const server = await faultServer()
    const slow = Date.now() - 3_600_000
    const dates = { Date: new Date(slow).toUTCString(), 'Retry-After': new Date(slow + 1000).toUTCString() }
    server.next(status(503, dates), good)
    await valuesOf(numberText(server.baseUrl).events())
    const [refused, again] = server.requests.map((request) => request.at)
    const waited = (again ?? 0) - (refused ?? 0)
    expect(waited).toBeGreaterThan(990)
    expect(waited).toBeLessThan(60_000)
  })

  test.each([
    ['H7 429 without Retry-After', {}],
    ['H8 429 with a Retry-After that means nothing', { 'Retry-After': 'soonish' }],
  ])('%s: after a moment', async (_, headers) => {
    const server = await faultServer()
    server.next(status(429, headers), good)
    const source = numberText(server.baseUrl)
    expect(await valuesOf(source.events())).toEqual(items)
    expect(source.counts).toMatchObject({ requests: 2, retries: 0, rejected: 1 })
  })

  test('H8 a Retry-After of more than 15 minutes ends everything at once, and says until when', async () => {
    const server = await faultServer()
    server.next(status(429, { 'Retry-After': '1000' }))
    server.always(good)
    const source = numberText(server.baseUrl)
    const began = Date.now()
    const error = await errorOf(source.events())
    expect(error).toBeInstanceOf(RetryLaterError)
    const { until } = error as RetryLaterError
    expect(until.getTime() - 1_000_000).toBeGreaterThanOrEqual(began - 1000)
    expect(until.getTime() - 1_000_000).toBeLessThanOrEqual(Date.now() + 1000)
    expect(error.message).toContain(until.toISOString())
    const unasked = await errorOf(source.responses('a'))
    expect(unasked).toBeInstanceOf(RequestSkippedError)
    expect(unasked).toMatchObject({ code: 'paused_by_service', message: error.message, until })
    expect(server.requests).toHaveLength(1)
    expect(source.counts).toMatchObject({ requests: 1, retries: 0 })
  })

  test('H8 those that wait at the gate are told at once, too', async () => {
    const server = await faultServer()
    server.at('/events/a/responses', status(429, { 'Retry-After': '600' }))
    server.at('/events/b/responses', async (socket, request) => {
      await vi.waitFor(() => expect(source.counts.rejected).toBe(1), { timeout: 30_000 })
      await status(503, { 'Retry-After': '901' })(socket, request)
    })
    const source = numberText(server.baseUrl)
    const errors = await Promise.all([errorOf(source.responses('a')), errorOf(source.responses('b'))])
    expect(errors[0]).toBeInstanceOf(RequestSkippedError)
    expect(errors[1]).toBeInstanceOf(RetryLaterError)
    expect(errors[1]).not.toBeInstanceOf(RequestSkippedError)
  })

  test('H8 a Retry-After beyond the run deadline', async () => {
    const server = await faultServer()
    server.always(status(503, { 'Retry-After': '30' }))
    const source = numberText(server.baseUrl, { runDeadline: performance.now() + 10_000 })
    expect(await errorOf(source.ping())).toBeInstanceOf(RetryLaterError)
    expect(server.requests).toHaveLength(1)
  })
})

describe('redirects', () => {
  const to = (location: string): Step => status(302, { Location: location }, '')

  test('H15 on the same origin are followed three times', async () => {
    const server = await faultServer()
    server.next(to('/api/v1/a'), to('b'), to(`${server.origin}/api/v1/c?d=e`), good)
    const source = numberText(server.baseUrl)
    expect(await valuesOf(source.events())).toEqual(items)
    expect(server.requests.map((request) => request.path)).toEqual([
      '/api/v1/events',
      '/api/v1/a',
      '/api/v1/b',
      '/api/v1/c?d=e',
    ])
    expect(source.counts).toMatchObject({ requests: 4, retries: 0 })
  })

  test.each([
    ['H15 a fourth time', '/api/v1/x'],
    ['H15 in a circle', '/api/v1/events'],
  ])('%s they are not', async (_, last) => {
    const server = await faultServer()
    server.next(to('a'), to('b'), to('c'), to(last), good)
    expect(await errorOf(numberText(server.baseUrl).events())).toBeInstanceOf(InvalidResponseError)
    expect(server.requests).toHaveLength(4)
  })

  test('H16 to another origin are refused, and the key goes nowhere', async () => {
    const server = await faultServer()
    const other = await faultServer()
    other.always(good)
    const source = numberText(server.baseUrl)
    for (const location of [other.baseUrl.href, `//${new URL(other.origin).host}/x`, 'https://127.0.0.1/']) {
      server.next(to(location))
      const error = await errorOf(source.events())
      expect(error).toBeInstanceOf(CrossOriginError)
      expect(error.message).toContain('base address')
    }
    expect(other.connections).toBe(0)
    expect(source.counts).toMatchObject({ requests: 3, retries: 0 })
  })
})

describe('a complete answer that is not the list', () => {
  test.each([
    ['H11 an HTML log-in page', '<!doctype html><title>Log in</title>', /HTML page.*base address.*Log in/],
    ['H12 an error object', '{"error":"maintenance"}', /object, not a list.*maintenance/],
    [
      'an object with pages',
      '{"data":[],"next":"/events?page=2"}',
      /keys data, next suggest a form of pagination/,
    ],
    ['H13 an empty body', '', /empty body/],
    ['H13 nothing but space', ' \r\n', /empty body/],
    ['null', 'null', /no JSON list/],
    ['plain text', 'OK', /no JSON list/],
  ])('%s is a broken contract, and not tried again', async (_, body, message) => {
    const server = await faultServer()
    server.always(send({ body, headers: { 'Content-Type': 'text/html; charset=utf-8' } }))
    const error = await errorOf(numberText(server.baseUrl).events())
    expect(error).toBeInstanceOf(InvalidResponseError)
    expect(error.message).toMatch(message)
    expect(server.requests).toHaveLength(1)
  })

  test('P1 a list that breaks off though its length is right', async () => {
    const server = await faultServer()
    server.always(send({ body: '[{"id":"a"}' }))
    using reading = await numberText(server.baseUrl).events()
    expect(await errorOf(itemsOf(reading))).toBeInstanceOf(InvalidResponseError)
  })

  test('H14 a Content-Range, whatever the status', async () => {
    const server = await faultServer()
    server.always(list(items, { 'Content-Range': 'items 0-0/7' }))
    expect(await errorOf(numberText(server.baseUrl).events())).toBeInstanceOf(InvalidResponseError)
  })
})

describe('pages', () => {
  const page = (id: string, link: string | null): Step => list([{ id }], link === null ? {} : { Link: link })

  test('H17 a chain of next pages is one list with one digest', async () => {
    const server = await faultServer()
    server.next(page('a', '<?page=2>; rel="next"'), resetBeforeHeaders)
    server.next(page('b', `<${server.origin}/p3>; rel="prev next"`), page('c', '</p1>; rel="prev"'))
    const source = numberText(server.baseUrl)
    using reading = await source.events()
    const items = await itemsOf(reading)
    expect(items.map((item) => [item.index, item.value])).toEqual([
      [0, { id: 'a' }],
      [1, { id: 'b' }],
      [2, { id: 'c' }],
    ])
    expect(reading).toMatchObject({ incompleteReason: null, warnings: [], bytes: 36 })
    expect(server.requests.map((request) => request.path)).toEqual([
      '/api/v1/events',
      '/api/v1/events?page=2',
      '/api/v1/events?page=2',
      '/p3',
    ])
    expect(source.counts).toMatchObject({ requests: 4, retries: 1 })
    server.next(page('a', '<?page=2>; rel="next"'), page('B', '</p3>; rel=next'), page('c', null))
    using other = await source.events()
    expect(other.digest(1)).not.toBe(reading.digest(1))
  })

  test.each([
    ['behind which nothing stands', '<?page=2>; rel="next";', null],
    ['behind which something stands that cannot be read', '<?page=2>; rel="next" <x>', 'paging'],
  ])(
    'H17 a next page %s is read; deletions are held only for the latter',
    async (_, link, incompleteReason) => {
      const server = await faultServer()
      server.next(page('a', link), page('b', null))
      using reading = await numberText(server.baseUrl).events()
      expect((await itemsOf(reading)).map((item) => item.value)).toEqual([{ id: 'a' }, { id: 'b' }])
      expect(reading.incompleteReason).toBe(incompleteReason)
    },
  )

  test('H17 a chain that goes round is a broken contract', async () => {
    const server = await faultServer()
    server.next(page('a', '</p2>; rel=next'), page('b', '</api/v1/events>; rel=next'))
    expect(await errorOf(numberText(server.baseUrl).events())).toBeInstanceOf(InvalidResponseError)
    expect(server.requests).toHaveLength(2)
  })

  test('H17 a next page on another origin is refused, and the key goes nowhere', async () => {
    const server = await faultServer()
    const other = await faultServer()
    server.next(page('a', `<${other.origin}/p2>; rel=next`))
    expect(await errorOf(numberText(server.baseUrl).responses('x'))).toBeInstanceOf(InvalidResponseError)
    expect(other.connections).toBe(0)
  })

  test('a total count that is not the number of items holds deletions', async () => {
    const server = await faultServer()
    server.next(list(items, { 'X-Total-Count': '120' }), list(items, { 'X-Total-Count': '1' }))
    const source = numberText(server.baseUrl)
    using short = await source.events()
    await itemsOf(short)
    expect(short.incompleteReason).toBe('paging')
    expect(short.warnings.join()).toMatch(/x-total-count says 120 items, 1 came/)
    using right = await source.events()
    await itemsOf(right)
    expect(right).toMatchObject({ incompleteReason: null, warnings: [] })
  })

  test('a Link header that cannot be read holds deletions', async () => {
    const server = await faultServer()
    server.next(page('a', '/p2; rel=next'))
    using reading = await numberText(server.baseUrl).events()
    expect(reading.incompleteReason).toBe('paging')
    expect(reading.warnings).toHaveLength(1)
  })
})

describe('X2 the key stands in no error, whatever the service says', () => {
  const spellings = [testKey, encodeURIComponent(testKey), JSON.stringify(testKey).slice(1, -1), 'canary']
  const padding = 'x'.repeat(180)
  test.each<[string, Step]>([
    ['in the body of a refusal', status(401, {}, { error: `${padding} unknown key ${testKey}` })],
    ['as text', status(400, {}, `${padding}${testKey}`)],
    ['where a list belongs', send({ body: { key: testKey, url: encodeURIComponent(testKey) } })],
    ['in a list that is no JSON', send({ body: `["${testKey}", ${testKey}` })],
    ['in a place to go to', status(302, { Location: `/${encodeURIComponent(testKey)}` }, '')],
    ['in a place elsewhere', status(302, { Location: `https://x.example/${testKey}` }, '')],
    ['in a header', list([], { 'Content-Encoding': testKey })],
    ['in a status line that is none', (socket) => void socket.end(`HTTP/9.9 ${testKey}\r\n\r\n`)],
  ])('%s', async (_, step) => {
    const server = await faultServer()
    server.always(step)
    const logged: unknown[] = []
    const source = numberText(server.baseUrl, { log: (...line) => logged.push(line) })
    const read = async (): Promise<unknown> => itemsOf(await source.events())
    const error = await errorOf(read())
    const shown = inspect([error, logged], { depth: 20, showHidden: true })
    for (const spelling of spellings) expect(shown).not.toContain(spelling)
  })

  test('a key that is none is refused before any request, and not shown', async () => {
    const server = await faultServer()
    expect(() => numberText(server.baseUrl, { apiKey: `${testKey}\r\nX-Admin: yes` })).toThrow(/line break/)
    const error = (): unknown => numberText(server.baseUrl, { apiKey: `${testKey}\u00E9` })
    expect(error).toThrow(ConfigurationError)
    expect(error).not.toThrow(/canary/)
    expect(server.connections).toBe(0)
  })
})

test('a status that says no counts, even when the body with it never ends', async () => {
  const server = await faultServer()
  server.always(
    send({ status: 401 }, (socket, head) => void socket.write(`${head}Content-Length: 9\r\n\r\n{`)),
  )
  const source = numberText(server.baseUrl, { requestTimeoutMs: 100 })
  expect(await errorOf(source.events())).toBeInstanceOf(AuthenticationError)
  expect(source.counts.requests).toBe(1)
})
