import { setTimeout } from 'node:timers/promises'
import { expect, test, vi } from 'vitest'
import { InterruptedError, RunTimeoutError, UnreachableError } from '../../../src/common/errors.ts'
import { drip, list, send, type Step } from '../../support/http/fault-server.ts'
import { errorOf, faultServer, numberText, valuesOf } from '../../support/http/reading.ts'

const good = list([{ id: 1 }])
const refuse = send({ status: 429, body: { error: 'slow down' } })

function eight(): string[] {
  return Array.from({ length: 8 }, (_, n) => `e${n}`)
}

/** Holds the first requests until there are so many, then lets them all go on. */
function together(count: number, step: Step): Step {
  const here = Promise.withResolvers<void>()
  let arrived = 0
  return async (socket, request) => {
    arrived += 1
    if (arrived === count) here.resolve()
    await here.promise
    await step(socket, request)
  }
}

test('H7 a storm of 429 halves the pace once, spends no try and no budget, and everything is read', async () => {
  const server = await faultServer()
  const storm = together(8, refuse)
  server.next(...eight().map(() => storm))
  server.always(good)
  const logged: unknown[][] = []
  const source = numberText(server.baseUrl, { log: (...line) => logged.push(line) })
  expect(source.throttle).toEqual({ requests_at_once: 8, requests_per_second: null })
  const read = await Promise.all(eight().map((id) => valuesOf(source.responses(id))))
  expect(read).toHaveLength(8)
  expect(source.counts).toMatchObject({ requests: 16, retries: 0, rejected: 8, rejectedRetries: 8 })
  const changes = logged.filter(([, message]) => String(message).startsWith('The rate limit changes'))
  expect(changes[0]).toMatchObject([
    'debug',
    'The rate limit changes: the service answers 429.',
    { requests_at_once: 4 },
  ])
  expect(source.throttle.requests_at_once).toBe(4)
  expect(source.throttle.requests_per_second).toBeGreaterThan(0)
})

test('H5 503 with Retry-After is a refusal, too; without it, it spends a try and slows down all the same', async () => {
  const server = await faultServer()
  server.next(send({ status: 503, headers: { 'Retry-After': '0' } }), send({ status: 503 }), good)
  const source = numberText(server.baseUrl)
  await valuesOf(source.responses('a'))
  expect(source.counts).toMatchObject({ requests: 3, retries: 1, rejected: 1 })
  expect(source.throttle.requests_at_once).toBe(4)
  expect(source.throttle.requests_per_second).toBeGreaterThan(0)
})

test('H7 a request that is refused ten times fails, and says so', async () => {
  const server = await faultServer()
  server.always(good)
  const source = numberText(server.baseUrl)
  // What was refused is tried again after as long as the service took for some answers before: that is soon.
  await Promise.all(Array.from({ length: 60 }, (_, n) => valuesOf(source.responses(`e${n}`))))
  server.always(refuse)
  const error = await errorOf(source.responses('a'))
  expect(error).toBeInstanceOf(UnreachableError)
  expect(error.message).toMatch(/429.*10 rejections/)
  expect(source.counts).toMatchObject({ requests: 70, retries: 0, rejected: 10 })
  expect(server.requests).toHaveLength(70)
})

test('a service that falls silent is asked for half as much, long before a request fails', async () => {
  const server = await faultServer()
  const awake = Promise.withResolvers<void>()
  let now = 0
  let most = 0
  server.always(async (socket, request) => {
    now += 1
    most = Math.max(most, now)
    await awake.promise
    await setTimeout(10)
    now -= 1
    await good(socket, request)
  })
  const source = numberText(server.baseUrl, { requestTimeoutMs: 6000 })
  const reading = Array.from({ length: 20 }, (_, n) => valuesOf(source.responses(`e${n}`)))
  await vi.waitFor(() => expect(source.throttle.requests_at_once).toBe(4), { interval: 5, timeout: 30_000 })
  expect(source.throttle.requests_per_second).toBeNull()
  expect(most).toBe(8)
  awake.resolve()
  await Promise.all(reading.slice(0, 8))
  most = 0
  await Promise.all(reading)
  expect(most).toBeLessThanOrEqual(4)
  expect(source.counts).toMatchObject({ requests: 20, retries: 0 })
})

test('a service that sends has not stalled, though one answer has not begun', async () => {
  const server = await faultServer()
  const sent = Promise.withResolvers<void>()
  server.at('/events/a/responses', send({ body: ['x'.repeat(100)] }, drip(20)))
  server.always(async (socket, request) => {
    await sent.promise
    await good(socket, request)
  })
  const logged: string[] = []
  // Silence would be noticed after 1.2 s; the drip takes 2 s.
  const source = numberText(server.baseUrl, {
    requestTimeoutMs: 7200,
    log: (_, message) => logged.push(message),
  })
  const waiting = valuesOf(source.responses('b'))
  await valuesOf(source.responses('a'))
  sent.resolve()
  await waiting
  expect(logged).toEqual([])
  expect(source.throttle.requests_at_once).toBe(8)
})

test('a request that takes too long halves the bound, and nothing else', async () => {
  const server = await faultServer()
  server.next(send({ body: ['x'.repeat(1000)] }, drip(5)))
  server.always(good)
  const logged: string[] = []
  const source = numberText(server.baseUrl, {
    requestTimeoutMs: 600,
    log: (_, message) => logged.push(message),
  })
  await valuesOf(source.responses('a'))
  expect(logged).toContain('The rate limit changes: a request took too long.')
  expect(source.throttle).toEqual({ requests_at_once: 4, requests_per_second: null })
  expect(source.counts).toMatchObject({ retries: 1, rejected: 0 })
})

test('the wait for the pace ends with an abort, and with the run deadline', async () => {
  const server = await faultServer()
  server.always(refuse)
  const controller = new AbortController()
  const source = numberText(server.baseUrl, {
    signal: controller.signal,
    // By then the next try waits for the pace, for an eighth of a second or longer.
    log: () => {
      if ((source.throttle.requests_per_second ?? Infinity) < 8) setImmediate(() => controller.abort())
    },
  })
  expect(await errorOf(source.responses('a'))).toBeInstanceOf(InterruptedError)
  const hurried = numberText(server.baseUrl, { runDeadline: performance.now() + 300 })
  expect(await errorOf(hurried.responses('a'))).toBeInstanceOf(RunTimeoutError)
})

test('without a refusal there is no interval, whatever else goes wrong', async () => {
  const server = await faultServer()
  server.next(send({ status: 500 }), send({ status: 404 }), send({ status: 400 }))
  server.always(async (socket, request) => {
    await setTimeout(1)
    await good(socket, request)
  })
  const source = numberText(server.baseUrl)
  await Promise.allSettled(Array.from({ length: 30 }, (_, n) => valuesOf(source.responses(`e${n}`))))
  expect(source.counts).toMatchObject({ requests: 31, retries: 1 })
  expect(source.throttle).toEqual({ requests_at_once: 8, requests_per_second: null })
})
