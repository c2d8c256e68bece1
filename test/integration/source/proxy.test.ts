import tls from 'node:tls'
import { request } from 'undici'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { CertificateError, UnreachableError } from '../../../src/common/errors.ts'
import { toNetworkError } from '../../../src/source/http/network-errors.ts'
import { createProxyAgent } from '../../../src/source/http/proxy-agent.ts'
import { selfSigned } from '../../support/http/certificate.ts'
import { closedPort, list, send } from '../../support/http/fault-server.ts'
import { answer, startHttpProxy, type Refuse } from '../../support/http/http-proxy.ts'
import { errorOf, faultServer, numberText, testKey, valuesOf } from '../../support/http/reading.ts'

const items = [{ id: 'fête-🎉' }, { id: 'b' }]
const usualRoots = tls.getCACertificates('default')
const service = new URL('https://events.example/api/v1')
const password = 's3cret-of-proxy'

/** A service that only the proxy reaches: its name is known to nobody else. */
async function behindProxy(dnsNames: readonly string[] = ['events.example']) {
  const certificate = selfSigned({ dnsNames })
  tls.setDefaultCACertificates([...usualRoots, certificate.cert])
  const server = await faultServer({ tls: certificate })
  server.always(list(items))
  const proxy = await startHttpProxy(server)
  onTestFinished(() => proxy[Symbol.asyncDispose]())
  return { server, proxy }
}

function sourceThrough(proxy: { readonly origin: string }, login = '', url = service) {
  return numberText(url, {
    proxy: new URL(proxy.origin.replace('://', `://${login}`)),
    requestTimeoutMs: 2000,
  })
}

describe('through an HTTP proxy', () => {
  test('a service that only the proxy reaches is read, and the proxy sees neither the key nor a path', async () => {
    const { server, proxy } = await behindProxy()
    const source = sourceThrough(proxy)
    const lists = await Promise.all(['a', 'b', 'c', 'd'].map((event) => valuesOf(source.responses(event))))
    expect(lists).toEqual([items, items, items, items])
    expect(server.requests.map(({ headers }) => headers['x-api-key'])).toEqual(Array(4).fill(testKey))
    expect(server.requests[0]?.headers).toMatchObject({ host: 'events.example' })
    expect(server.requests[0]?.headers).not.toHaveProperty('proxy-authorization')
    expect(new Set(proxy.asked.map(({ host }) => host))).toEqual(new Set(['events.example:443']))
    expect(proxy.sent()).not.toBe('')
    expect(proxy.sent()).not.toContain(testKey)
    expect(proxy.sent()).not.toContain('/api/v1')
  })

  test('connections stay open, as many as requests run at once', async () => {
    const { server, proxy } = await behindProxy()
    const source = numberText(service, { proxy: new URL(proxy.origin), concurrency: 3 })
    await Promise.all(Array.from({ length: 30 }, (_, event) => valuesOf(source.responses(`${event}`))))
    expect(server.requests).toHaveLength(30)
    expect(proxy.asked.length).toBeLessThanOrEqual(4)
  })

  test('plain http goes through a tunnel, too: no cache answers', async () => {
    const server = await faultServer()
    server.always(list(items))
    await using proxy = await startHttpProxy(server)
    const source = sourceThrough(proxy, '', new URL('http://events.example:8080/api/v1'))
    expect(await valuesOf(source.events())).toEqual(items)
    expect(proxy.asked[0]?.host).toBe('events.example:8080')
  })

  test('the proxy is told the user name and the password of its address, decoded', async () => {
    const { proxy } = await behindProxy()
    expect(await valuesOf(sourceThrough(proxy, `ann:${password}%40%C3%A9@`).events())).toEqual(items)
    const login = Buffer.from(`ann:${password}@é`).toString('base64')
    expect(proxy.asked[0]?.authorization).toBe(`Basic ${login}`)
  })

  test('a proxy that speaks TLS itself', async () => {
    const { server } = await behindProxy()
    const own = selfSigned({ dnsNames: ['localhost'] })
    await using proxy = await startHttpProxy(server, own)
    const error = await errorOf(sourceThrough(proxy).events())
    expect(error.message).toMatch(
      /certificate of the proxy localhost:\d+ is refused \(DEPTH_ZERO_SELF_SIGNED_CERT\)\..*`proxy`.*NODE_EXTRA_CA_CERTS/,
    )
    expect(proxy.asked).toEqual([])
    tls.setDefaultCACertificates([...tls.getCACertificates('default'), own.cert])
    expect(await valuesOf(sourceThrough(proxy).events())).toEqual(items)
  })

  test('a proxy that speaks TLS itself, by its address', async () => {
    const { server } = await behindProxy()
    const own = selfSigned({ ipAddresses: ['127.0.0.1'] })
    tls.setDefaultCACertificates([...tls.getCACertificates('default'), own.cert])
    await using proxy = await startHttpProxy(server, own)
    const warned = vi.fn()
    process.on('warning', warned)
    onTestFinished(() => void process.off('warning', warned))
    const origin = proxy.origin.replace('localhost', '127.0.0.1')
    expect(await valuesOf(sourceThrough({ origin }).events())).toEqual(items)
    expect(warned).not.toHaveBeenCalled()
  })
})

describe('what goes wrong on the way is told of the proxy or of the service, and where to mend it', () => {
  const refusals: readonly (readonly [string, Refuse, string, RegExp])[] = [
    ['no login', answer(407), '', /asks for a user name and a password \(407\)\. Give them in `proxy`/],
    ['a wrong login', answer(407), `ann:${password}@`, /refuses the user name or the password \(407\)/],
    [
      'a host that is not allowed',
      answer(403),
      '',
      /refuses to connect to events\.example \(403\).*NO_PROXY/,
    ],
    [
      'a service that is down',
      answer(502),
      '',
      /could not connect to events\.example \(502\).*running, and the address right\? Given up/,
    ],
    ['a proxy that closes', (socket) => socket.destroy(), '', /no connection to the proxy .* Check `proxy`/],
    ['a proxy that is none', (socket) => socket.end('SSH-2.0\r\n'), '', /no connection to the proxy/],
  ]
  test.for(refusals)('%s', async ([_, refuse, login, expected]) => {
    const { proxy, server } = await behindProxy()
    proxy.refuse(refuse)
    const source = sourceThrough(proxy, login)
    const error = await errorOf(source.events())
    expect(error).toBeInstanceOf(UnreachableError)
    expect(error.message).toMatch(expected)
    expect(error.message).toContain(proxy.host)
    expect(`${error.stack} ${String(error.cause)}`).not.toContain(password)
    expect(source.counts).toMatchObject({ requests: 3, retries: 2 })
    expect(server.requests).toEqual([])
    proxy.refuse()
    expect(await valuesOf(source.events())).toEqual(items)
  })

  test('a proxy that does not run', async () => {
    const error = await errorOf(sourceThrough({ origin: `http://127.0.0.1:${await closedPort()}` }).ping())
    expect(error).toBeInstanceOf(UnreachableError)
    expect(error.message).toMatch(
      /^GET \/api\/v1\/ping failed: there is no connection to the proxy .*ECONNREFUSED/,
    )
  })

  test('the certificate of the service is checked behind a proxy as well', async () => {
    const { proxy, server } = await behindProxy(['other.example'])
    const source = sourceThrough(proxy)
    const error = await errorOf(source.events())
    expect(error).toBeInstanceOf(CertificateError)
    expect(error.message).toMatch(/events\.example.*another name/)
    expect(server.requests).toEqual([])
    expect(source.counts).toMatchObject({ requests: 1, retries: 0 })
  })

  test('an answer that breaks off behind a proxy is tried again', async () => {
    const { proxy, server } = await behindProxy()
    server.next((socket) => void socket.destroy(), send({ status: 503, body: {} }))
    const source = sourceThrough(proxy)
    expect(await valuesOf(source.events())).toEqual(items)
    expect(source.counts).toMatchObject({ requests: 3, retries: 2 })
  })

  test('a proxy that says nothing', async () => {
    const { proxy } = await behindProxy()
    proxy.refuse(() => {})
    const source = numberText(service, { proxy: new URL(proxy.origin), requestTimeoutMs: 300 })
    expect((await errorOf(source.ping())).message).toMatch(
      /no connection through the proxy 127\.0\.0\.1:\d+ within 0\.3 s\. Check `proxy`/,
    )
    proxy.refuse((socket) => void socket.write('HTTP/1.1 200 OK\r\n\r\n'))
    expect((await errorOf(source.ping())).message).toMatch(/no connection through the proxy/)
  })

  test('a proxy that waits for a service which does not answer', async () => {
    const { proxy } = await behindProxy()
    proxy.refuse(() => {})
    const agent = createProxyAgent(new URL(proxy.origin), { connectTimeoutMs: 100 })
    onTestFinished(() => agent.destroy())
    const error = await errorOf(request(service, { dispatcher: agent }))
    expect(toNetworkError(error, service)?.message).toMatch(
      /^GET \/api\/v1 failed: the proxy 127\.0\.0\.1:\d+ did not say in time that it is connected to events\.example\. Is the service running, and does the proxy reach it\?$/,
    )
  })

  test('a source is closed while the proxy keeps it waiting', async () => {
    const { proxy } = await behindProxy()
    proxy.refuse(() => {})
    const source = sourceThrough(proxy)
    const reading = errorOf(source.events())
    await expect.poll(() => proxy.asked.length).toBe(1)
    await source.close()
    expect(await reading).toBeInstanceOf(Error)
  })
})
