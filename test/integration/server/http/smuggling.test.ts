/** Bytes that could be one request to a proxy in front and two to the service, or the other way round. */
import { describe, expect, test } from 'vitest'
import { listening, singleKey, singleStore } from '../../../support/http/http-service.ts'
import { closing, exchange, requestText } from '../../../support/http/raw-http.ts'

const key = ['X-API-Key', singleKey] as const
const host = 'Host: a\r\n'
/** What must never be answered: it stands where only one of two readers sees a request. */
const hidden = requestText('/api/v1/ping', [key, closing])
const chunked = 'Transfer-Encoding: chunked\r\n'
const post = (headers: string, body: string) => `POST /api/v1/ping HTTP/1.1\r\n${host}${headers}\r\n${body}`
const get = (headers: string) => `GET /api/v1/ping HTTP/1.1\r\n${host}${headers}\r\n`

describe('X7 a request with another one hidden in it', () => {
  const length = Buffer.byteLength(hidden)
  const attempts: Record<string, string> = {
    'a length and chunks': post(`Content-Length: ${length}\r\n${chunked}`, `0\r\n\r\n${hidden}`),
    'chunks and a length': post(`${chunked}Content-Length: 5\r\n`, `0\r\n\r\n${hidden}`),
    'chunks and another coding': post(`${chunked}Transfer-Encoding: identity\r\n`, `0\r\n\r\n${hidden}`),
    'chunks twice': post('Transfer-Encoding: chunked, chunked\r\n', `0\r\n\r\n${hidden}`),
    'a coding that is not known': post('Transfer-Encoding: xchunked\r\n', `0\r\n\r\n${hidden}`),
    'a coding behind a vertical tab': post('Transfer-Encoding: \x0bchunked\r\n', `0\r\n\r\n${hidden}`),
    'a coding on a folded line': post('Transfer-Encoding:\r\n chunked\r\n', `0\r\n\r\n${hidden}`),
    'two lengths': post(`Content-Length: 0\r\nContent-Length: ${length}\r\n`, hidden),
    'the same length twice': post(`Content-Length: 5\r\nContent-Length: 5\r\n`, `12345${hidden}`),
    'lengths with a comma': post(`Content-Length: 5, 5\r\n`, `12345${hidden}`),
    'a length with a sign': post(`Content-Length: +5\r\n`, `12345${hidden}`),
    'a length below zero': post(`Content-Length: -1\r\n`, hidden),
    'a length in hexadecimal digits': post(`Content-Length: 0x5\r\n`, `12345${hidden}`),
    'a length before a blank and a colon': post(`Content-Length : ${length}\r\n`, hidden),
    'a header on two lines': get(`X-A: b\r\n c\r\n`) + hidden,
    'a header without a name': get(`: b\r\n`) + hidden,
    'a line that ends without CR': `GET /api/v1/ping HTTP/1.1\n${host}\n${hidden}`,
    'a header that ends without CR': `GET /api/v1/ping HTTP/1.1\r\nHost: a\nX-A: b\r\n\r\n${hidden}`,
    'a CR in a header': get(`X-A: b\rX-B: c\r\n`) + hidden,
    'U+0000 in a header': get(`X-A: b\0c\r\n`) + hidden,
    'the body of a GET': get(`${key.join(': ')}\r\nContent-Length: ${length}\r\n`) + hidden,
    'the body of a HEAD': `HEAD /api/v1/ping HTTP/1.1\r\n${host}Content-Length: ${length}\r\n\r\n${hidden}`,
    'behind the body of a POST': post('Content-Length: 5\r\n', `12345${hidden}`),
    'behind the chunks of a GET': get(chunked) + `5\r\n12345\r\n0\r\n\r\n${hidden}`,
    'behind chunks of HTTP/1.0': `POST /api/v1/ping HTTP/1.0\r\n${host}${chunked}Connection: keep-alive\r\n\r\n0\r\n\r\n${hidden}`,
    'a trailer with a key': post(chunked, `0\r\n${key.join(': ')}\r\n\r\n${hidden}`),
    'the size of a chunk in C': post(chunked, `0x5\r\n12345\r\n0\r\n\r\n${hidden}`),
    'the size of a chunk beyond 64 bits': post(chunked, `10000000000000000\r\n${hidden}`),
    'an extension of a chunk without CR': post(chunked, `5;a\nb\r\n12345\r\n0\r\n\r\n${hidden}`),
    'behind the offer of another protocol': get('Connection: Upgrade\r\nUpgrade: websocket\r\n') + hidden,
    'behind the offer of HTTP/2':
      get('Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABk\r\n') + hidden,
    'behind CONNECT': `CONNECT a:80 HTTP/1.1\r\n${host}\r\n${hidden}`,
    'behind the preface of HTTP/2': `PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n${hidden}`,
    'a version to come': `GET /api/v1/ping HTTP/1.2\r\n${host}\r\n${hidden}`,
    'two Host headers': get('Host: b\r\n') + hidden,
    'no Host header': `GET /api/v1/ping HTTP/1.1\r\n\r\n${hidden}`,
  }

  test.each(Object.keys(attempts))('%s: refused or answered once, and the connection ends', async (name) => {
    const { port, errors } = await listening(singleStore())
    const answers = await exchange(
      port,
      attempts[name] ?? '',
      (place) => place === 0 && name.includes('HEAD'),
    )
    expect(answers.length).toBeLessThanOrEqual(1)
    const allowed = name === 'the body of a GET' ? [200] : [400, 401, 405]
    for (const { status, headers, body } of answers) {
      expect(allowed).toContain(status)
      expect(headers['connection']).toBe('close')
      if (status !== 200) expect(headers['content-type']).toBe('application/problem+json')
      if (status !== 200 && body !== '') expect(JSON.parse(body).status).toBe(status)
    }
    expect(errors).toEqual([])
  })

  test('behind one that is sound: this is answered, then the connection ends', async () => {
    const { port } = await listening(singleStore())
    const sound = requestText('/api/v1/ping', [key])
    const answers = await exchange(port, `${sound}${sound}GET /api/v1/ping HTTP/1.1\nHost: a\n\n${hidden}`)
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 400])
  })

  test('an expectation is no reason to wait for a body, nor to refuse', async () => {
    const { port } = await listening(singleStore())
    for (const expectation of ['100-continue', 'something-else']) {
      const sent = requestText('/api/v1/ping', [key, ['Expect', expectation], closing])
      expect((await exchange(port, sent)).map(({ status }) => status)).toEqual([200])
    }
    const waiting = post(`${key.join(': ')}\r\nExpect: 100-continue\r\nContent-Length: 5\r\n`, '')
    expect((await exchange(port, waiting)).map(({ status }) => status)).toEqual([405])
  })
})
