import { setTimeout } from 'node:timers/promises'
import { expect, onTestFinished, test, vi } from 'vitest'
import { createHost } from '../../../src/source/host.ts'
import { list, send } from '../../support/http/fault-server.ts'
import { errorOf, faultServer, numberText, testKey, valuesOf } from '../../support/http/reading.ts'

async function hostOf(concurrency: number, requestTimeoutMs = 60_000) {
  const server = await faultServer()
  server.always(list([{ id: 1 }]))
  const logged: string[] = []
  const host = createHost({
    origin: server.origin,
    concurrency,
    requestTimeoutMs,
    proxy: null,
    log: (level, message) => logged.push(`${level}: ${message}`),
  })
  onTestFinished(() => host[Symbol.asyncDispose]())
  return { server, host, logged }
}

test('sources of one host share its connections and its bound, and each sends its own key', async () => {
  const { server, host } = await hostOf(3)
  let open = 0
  let most = 0
  server.always(async (socket, request) => {
    most = Math.max(most, (open += 1))
    await setTimeout(5)
    open -= 1
    await send({ body: [{ id: 1 }] })(socket, request)
  })
  const keys = ['key-a', 'key-b', 'key-c']
  const sources = keys.map((apiKey) => numberText(server.baseUrl, { host, apiKey }))
  await Promise.all(
    sources.flatMap((source, n) =>
      Array.from({ length: 10 }, (_, event) => valuesOf(source.responses(`${n}-${event}`))),
    ),
  )
  expect(most).toBe(3)
  expect(server.connections).toBeLessThanOrEqual(4)
  for (const { path, headers } of server.requests) {
    expect(headers['x-api-key']).toBe(keys[Number(/events\/(\d)-/.exec(path)?.[1])])
  }
  expect(sources.map(({ counts }) => counts.requests)).toEqual([10, 10, 10])
})

test('closing one source ends its own requests only', async () => {
  const { server, host } = await hostOf(4)
  const released = Promise.withResolvers<void>()
  server.always(async (socket, request) => {
    await released.promise
    await send({ body: [{ id: 1 }] })(socket, request)
  })
  const closed = numberText(server.baseUrl, { host })
  const other = numberText(server.baseUrl, { host })
  const ended = errorOf(closed.responses('a'))
  const read = valuesOf(other.responses('b'))
  await closed.close()
  expect((await ended).message).toContain('closed')
  released.resolve()
  expect(await read).toEqual([{ id: 1 }])
})

test('a source that waits for a pause holds no permit: the others have all of them', async () => {
  const { server, host } = await hostOf(2)
  const paused = numberText(server.baseUrl, { host })
  const other = numberText(server.baseUrl, { host, apiKey: `${testKey}2` })
  await valuesOf(other.responses('first'))
  server.at('/events/a/responses', send({ status: 429, headers: { 'Retry-After': '3' } }))
  const waiting = Promise.all(['a', 'c', 'd'].map((event) => valuesOf(paused.responses(event))))
  await vi.waitFor(() => expect(paused.counts.rejected).toBe(1), { timeout: 30_000 })
  await Promise.all(['x', 'y', 'z'].map((event) => valuesOf(other.responses(event))))
  await waiting
  const asked = server.requests.map(({ path }) => /events\/(\w+)/.exec(path)?.[1])
  // Before the refusal two had begun.
  const after = asked.slice(asked.indexOf('a')).filter((event) => event !== 'c')
  expect(new Set(after.slice(0, 4))).toEqual(new Set(['a', 'x', 'y', 'z']))
})

test('lists of one account that never come do not slow the requests of the others down', async () => {
  const { server, host } = await hostOf(4)
  server.at('/events/slow/responses', ...Array.from({ length: 3 }, () => () => {}))
  const slow = numberText(server.baseUrl, { host, requestTimeoutMs: 400 })
  const other = numberText(server.baseUrl, { host, apiKey: `${testKey}2` })
  const failing = errorOf(slow.responses('slow'))
  const over = new AbortController()
  void failing.then(() => over.abort())
  for (let event = 0; !over.signal.aborted; event += 1) await valuesOf(other.responses(`e${event}`))
  expect((await failing).message).toContain('no whole answer')
  expect(host.throttle.snapshot).toEqual({ requests_at_once: 4, requests_per_second: null })
})

test('that one of several accounts gets no answer says nothing of the host; that two get none does', async () => {
  // A silence of 0.2 s is noticed.
  const { server, host } = await hostOf(8, 1200)
  host.shareAmongAccounts()
  server.always(() => {})
  const one = numberText(server.baseUrl, { host, requestTimeoutMs: 60_000 })
  const ends = [errorOf(one.responses('a')), errorOf(one.responses('b'))]
  await setTimeout(700)
  expect(host.throttle.snapshot.requests_at_once).toBe(8)
  const other = numberText(server.baseUrl, { host, apiKey: `${testKey}2`, requestTimeoutMs: 60_000 })
  ends.push(errorOf(other.responses('c')))
  await vi.waitFor(() => expect(host.throttle.snapshot.requests_at_once).toBeLessThan(8), { timeout: 30_000 })
  await Promise.all([one.close(), other.close()])
  for (const { message } of await Promise.all(ends)) expect(message).toContain('closed')
})

test('that requests of one of several accounts fail closes no host; that those of two do does, until it answers', async () => {
  const { server, host } = await hostOf(8)
  host.shareAmongAccounts()
  const options = { host, requestTimeoutMs: 200 }
  const [one, other] = [numberText(server.baseUrl, options), numberText(server.baseUrl, options)]
  await valuesOf(one.responses('a'))
  server.always(() => {})
  await errorOf(one.responses('b'))
  expect(host.throttle.availability.isAnswering).toBe(true)
  await errorOf(other.responses('c'))
  expect(host.throttle.availability.isAnswering).toBe(false)
  server.always(list([{ id: 1 }]))
  await valuesOf(one.responses('d'))
  expect(host.throttle.availability.isAnswering).toBe(true)
})
