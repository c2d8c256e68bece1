import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { createHttpService } from '../../../src/server/http-service.ts'
import { singleKey, singleStore, startSingle } from '../../support/http/http-service.ts'
import { openSocket } from '../../support/http/raw-http.ts'

/** Taken before any service is made here. */
const globalsBefore = [globalThis.Request, globalThis.Response, globalThis.fetch]

test('names its base address, which ends in /api/v1', async () => {
  const { url, port } = await startSingle()
  expect(url).toBe(`http://127.0.0.1:${port}/api/v1`)
})

test('answers without a server too', async () => {
  const service = createHttpService({ store: singleStore() })
  const answer = await service.fetch(
    new Request('http://x/api/v1/ping', { headers: { 'X-API-Key': singleKey } }),
  )
  expect(await answer.json()).toEqual({ email: 'owner@example.org' })
  await service.close()
})

test('says what to do when the port is taken', async () => {
  const { port, service } = await startSingle()
  const other = createHttpService({ store: singleStore() })
  await expect(other.listen({ host: '127.0.0.1', port })).rejects.toThrow(
    /cannot listen on 127\.0\.0\.1:\d+.*choose another/,
  )
  await expect(other.listen({ host: '127.0.0.1', port })).rejects.toMatchObject({
    code: 'usage',
    exitCode: 2,
  })
  await expect(service.listen({ host: '127.0.0.1', port: 0 })).rejects.toMatchObject({ code: 'usage' })
})

test('leaves the globals of the process alone', async () => {
  const { get } = await startSingle()
  await get('/ping')
  expect(
    [globalThis.Request, globalThis.Response, globalThis.fetch].map(
      (own, index) => own === globalsBefore[index],
    ),
  ).toEqual([true, true, true])
})

test('close lets an answer in flight end and cuts kept-alive and silent sockets', async () => {
  const gate = Promise.withResolvers<object[]>()
  const asked = Promise.withResolvers<void>()
  const { service, get, port } = await startSingle({
    events: () => {
      asked.resolve()
      return gate.promise
    },
  })
  await get('/ping')
  const sockets = [await openSocket(port), await openSocket(port, 'GET /api/v1/ping HTTP/1.1\r\nHost: a')]
  const gone = sockets.map((socket) => once(socket, 'close'))
  const answer = get('/events')
  await asked.promise

  const began = performance.now()
  const closed = service.close()
  let ended = false
  const closedToo = service.close().then(() => (ended = true))
  await sleep(50)
  expect(ended).toBe(false)
  gate.resolve([{ id: 'in-flight' }])
  expect((await answer).json).toEqual([{ id: 'in-flight' }])
  expect((await answer).headers['connection']).toBe('close')
  await Promise.all([closed, closedToo])
  await Promise.all(gone)
  expect(performance.now() - began).toBeLessThan(8_000)
  await expect(get('/ping')).rejects.toMatchObject({ code: 'ECONNREFUSED' })
})

test('close with nothing in flight does not wait for kept-alive sockets', async () => {
  const { service, get } = await startSingle()
  await get('/ping')
  const began = performance.now()
  await service.close()
  expect(performance.now() - began).toBeLessThan(4_000)
})

test('close cuts an answer that does not end in time', async () => {
  const asked = Promise.withResolvers<void>()
  const { service, get } = await startSingle(
    {
      events: () => {
        asked.resolve()
        return new Promise<object[]>(() => {})
      },
    },
    { closeTimeoutMs: 100 },
  )
  const answer = get('/events').catch((error: unknown) => error)
  await asked.promise
  await service.close()
  expect(await answer).toBeInstanceOf(Error)
})
