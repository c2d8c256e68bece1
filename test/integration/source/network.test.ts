import { setTimeout } from 'node:timers/promises'
import { createServer } from 'node:net'
import tls from 'node:tls'
import { describe, expect, test, vi } from 'vitest'
import {
  CertificateError,
  InterruptedError,
  LeaseLostError,
  RunTimeoutError,
  UnreachableError,
} from '../../../src/common/errors.ts'
import { selfSigned } from '../../support/http/certificate.ts'
import {
  chunked,
  closeBeforeHeaders,
  closedPort,
  cutShort,
  drip,
  list,
  oneByteSlices,
  resetBeforeHeaders,
  resetInBody,
  send,
  silence,
  type Step,
  untilClose,
  untilCloseHalf,
  withoutLastChunk,
} from '../../support/http/fault-server.ts'
import { listenOnLoopback } from '../../support/http/loopback.ts'
import { errorOf, faultServer, numberText, valuesOf } from '../../support/http/reading.ts'
import { itemsOf } from '../../support/accounts/read-items.ts'

const items = [{ id: 'fête-🎉' }, { id: 'b' }]
const good = list(items)
const usualRoots = tls.getCACertificates('default')

describe('the service cannot be reached', () => {
  test('N1 a name that is not known: three tries, then an error that names it', async () => {
    const source = numberText(new URL('http://no-such-host.invalid/api/v1'))
    const error = await errorOf(source.events())
    expect(error).toBeInstanceOf(UnreachableError)
    expect(error.message).toMatch(/no-such-host\.invalid.*DNS.*3 tries/)
    expect(source.counts).toMatchObject({ requests: 3, retries: 2 })
  })

  test('N2 connection refused: three tries, then an error that names host and port', async () => {
    const port = await closedPort()
    const source = numberText(new URL(`http://127.0.0.1:${port}/api/v1`))
    const error = await errorOf(source.ping())
    expect(error).toBeInstanceOf(UnreachableError)
    expect(error.message).toContain(`127.0.0.1:${port} refused the connection`)
    expect(source.counts).toMatchObject({ requests: 3, retries: 2 })
  })

  test('N3 a connection that hangs before TLS is agreed: the deadline ends each try', async () => {
    const mute = await faultServer()
    mute.always(silence)
    const source = numberText(new URL(mute.baseUrl.href.replace('http:', 'https:')), {
      requestTimeoutMs: 150,
    })
    const started = performance.now()
    expect(await errorOf(source.events())).toBeInstanceOf(UnreachableError)
    expect(performance.now() - started).toBeLessThan(20_000)
    expect(source.counts.requests).toBe(3)
  })

  test('N7 headers that never come: the deadline ends each try', async () => {
    const server = await faultServer()
    server.always(silence)
    const source = numberText(server.baseUrl, { requestTimeoutMs: 100 })
    const error = await errorOf(source.events())
    expect(error).toBeInstanceOf(UnreachableError)
    expect(error.message).toMatch(/no whole answer within 0\.1 s.*`requestTimeoutMs`/)
    expect(server.requests).toHaveLength(3)
  })

  test('N8 one byte now and then: pauses are short, and the deadline ends it all the same', async () => {
    const server = await faultServer()
    server.always(send({ body: items }, drip(10)))
    const source = numberText(server.baseUrl, { requestTimeoutMs: 200 })
    const error = await errorOf(source.events())
    expect(error.message).toMatch(/no whole answer within 0\.2 s.*[1-9]\d* bytes came/)
    expect(server.requests).toHaveLength(3)
  })

  test('N8 a body that moves on may take longer: 256 KiB give a second more', async () => {
    const server = await faultServer()
    const body = Buffer.from(JSON.stringify(['x'.repeat(4_000_000)]))
    server.always(
      send({ body }, async (socket, head, bytes) => {
        socket.write(`${head}Content-Length: ${bytes.length}\r\n\r\n`)
        socket.write(bytes.subarray(0, 3_000_000))
        await setTimeout(1500)
        socket.write(bytes.subarray(3_000_000))
      }),
    )
    const source = numberText(server.baseUrl, { requestTimeoutMs: 1000 })
    expect(await valuesOf(source.events())).toHaveLength(1)
    expect(source.counts.retries).toBe(0)
  })
})

describe('N4 a certificate that cannot be trusted is refused at once, and never tried again', () => {
  async function refusal(options: Parameters<typeof selfSigned>[0], trusted: boolean): Promise<Error> {
    const certificate = selfSigned(options)
    if (trusted) tls.setDefaultCACertificates([...usualRoots, certificate.cert])
    const server = await faultServer({ tls: certificate })
    server.always(good)
    const source = numberText(server.baseUrl)
    const error = await errorOf(source.events())
    expect(error).toBeInstanceOf(CertificateError)
    expect(server.requests).toEqual([])
    expect(source.counts).toMatchObject({ requests: 1, retries: 0 })
    return error
  }

  const here = { ipAddresses: ['127.0.0.1'] }

  test('an issuer that nobody knows', async () => {
    expect((await refusal(here, false)).message).toMatch(/NODE_EXTRA_CA_CERTS.*NODE_USE_SYSTEM_CA=1/)
  })

  test('another name', async () => {
    const error = await refusal({ dnsNames: ['other.example'] }, true)
    expect(error.message).toContain('another name')
  })

  test('a date that has passed', async () => {
    const error = await refusal({ ...here, from: new Date('2020-01-01'), to: new Date('2021-01-01') }, true)
    expect(error.message).toContain('has expired')
  })

  test('a date that is still to come', async () => {
    const error = await refusal({ ...here, from: new Date('2090-01-01'), to: new Date('2091-01-01') }, true)
    expect(error.message).toContain('not valid yet')
  })

  test('even when the environment says not to look', async () => {
    vi.stubEnv('NODE_TLS_REJECT_UNAUTHORIZED', '0')
    try {
      await refusal(here, false)
    } finally {
      vi.unstubAllEnvs()
    }
  })

  test('a port that does not speak TLS', async () => {
    const server = createServer((socket) => {
      socket.once('data', () => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n'))
    })
    await using plain = await listenOnLoopback(server)
    const source = numberText(new URL(`https://127.0.0.1:${plain.port}/api/v1`))
    const error = await errorOf(source.events())
    expect(error).toBeInstanceOf(CertificateError)
    expect(error.message).toContain('http:')
    expect(source.counts).toMatchObject({ requests: 1, retries: 0 })
  })

  test('while one that can be trusted is read', async () => {
    const certificate = selfSigned(here)
    tls.setDefaultCACertificates([...usualRoots, certificate.cert])
    const server = await faultServer({ tls: certificate })
    server.always(good)
    expect(await valuesOf(numberText(server.baseUrl).events())).toEqual(items)
  })
})

describe('an answer that breaks off is tried again, and given up after three tries', () => {
  const faults: readonly (readonly [string, Step])[] = [
    ['N5 reset before headers', resetBeforeHeaders],
    ['N5 closed before headers', closeBeforeHeaders],
    ['N6 reset in the body', send({ body: items }, resetInBody)],
    ['N10 cut short of Content-Length', send({ body: items }, cutShort)],
    [
      'N10 cut short of Content-Length, and said to be the last answer',
      send({ body: items, headers: { Connection: 'close' } }, cutShort),
    ],
    ['N11 chunked without its last chunk', send({ body: items }, withoutLastChunk)],
    [
      'N11 chunked without its last chunk, and said to be the last answer',
      send({ body: items, headers: { Connection: 'close' } }, withoutLastChunk),
    ],
    ['a body without an end mark that ends in the middle', send({ body: items }, untilCloseHalf)],
    ['not HTTP at all', (socket) => void socket.end('220 mail.example ESMTP\r\n')],
  ]

  test.each(faults)('%s', async (_, fault) => {
    const server = await faultServer()
    server.next(fault, fault, good)
    const source = numberText(server.baseUrl)
    expect(await valuesOf(source.events())).toEqual(items)
    expect(source.counts).toMatchObject({ requests: 3, retries: 2 })

    server.always(fault)
    const other = numberText(server.baseUrl)
    const error = await errorOf(other.events())
    expect(error).toBeInstanceOf(UnreachableError)
    expect(error.message).toMatch(/^GET \/api\/v1\/events.*3 tries/)
    expect(other.counts).toMatchObject({ requests: 3, retries: 2 })
  })

  test('N9 a kept-alive connection that the peer closes when it is used again', async () => {
    const server = await faultServer()
    const source = numberText(server.baseUrl)
    for (const fault of [closeBeforeHeaders, resetBeforeHeaders]) {
      server.next(good, fault, good)
      expect(await valuesOf(source.events())).toEqual(items)
      await setTimeout(20)
      const { connections, requests } = server
      const before = requests.length
      expect(await valuesOf(source.events())).toEqual(items)
      expect(requests[before]?.connection).toBeLessThanOrEqual(connections)
    }
    expect(source.counts.retries).toBe(2)
  })
})

describe('an answer that comes whole, in whatever pieces', () => {
  test('N12 one byte at a time gives the same rows and the same digest', async () => {
    const server = await faultServer()
    server.next(good, send({ body: items }, oneByteSlices), send({ body: items }, chunked))
    const source = numberText(server.baseUrl)
    using whole = await source.events()
    using sliced = await source.events()
    using inChunks = await source.events()
    expect((await itemsOf(sliced)).map((item) => item.value)).toEqual(items)
    expect([sliced.digest(1), inChunks.digest(1)]).toEqual([whole.digest(1), whole.digest(1)])
    expect(whole.digest(2)).not.toBe(whole.digest(1))
  })

  test('a body without an end mark is read, and holds deletions', async () => {
    const server = await faultServer()
    server.always(send({ body: items }, untilClose))
    using reading = await numberText(server.baseUrl).events()
    expect(await itemsOf(reading)).toHaveLength(2)
    expect(reading.incompleteReason).toBe('no_end_mark')
    expect(reading.warnings).toHaveLength(1)
  })
})

describe('every wait ends', () => {
  test('an abort ends a request with the reason that the caller gave', async () => {
    const server = await faultServer()
    server.always(silence)
    const controller = new AbortController()
    const source = numberText(server.baseUrl, { signal: controller.signal })
    const failing = errorOf(source.events())
    await vi.waitFor(() => expect(server.requests).toHaveLength(1), { timeout: 30_000 })
    const reason = new LeaseLostError('taken over')
    controller.abort(reason)
    expect(await failing).toBe(reason)
    expect(await errorOf(source.events())).toBe(reason)
    expect(server.requests).toHaveLength(1)
  })

  test('an abort counts before a status whose body is still coming', async () => {
    const server = await faultServer()
    server.always(
      send({ status: 401 }, (socket, head) => void socket.write(`${head}Content-Length: 9\r\n\r\n{`)),
    )
    const controller = new AbortController()
    const source = numberText(server.baseUrl, { signal: controller.signal })
    const failing = errorOf(source.events())
    await vi.waitFor(() => expect(source.counts.bytesReceived).toBe(1), { timeout: 30_000 })
    controller.abort()
    expect(await failing).toBeInstanceOf(InterruptedError)
  })

  test('an abort without a reason of ours is an interruption', async () => {
    const source = numberText(new URL('http://127.0.0.1:1/api/v1'), { signal: AbortSignal.abort() })
    expect(await errorOf(source.ping())).toBeInstanceOf(InterruptedError)
    expect(source.counts.requests).toBe(0)
  })

  test('an abort ends the wait for another try', async () => {
    const server = await faultServer()
    server.always(send({ status: 503, headers: { 'Retry-After': '60' } }))
    const controller = new AbortController()
    const source = numberText(server.baseUrl, { signal: controller.signal })
    const failing = errorOf(source.events())
    await vi.waitFor(() => expect(source.counts.rejected).toBe(1), { timeout: 30_000 })
    controller.abort()
    expect(await failing).toBeInstanceOf(InterruptedError)
  })

  test('the run deadline ends a request, and is not tried again', async () => {
    const server = await faultServer()
    server.always(silence)
    const source = numberText(server.baseUrl, { runDeadline: performance.now() + 100 })
    expect(await errorOf(source.events())).toBeInstanceOf(RunTimeoutError)
    expect(server.requests).toHaveLength(1)
  })

  test('closing the source ends what is under way', async () => {
    const server = await faultServer()
    server.always(silence)
    const source = numberText(server.baseUrl)
    const failing = errorOf(source.events())
    await vi.waitFor(() => expect(server.requests).toHaveLength(1), { timeout: 30_000 })
    await source.close()
    expect(await failing).toBeInstanceOf(InterruptedError)
  })

  test('no more requests at once than allowed', async () => {
    const server = await faultServer()
    let now = 0
    let most = 0
    server.always(async (socket, request) => {
      now += 1
      most = Math.max(most, now)
      await setTimeout(10)
      now -= 1
      await good(socket, request)
    })
    const source = numberText(server.baseUrl, { concurrency: 3 })
    await Promise.all(Array.from({ length: 12 }, (_, n) => valuesOf(source.responses(`e${n}`))))
    expect(most).toBe(3)
    expect(source.counts.requests).toBe(12)
  })
})
