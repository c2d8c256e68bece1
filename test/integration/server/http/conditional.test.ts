/** What HTTP itself promises: heads, validators, codings, ranges, kept connections. */
import { gunzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { listening, singleKey, singleStore } from '../../../support/http/http-service.ts'
import { closing, exchange, requestText, type RawAnswer } from '../../../support/http/raw-http.ts'
import { expectSilence } from '../../../support/mirror/shared-mirror.ts'

expectSilence()

const key = ['X-API-Key', singleKey] as const
const list = '/api/v1/events'
const events = () => Array.from({ length: 50 }, (_, place) => ({ id: `event-${place}`, title: 'Come!' }))

async function start() {
  const { port, errors } = await listening(singleStore({ events }))
  const get = async (
    path: string,
    headers: Record<string, string> = {},
    method = 'GET',
  ): Promise<RawAnswer> => {
    const sent = requestText(path, [key, ...Object.entries(headers), closing], method)
    const [answer, ...more] = await exchange(port, sent, () => method === 'HEAD')
    if (answer === undefined || more.length > 0) throw new Error('One answer was to come.')
    return answer
  }
  const tag = String((await get(list)).headers['etag'])
  const packedTag = String((await get(list, { 'Accept-Encoding': 'gzip' })).headers['etag'])
  return { port, get, tag, packedTag, errors }
}

describe('If-None-Match', () => {
  test('gives 304 for the tag that was given, in every way in which it may be sent, and 200 for any other', async () => {
    const { get, tag, packedTag } = await start()
    expect(packedTag).not.toBe(tag)
    const many = Array.from({ length: 500 }, (_, place) => `"${place}"`).join(',')
    const same = [
      tag,
      `W/${tag}`,
      `"x", ${tag}`,
      `${tag},"y"`,
      `W/"x" , ${tag}`,
      `${many},${tag}`,
      '*',
      `${packedTag}, ${tag}`,
    ]
    const other = [
      packedTag,
      '"x"',
      tag.slice(1, -1),
      `${tag.slice(0, -2)}"`,
      '',
      'W/',
      '"',
      many,
      `w/${tag}`,
    ]
    for (const sent of same)
      expect([sent, (await get(list, { 'If-None-Match': sent })).status]).toEqual([sent, 304])
    for (const sent of other)
      expect([sent, (await get(list, { 'If-None-Match': sent })).status]).toEqual([sent, 200])
  })

  test('names one form: compressed or not, whole or a page', async () => {
    const { get, tag, packedTag } = await start()
    const packed = { 'Accept-Encoding': 'gzip' }
    expect((await get(list, { 'If-None-Match': packedTag, ...packed })).status).toBe(304)
    expect((await get(list, { 'If-None-Match': tag, ...packed })).status).toBe(200)
    const page = await get(`${list}?limit=10`)
    const pageTag = String(page.headers['etag'])
    expect((await get(`${list}?limit=10`, { 'If-None-Match': pageTag })).status).toBe(304)
    for (const another of [list, `${list}?limit=11`, `${list}?limit=10&after=event-1`])
      expect((await get(another, { 'If-None-Match': pageTag })).status).toBe(200)
  })

  test('gives a 304 with what may have changed, and without a body or its headers', async () => {
    const { get, tag } = await start()
    for (const method of ['GET', 'HEAD']) {
      const { status, headers, body } = await get(list, { 'If-None-Match': tag }, method)
      expect([status, body]).toEqual([304, ''])
      const { date: _, ...said } = headers
      expect(said).toEqual({
        'cache-control': 'private, no-cache',
        vary: 'X-API-Key, Accept-Encoding',
        age: '0',
        etag: tag,
        connection: 'close',
      })
    }
  })

  test('counts only where the key, the query and the event are sound', async () => {
    const { port, get, tag } = await start()
    const condition = { 'If-None-Match': '*' }
    expect((await get(`${list}?limit=0`, condition)).status).toBe(400)
    expect((await get(`${list}/nothing/responses`, condition)).status).toBe(404)
    expect((await get(list, condition, 'POST')).status).toBe(405)
    const wrong = requestText(list, [['If-None-Match', tag], ['X-API-Key', 'wrong'], closing])
    expect((await exchange(port, wrong)).map(({ status }) => status)).toEqual([401])
  })

  test('counts beside Cache-Control: no-cache, which speaks to caches, and which fetch adds by itself', async () => {
    const { port, get, tag } = await start()
    expect((await get(list, { 'If-None-Match': tag, 'Cache-Control': 'no-cache' })).status).toBe(304)
    const headers = { [key[0]]: key[1], 'Accept-Encoding': 'identity', 'If-None-Match': tag }
    expect((await fetch(`http://127.0.0.1:${port}${list}`, { headers })).status).toBe(304)
  })
})

describe('one list', () => {
  test('is given whole and as it is, whatever else is wished', async () => {
    const { get, tag } = await start()
    const wishes = [
      { Range: 'bytes=0-9' },
      { Range: 'bytes=0-9', 'If-Range': tag },
      { Range: 'items=1-2' },
      { 'If-Match': '"another"' },
      { 'If-Modified-Since': new Date().toUTCString() },
      { 'If-Unmodified-Since': 'Thu, 01 Jan 1970 00:00:00 GMT' },
      { Accept: 'text/html' },
      { 'Accept-Charset': 'utf-16' },
    ]
    for (const wish of wishes) {
      const { status, headers, body } = await get(list, wish)
      expect([wish, status, headers['content-range']]).toEqual([wish, 200, undefined])
      expect(JSON.parse(body)).toHaveLength(50)
    }
  })

  test.each([
    ['gzip', 'gzip'],
    ['GZIP', 'gzip'],
    ['*', 'gzip'],
    ['br, gzip;q=0.1', 'gzip'],
    ['deflate, gzip;q=1.0, *;q=0.5', 'gzip'],
    ['gzip;q=0', undefined],
    ['identity, gzip;q=0.5', undefined],
    ['br', undefined],
    ['', undefined],
    [';;,,q=', undefined],
    ['identity;q=0, *;q=0', undefined],
  ])('comes for Accept-Encoding %j as %s', async (accepted, coding) => {
    const { port } = await start()
    const sent = requestText(list, [key, ['Accept-Encoding', accepted], closing])
    const [answer] = await exchange(port, sent)
    expect(answer?.headers['content-encoding']).toBe(coding)
  })

  test('is compressed as what it is', async () => {
    const { service } = await listening(singleStore({ events }))
    const headers = { 'X-API-Key': singleKey, 'Accept-Encoding': 'gzip' }
    const answer = await service.fetch(new Request(`http://a${list}`, { headers }))
    expect(JSON.parse(String(gunzipSync(await answer.arrayBuffer())))).toHaveLength(50)
  })
})

describe('HEAD', () => {
  test.each([
    ['/api/v1/ping', 200],
    [list, 200],
    [`${list}?limit=10`, 200],
    [`${list}/a/responses`, 200],
    [`${list}?limit=0`, 400],
    [`${list}/nothing/responses`, 404],
    ['/api/v1/nothing', 404],
    ['/docs', 200],
    ['/api/v1/openapi.json', 200],
    ['/healthz', 200],
    ['/readyz', 200],
  ])('of %s gives the headers of GET and no body', async (path, status) => {
    const { get } = await start()
    for (const coding of ['identity', 'gzip']) {
      const wish = { 'Accept-Encoding': coding }
      const { headers: full } = await get(path, wish)
      const head = await get(path, wish, 'HEAD')
      const { date: _, ...said } = head.headers
      const { date: __, ...expected } = full
      expect([head.status, head.body]).toEqual([status, ''])
      expect(said).toEqual(expected)
    }
  })
})

describe('a connection', () => {
  test('answers what is sent ahead in its order, errors among it', async () => {
    const gate = Promise.withResolvers<object[]>()
    let [begun, running, most] = [0, 0, 0]
    const slow = async () => {
      begun += 1
      most = Math.max(most, (running += 1))
      const made = await (begun === 1 ? gate.promise : events())
      running -= 1
      return made
    }
    const { port } = await listening(singleStore({ events: slow }))
    const wrong = ['X-API-Key', 'wrong'] as const
    const round = [
      requestText(list, [key]),
      requestText('/api/v1/ping', [key]),
      requestText('/api/v1/ping', [wrong]),
      requestText(`${list}?limit=0`, [key]),
      requestText('/api/v1/nothing', [key], 'HEAD'),
      requestText('/api/v1/ping', [key], 'PUT'),
      requestText(list, [key, ['If-None-Match', '*']]),
    ]
    const sent = `${round.join('').repeat(20)}${requestText('/api/v1/ping', [key, closing])}`
    const answers = exchange(port, sent, (place) => place % round.length === 4 && place < round.length * 20)
    gate.resolve(events())
    const expected = Array.from({ length: 20 }, () => [200, 200, 401, 400, 404, 405, 304]).flat()
    expect((await answers).map(({ status }) => status)).toEqual([...expected, 200])
    expect(most).toBe(1)
  })

  test('of HTTP/1.0 ends with the answer unless it is to be kept, and needs no Host', async () => {
    const { port } = await start()
    const one = (headers: string) => `GET /api/v1/ping HTTP/1.0\r\n${key.join(': ')}\r\n${headers}\r\n`
    const answers = await exchange(port, one('') + one(''))
    expect(answers.map(({ status }) => status)).toEqual([200])
    const kept = await exchange(port, one('Connection: keep-alive\r\n') + one(''))
    expect(kept.map(({ status, headers }) => [status, headers['connection']])).toEqual([
      [200, 'keep-alive'],
      [200, 'close'],
    ])
  })
})

describe('a listener that throws', () => {
  test('takes no answer with it, and nothing is printed', async () => {
    const broken = () => Promise.reject(new Error('away'))
    const { port } = await listening(singleStore({ events: broken }), {
      onError: () => {
        throw new Error('the log is away too')
      },
    })
    const answers = await exchange(
      port,
      requestText(list, [key]) + requestText('/api/v1/ping', [key, closing]),
    )
    expect(answers.map(({ status, headers }) => [status, headers['content-type']])).toEqual([
      [500, 'application/problem+json'],
      [200, 'application/json; charset=utf-8'],
    ])
  })
})

test('CONNECT is answered with 405, and ends the connection', async () => {
  const { port, errors } = await start()
  const answers = await exchange(port, requestText('example.org:443', [], 'CONNECT'))
  expect(answers).toMatchObject([{ status: 405, headers: { allow: 'GET, HEAD', connection: 'close' } }])
  expect(JSON.parse(answers[0]?.body ?? '')).toMatchObject({ code: 'method_not_allowed' })
  expect(errors).toEqual([])
})
