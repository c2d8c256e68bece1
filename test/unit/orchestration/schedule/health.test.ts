import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { now } from '../../../../src/orchestration/schedule/monotonic-time.ts'
import {
  freshFor,
  healthOf,
  createWorkerState,
  recallGoodRun,
  type Health,
} from '../../../../src/orchestration/schedule/health.ts'
import { hour, minute, pass, second, sleepOver } from '../../../support/runs/worker.ts'

beforeEach(() => {
  vi.useFakeTimers({ now: new Date('2026-03-10T12:00:00Z') })
})
afterEach(() => {
  vi.useRealTimers()
})

const verdict = ({ healthy, reason }: Health) => ({ healthy, reason })

describe('without a run in progress', () => {
  test('the last good run younger than two intervals: healthy, then not', async () => {
    const sight = { ...createWorkerState(), lastGood: { started: now(), freshMs: 30 * minute } }
    await pass(30 * minute - second)
    expect(verdict(healthOf(sight))).toEqual({ healthy: true, reason: 'the last good run began 1799 s ago' })
    await pass(second)
    expect(verdict(healthOf(sight))).toEqual({
      healthy: false,
      reason: 'the last good run began 1800 s ago, two intervals or more',
    })
  })

  test('a good run before this process began: healthy for two intervals after it, and not longer', async () => {
    const ticks = [15, 30, 45].map((minutes) => new Date(Date.now() + minutes * minute))
    const state = createWorkerState()
    recallGoodRun(state, 20 * minute, ticks)
    state.lastFailure = 'unreachable: the service is away'
    expect(verdict(healthOf(state))).toEqual({
      healthy: true,
      reason: 'the last good run began 1200 s ago',
    })
    await pass(10 * minute)
    expect(verdict(healthOf(state))).toMatchObject({
      healthy: false,
      reason: expect.stringContaining('two intervals or more'),
    })
    const later = { ...createWorkerState(), lastGood: { started: now(), freshMs: hour } }
    recallGoodRun(later, 20 * minute, ticks)
    expect(later.lastGood.freshMs).toBe(hour)
    // That of another process is newer than ours.
    await pass(40 * minute)
    recallGoodRun(later, 2 * minute, ticks)
    expect(healthOf(later).reason).toBe('the last good run began 120 s ago')
    const old = createWorkerState()
    recallGoodRun(old, 30 * minute, ticks)
    expect(old.lastGood).toBeNull()
  })

  test('no good run yet: not healthy, with the fault of the last one', () => {
    const sight = { ...createWorkerState(), lastFailure: 'database: Postgres at db:5432/mirror is not there' }
    expect(verdict(healthOf(sight))).toEqual({
      healthy: false,
      reason:
        'there has been no good run yet; the last run: database: Postgres at db:5432/mirror is not there',
    })
  })

  test('the machine slept: the mirror grew old meanwhile', async () => {
    const sight = { ...createWorkerState(), lastGood: { started: now(), freshMs: 30 * minute } }
    sleepOver(8 * hour)
    expect(healthOf(sight).healthy).toBe(false)
  })

  test('the clock was set back: the mirror still grows old', async () => {
    const sight = { ...createWorkerState(), lastGood: { started: now(), freshMs: 30 * minute } }
    sleepOver(-24 * hour)
    await pass(30 * minute)
    expect(healthOf(sight).healthy).toBe(false)
  })
})

describe('S17 deletions on hold', () => {
  const fresh = () => ({ ...createWorkerState(), lastGood: { started: now(), freshMs: 8 * hour } })
  const holds = (...patience: number[]) => ({
    seen: now(),
    lists: patience.map((overdueAfterMs, at) => ({ description: `event e${at}`, overdueAfterMs })),
  })

  test("are nobody's concern until their time is over; then the mirror is not healthy, however fresh", async () => {
    const sight = { ...fresh(), holds: holds(hour, 2 * hour) }
    await pass(hour - second)
    expect(verdict(healthOf(sight))).toEqual({ healthy: true, reason: 'the last good run began 3599 s ago' })
    await pass(second)
    expect(healthOf(sight)).toMatchObject({
      healthy: false,
      reason: 'deletions are held for too long or wait for a decision, of event e0',
      held_too_long: ['event e0'],
    })
  })

  test('that time cannot confirm are told at once, also while a run is in progress', () => {
    const running = { started: now(), turn: now(), lastSign: now(), freshMs: 30 * minute }
    expect(verdict(healthOf({ ...fresh(), running, holds: holds(0) }))).toEqual({
      healthy: false,
      reason: 'deletions are held for too long or wait for a decision, of event e0',
    })
  })

  test('of many lists: five are named', () => {
    const { reason, held_too_long } = healthOf({ ...createWorkerState(), holds: holds(0, 0, 0, 0, 0, 0, 0) })
    expect(reason).toBe(
      'there has been no good run yet; deletions are held for too long or wait for a decision, of event e0; event e1; event e2; event e3; event e4; and 2 more',
    )
    expect(held_too_long).toHaveLength(7)
  })
})

describe('with a run in progress', () => {
  test('the first one: healthy as long as it sends heartbeats', async () => {
    const running = { started: now(), turn: now(), lastSign: now(), freshMs: 30 * minute }
    const sight = { ...createWorkerState(), running }
    await pass(20 * second)
    running.lastSign = now()
    await pass(29 * second)
    expect(verdict(healthOf(sight))).toEqual({ healthy: true, reason: 'a run is in progress' })
    await pass(second)
    expect(verdict(healthOf(sight))).toEqual({
      healthy: false,
      reason: 'there has been no good run yet; the run in progress has sent no heartbeat for 30 s',
    })
  })

  test('of which a good one began two intervals ago, or a failed one before: not healthy', async () => {
    const running = () => ({ started: now(), turn: now(), lastSign: now(), freshMs: 30 * minute })
    const good = {
      ...createWorkerState(),
      lastGood: { started: now(), freshMs: 30 * minute },
      lastEnd: 'complete' as const,
    }
    await pass(30 * minute - second)
    expect(verdict(healthOf({ ...good, running: running() }))).toEqual({
      healthy: true,
      reason: 'a run is in progress',
    })
    await pass(second)
    expect(verdict(healthOf({ ...good, running: running() }))).toEqual({
      healthy: false,
      reason: 'the last good run began 1800 s ago, two intervals or more; a run is in progress',
    })
    const lastFailure = 'unreachable: the service is away'
    const failed = { ...createWorkerState(), lastEnd: 'failed' as const, lastFailure, running: running() }
    expect(verdict(healthOf(failed))).toEqual({
      healthy: false,
      reason: `there has been no good run yet; a run is in progress; the last run: ${lastFailure}`,
    })
    // Another process had the account: that was no run.
    expect(healthOf({ ...failed, lastEnd: null }).healthy).toBe(true)
    // Nor is a process restarted whose first run after a long standstill takes its time.
    expect(healthOf({ ...good, lastEnd: null, running: running() }).healthy).toBe(true)
  })

  test('silent, but the last good run is young enough: healthy', async () => {
    const sight = {
      ...createWorkerState(),
      running: { started: now(), turn: now(), lastSign: now(), freshMs: 30 * minute },
      lastGood: { started: now(), freshMs: 30 * minute },
    }
    await pass(10 * minute)
    expect(healthOf(sight).healthy).toBe(true)
  })
})

describe('a run that waits for its turn', () => {
  test('the first one: healthy for two intervals, though it sends no heartbeat', async () => {
    const running = { started: now(), turn: null, lastSign: now(), freshMs: 30 * minute }
    const sight = { ...createWorkerState(), running }
    await pass(30 * minute - second)
    expect(verdict(healthOf(sight))).toEqual({ healthy: true, reason: 'the first run waits for its turn' })
    await pass(second)
    expect(verdict(healthOf(sight))).toEqual({
      healthy: false,
      reason: 'there has been no good run yet; the run has waited for its turn for 1800 s',
    })
  })

  test('after a failure, or when the mirror is old: it makes nothing healthy', async () => {
    const running = { started: now(), turn: null, lastSign: now(), freshMs: 30 * minute }
    const failed = { ...createWorkerState(), running, lastFailure: 'key_refused: no' }
    expect(healthOf(failed).healthy).toBe(false)
    const old = { ...createWorkerState(), running, lastGood: { started: now(), freshMs: 10 * minute } }
    expect(healthOf(old).healthy).toBe(true)
    await pass(10 * minute)
    expect(healthOf(old).reason).toBe(
      'the last good run began 600 s ago, two intervals or more; the run has waited for its turn for 600 s',
    )
  })
})

describe('two intervals', () => {
  const at = (...times: string[]) => times.map((time) => new Date(`2026-03-${time}:00Z`))

  test('of a regular schedule, also for a run between two ticks', () => {
    expect(freshFor(now(), at('10T12:15', '10T12:30', '10T12:45'))).toBe(30 * minute)
    vi.setSystemTime(new Date('2026-03-10T12:14:00Z'))
    expect(freshFor(now(), at('10T12:15', '10T12:30', '10T12:45'))).toBe(30 * minute)
  })

  test('of a schedule with a night: until the second tick after the run', () => {
    vi.setSystemTime(new Date('2026-03-10T17:00:00Z'))
    expect(freshFor(now(), at('10T18:00', '11T08:00', '11T09:00'))).toBe(15 * hour)
    vi.setSystemTime(new Date('2026-03-10T18:00:00Z'))
    expect(freshFor(now(), at('11T08:00', '11T09:00', '11T10:00'))).toBe(15 * hour)
  })
})
