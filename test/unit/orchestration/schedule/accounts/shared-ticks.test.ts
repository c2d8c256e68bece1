import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { SharedTicks } from '../../../../../src/orchestration/schedule/accounts/shared-ticks.ts'
import { hour, minute, pass, sleepOver } from '../../../../support/runs/worker.ts'

beforeEach(() => {
  vi.useFakeTimers({ now: new Date('2026-03-10T12:04:30Z') })
})
afterEach(() => {
  vi.useRealTimers()
})

/** Notes the ticks of an account as `minute`. */
function noting(heard: string[]) {
  return {
    tick: async (at: Date) => void heard.push(at.toISOString().slice(11, 16)),
    overlapped: () => void heard.push('overlapped'),
    missed: () => void heard.push('missed'),
  }
}

test('each account has the ticks of its own schedule, also where two have the same one', async () => {
  using shared = new SharedTicks()
  const quarter: string[] = []
  const same: string[] = []
  const hourly: string[] = []
  const first = shared.subscribe('*/15 * * * *', 'Europe/Berlin')
  first.listen(noting(quarter))
  shared.subscribe('*/15 * * * *', 'Europe/Berlin').listen(noting(same))
  shared.subscribe('7 * * * *', 'UTC').listen(noting(hourly))
  await pass(30 * minute)
  expect([quarter, same, hourly]).toEqual([['12:15', '12:30'], ['12:15', '12:30'], ['12:07']])
  first.stop()
  await pass(15 * minute)
  expect([quarter.length, same.length]).toEqual([2, 3])
})

test('an account whose work lasts keeps no other from its ticks', async () => {
  using shared = new SharedTicks()
  const heard: string[] = []
  const lasting = { ...noting([]), tick: () => new Promise<void>(() => {}) }
  shared.subscribe('*/15 * * * *', 'UTC').listen(lasting)
  shared.subscribe('*/15 * * * *', 'UTC').listen(noting(heard))
  await pass(hour)
  expect(heard).toEqual(['12:15', '12:30', '12:45', '13:00'])
})

test('another schedule takes the place of the former one; one that cannot be used does not', async () => {
  using shared = new SharedTicks()
  const heard: string[] = []
  const ticks = shared.subscribe('*/15 * * * *', 'UTC')
  ticks.listen(noting(heard))
  ticks.change('10 * * * *', 'UTC')
  await pass(15 * minute)
  expect(heard).toEqual(['12:10'])
  expect(() => ticks.change('never', 'UTC')).toThrow('cannot be used')
  await pass(hour)
  expect(heard).toEqual(['12:10', '13:10'])
})

test('the next ticks are those after now, also after time went on or the clock was set', async () => {
  using shared = new SharedTicks()
  const ticks = shared.subscribe('0 * * * *', 'UTC')
  const next = () => ticks.next(2).map((at) => at.toISOString().slice(11, 16))
  expect(next()).toEqual(['13:00', '14:00'])
  await pass(5 * hour)
  expect(next()).toEqual(['18:00', '19:00'])
  sleepOver(20 * hour)
  expect(next()).toEqual(['14:00', '15:00'])
  sleepOver(-30 * hour)
  expect(next()).toEqual(['08:00', '09:00'])
})
