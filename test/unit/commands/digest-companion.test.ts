import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { digestCompanion } from '../../../src/commands/sync/companions/digest-companion.ts'
import { readConfig } from '../../../src/config/config.ts'
import { day, hour, pass, second, sleepOver } from '../../support/runs/worker.ts'

beforeEach(() => {
  vi.useFakeTimers({ now: new Date('2026-03-10T22:00:00Z') })
})
afterEach(() => {
  vi.useRealTimers()
})

/** When digests were due, by a schedule of once a day; the mirror has none to send. */
async function startDigests() {
  const due: string[] = []
  const begin = digestCompanion({
    call: async (_, input) => {
      if (Object(input).attempts === 'due') due.push(new Date().toISOString())
      return [] as never
    },
    config: await readConfig({}, { HEADCOUNT_TIMEZONE: 'UTC', DATABASE_URL: 'pglite:unused' }),
    logger: { debug: vi.fn(), info: vi.fn(), warn: vi.fn(), error: vi.fn() },
    schedule: '0 8 * * *',
  })
  const { signal } = new AbortController()
  const companion = begin({ whenIdle: async () => {}, condition: () => null, signal })
  await pass(2 * second)
  return { due, [Symbol.asyncDispose]: () => companion[Symbol.asyncDispose]() }
}

test('O4 asleep between two digests: the next one is on time', async () => {
  await using digests = await startDigests()
  sleepOver(9 * hour)
  await pass(day)
  expect(digests.due).toEqual(['2026-03-11T08:00:01.000Z'])
})

test('O4 asleep over a digest: it comes when the machine wakes, and then the schedule again', async () => {
  await using digests = await startDigests()
  sleepOver(11 * hour)
  await pass(7 * second)
  expect(digests.due).toHaveLength(1)
  await pass(day)
  expect(digests.due.slice(1)).toEqual(['2026-03-12T08:00:01.000Z'])
})
