import { createConnection } from 'node:net'
import { expect, test } from 'vitest'
import { DatabaseError, UsageError } from '../../../../src/common/errors.ts'
import { goodRun, startWorking } from '../../../support/runs/worker.ts'

/** With time enough for a machine that has other things to do. */
const poll = <T>(look: () => T) => expect.poll(look, { timeout: 20_000 })

/** What `GET /healthz` answers. */
async function health(working: ReturnType<typeof startWorking>): Promise<{ status: number; body: unknown }> {
  const response = await fetch(addressOf(working))
  return { status: response.status, body: await response.json() }
}

function addressOf({ log }: ReturnType<typeof startWorking>): string {
  const line = log.find(({ message }) => message.startsWith('health is answered at '))
  return String(line?.message.split(' ').at(-1))
}

test('GET /healthz: in progress, then good, then failing', async () => {
  const first = Promise.withResolvers<typeof goodRun>()
  let isAway = false
  const worker = startWorking({
    healthPort: 0,
    schedule: '* * * * * *',
    run: async (number) => {
      if (isAway) throw new DatabaseError('Postgres at db:5432/mirror does not answer. Look whether it runs.')
      return number === 1 ? first.promise : goodRun
    },
  })
  await poll(() => addressOf(worker)).toContain('http://127.0.0.1:')
  expect(await health(worker)).toMatchObject({
    status: 200,
    body: { healthy: true, reason: 'a run is in progress' },
  })
  first.resolve(goodRun)
  await poll(async () => (await health(worker)).body).toMatchObject({
    reason: expect.stringMatching(/^the last good run began \d+ s ago/),
  })
  isAway = true
  await poll(() => health(worker)).toMatchObject({
    status: 503,
    body: { healthy: false, reason: expect.stringContaining('database: Postgres at db:5432') },
  })
  worker.stop()
  await worker.ended
})

test('other paths are not there', async () => {
  const worker = startWorking({ healthPort: 0 })
  await poll(() => addressOf(worker)).toContain('http')
  const { status } = await fetch(new URL('/', addressOf(worker)))
  expect(status).toBe(404)
  worker.stop()
  await worker.ended
})

test('a stop does not wait for sockets that say nothing', async () => {
  const worker = startWorking({ healthPort: 0 })
  await poll(() => addressOf(worker)).toContain('http')
  const { port } = new URL(addressOf(worker))
  const idle = createConnection(Number(port), '127.0.0.1')
  idle.on('error', () => {})
  await new Promise((resolve) => idle.once('connect', resolve))
  const started = performance.now()
  worker.stop()
  await worker.ended
  expect(performance.now() - started).toBeLessThan(10_000)
})

test('a port that is taken is a fault of the settings, and nothing runs', async () => {
  const first = startWorking({ healthPort: 0 })
  await poll(() => addressOf(first)).toContain('http')
  const second = startWorking({ healthPort: Number(new URL(addressOf(first)).port) })
  await expect(second.ended).rejects.toThrow(UsageError)
  await expect(second.ended).rejects.toThrow(/choose another HEADCOUNT_HEALTH_PORT/)
  expect(second.began).toEqual([])
  first.stop()
  await first.ended
})

test('the globals of the process stay its own', async () => {
  const { Request, Response } = globalThis
  const worker = startWorking({ healthPort: 0 })
  await poll(() => addressOf(worker)).toContain('http')
  expect(globalThis.Request).toBe(Request)
  expect(globalThis.Response).toBe(Response)
  worker.stop()
  await worker.ended
})
