import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { createTicks } from '../../../../src/orchestration/schedule/cron-ticks.ts'
import { day, hour, minute, pass, startWorking, type WorkingOptions } from '../../../support/runs/worker.ts'

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

/** When runs began from a moment on, without the one at the start. */
async function ticks(
  from: string,
  milliseconds: number,
  options: WorkingOptions,
): Promise<readonly string[]> {
  vi.setSystemTime(new Date(from))
  const worker = startWorking(options)
  await pass(milliseconds)
  worker.stop()
  await worker.ended
  return worker.began.slice(1)
}

const changes = [
  { change: 'spring', from: '2026-03-29T00:00:00.000Z', zone: 'Europe/Berlin' },
  { change: 'autumn', from: '2026-10-25T00:00:00.000Z', zone: 'Europe/Berlin' },
  { change: 'spring', from: '2026-03-08T06:00:00.000Z', zone: 'America/New_York' },
  { change: 'autumn', from: '2026-11-01T05:00:00.000Z', zone: 'America/New_York' },
]

describe.each(changes)('O5 $change in $zone', ({ from, zone }) => {
  test('a tick every quarter of an hour, none more and none less', async () => {
    const began = await ticks(from, 4 * hour, { schedule: '*/15 * * * *', timeZone: zone })
    const start = Date.parse(from)
    const expected = Array.from({ length: 16 }, (_, index) => start + (index + 1) * 15 * minute)
    expect(began.map((at) => Date.parse(at))).toEqual(expected)
  })

  test('a tick every hour, none more and none less', async () => {
    const began = await ticks(from, 4 * hour, { schedule: '10 * * * *', timeZone: zone })
    const start = Date.parse(from) + 10 * minute
    expect(began.map((at) => Date.parse(at))).toEqual([0, 1, 2, 3].map((hours) => start + hours * hour))
  })
})

describe.each(['America/New_York', 'Europe/Berlin', 'Pacific/Auckland'])(
  'O5 on a machine in %s, in the hour that its clock repeats',
  (zone) => {
    const changes: Readonly<Record<string, string>> = {
      'America/New_York': '2026-11-01T05:00:00.000Z',
      'Europe/Berlin': '2026-10-25T00:00:00.000Z',
      'Pacific/Auckland': '2026-04-04T13:00:00.000Z',
    }
    const own = process.env['TZ']
    beforeEach(() => {
      process.env['TZ'] = zone
    })
    afterEach(() => {
      if (own === undefined) delete process.env['TZ']
      else process.env['TZ'] = own
    })

    test.each(['UTC', zone])('ticks of %s come on time', async (timeZone) => {
      const from = changes[zone] ?? ''
      const began = await ticks(from, 3 * hour, { schedule: '*/30 * * * *', timeZone })
      const expected = Array.from({ length: 6 }, (_, index) => Date.parse(from) + (index + 1) * 30 * minute)
      expect(began.map((at) => Date.parse(at))).toEqual(expected)
    })
  },
)

test('O5 spring: a time of the day that the clock leaps over comes once, later by the leap', async () => {
  const began = await ticks('2026-03-27T12:00:00Z', 4 * day, {
    schedule: '30 2 * * *',
    timeZone: 'Europe/Berlin',
  })
  expect(began).toEqual([
    '2026-03-28T01:30:00.000Z',
    '2026-03-29T01:30:00.000Z',
    '2026-03-30T00:30:00.000Z',
    '2026-03-31T00:30:00.000Z',
  ])
})

test('O5 spring: times that the clock leaps over come together with those after the leap', async () => {
  const began = await ticks('2026-03-29T00:00:00Z', 3 * hour, {
    schedule: '*/20 0-22 * * *',
    timeZone: 'Europe/Berlin',
  })
  const start = Date.parse('2026-03-29T00:00:00Z')
  const expected = Array.from({ length: 9 }, (_, index) => start + (index + 1) * 20 * minute)
  expect(began.map((at) => Date.parse(at))).toEqual(expected)
})

test('O5 spring: a tick is told once of times that come together, before it comes and when it does', async () => {
  vi.setSystemTime(new Date('2026-03-29T00:50:00Z'))
  const schedule = createTicks('*/20 0-22 * * *', 'Europe/Berlin')
  const told: string[] = []
  schedule.listen({
    tick: async (at) => void told.push(at.toISOString()),
    overlapped: (at) => void told.push(`overlapped ${at.toISOString()}`),
    missed: (at) => void told.push(`missed ${at.toISOString()}`),
  })
  schedule.start()
  const next = schedule.next(5).map((at) => at.toISOString())
  expect(next).toEqual([
    '2026-03-29T01:00:00.000Z',
    '2026-03-29T01:20:00.000Z',
    '2026-03-29T01:40:00.000Z',
    '2026-03-29T02:00:00.000Z',
    '2026-03-29T02:20:00.000Z',
  ])
  await pass(95 * minute)
  schedule.stop()
  expect(told).toEqual(next)
})

test('O6 a machine that starts in 1970, before its clock is set: the schedule goes by the zone as it is today', async () => {
  vi.setSystemTime(new Date('1970-01-01T00:00:10Z'))
  const worker = startWorking({ schedule: '0 */6 * * *', timeZone: 'Europe/Berlin' })
  await pass(minute)
  vi.setSystemTime(new Date('2026-07-01T03:00:00Z'))
  await pass(2 * hour)
  worker.stop()
  await worker.ended
  expect(worker.began.at(-1)).toBe('2026-07-01T04:00:00.000Z')
})

test('O5 autumn: a time of the day that the clock shows twice comes once, at the first', async () => {
  const began = await ticks('2026-10-23T12:00:00Z', 4 * day, {
    schedule: '30 2 * * *',
    timeZone: 'Europe/Berlin',
  })
  expect(began).toEqual([
    '2026-10-24T00:30:00.000Z',
    '2026-10-25T00:30:00.000Z',
    '2026-10-26T01:30:00.000Z',
    '2026-10-27T01:30:00.000Z',
  ])
})

test('O5 a change of half an hour: ticks on the hour of the wall clock before and after', async () => {
  const began = await ticks('2026-04-04T13:10:00Z', 3 * hour, {
    schedule: '0 * * * *',
    timeZone: 'Australia/Lord_Howe',
  })
  expect(began).toEqual(['2026-04-04T14:00:00.000Z', '2026-04-04T15:30:00.000Z'])
})

test('a zone that is not whole hours from UTC', async () => {
  const began = await ticks('2026-03-10T00:00:00Z', 2 * day, {
    schedule: '0 9 * * *',
    timeZone: 'Asia/Kathmandu',
  })
  expect(began).toEqual(['2026-03-10T03:15:00.000Z', '2026-03-11T03:15:00.000Z'])
})

test('further ahead than the longest timer of Node', async () => {
  const began = await ticks('2026-03-05T00:00:00Z', 27 * day, {
    schedule: '0 0 1 4 *',
    timeZone: 'Europe/Berlin',
  })
  expect(began).toEqual(['2026-03-31T22:00:00.000Z'])
})
