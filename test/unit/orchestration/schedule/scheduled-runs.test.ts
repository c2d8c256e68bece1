import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { healthOf } from '../../../../src/orchestration/schedule/health.ts'
import { scheduleRuns } from '../../../../src/orchestration/schedule/scheduled-runs.ts'
import { SharedTicks } from '../../../../src/orchestration/schedule/accounts/shared-ticks.ts'
import { goodRun, minute, pass } from '../../../support/runs/worker.ts'

beforeEach(() => {
  vi.useFakeTimers({ now: new Date('2026-03-10T12:00:30Z') })
})
afterEach(() => {
  vi.useRealTimers()
})

test.each([
  { from: '*/5 * * * *', to: '0 3 * * *', isHealthy: true },
  { from: '0 3 * * *', to: '*/5 * * * *', isHealthy: false },
])(
  'a mirror is fresh by the schedule that there is now: from $from to $to',
  async ({ from, to, isHealthy }) => {
    using shared = new SharedTicks()
    const ticks = shared.subscribe(from, 'UTC')
    let runs = 0
    const scheduled = scheduleRuns({
      run: async () => {
        if ((runs += 1) === 1) return goodRun
        throw new Error('the service is away')
      },
      ticks,
      signal: new AbortController().signal,
      log: () => {},
      onFatal: () => {},
    })
    scheduled.begin()
    await pass(minute)
    ticks.change(to, 'UTC')
    scheduled.rescheduled()
    expect(healthOf(scheduled.state)).toMatchObject({
      healthy: true,
      next_run_at: isHealthy ? '2026-03-11T03:00:00.000Z' : '2026-03-10T12:05:00.000Z',
    })
    await pass(30 * minute)
    expect(healthOf(scheduled.state).healthy).toBe(isHealthy)
    ticks.stop()
  },
)
