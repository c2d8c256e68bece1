import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { done } from '../../../../src/orchestration/queue/jobs/job-outcome.ts'
import {
  noteOutcome,
  queueHealthOf,
  type QueueWorkerState,
} from '../../../../src/orchestration/queue/queue-health.ts'
import { now, type MonotonicTime } from '../../../../src/orchestration/schedule/monotonic-time.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

function newState(): QueueWorkerState {
  return { began: now(), dispatch: null, accounts: new Map() }
}

const runnerOf = (lastFetch: MonotonicTime | null, isFull = false) => ({
  running: () => ['north'],
  lastFetch: () => lastFetch,
  isFull: () => isFull,
  knows: (account: string) => account !== 'gone',
})

test('healthy is a worker that can take jobs while somebody sends them', () => {
  const state = newState()
  state.dispatch = { seen: now(), silentMs: 4000, isHere: false }
  noteOutcome(state, 'north', done)
  // It was taken out of the accounts file since.
  noteOutcome(state, 'gone', done)
  noteOutcome(state, 'south', { is: 'dead', code: 'key_refused' })
  expect(queueHealthOf(state, runnerOf(now()))).toEqual({
    healthy: true,
    reason: 'jobs can be taken, and a dispatcher sends them',
    is_dispatcher: false,
    faulty_entries: 0,
    running: ['north'],
    accounts: {
      north: { ended_at: expect.any(String), outcome: 'done' },
      south: { ended_at: expect.any(String), outcome: 'dead: key_refused' },
    },
  })
})

test('a worker that could take no jobs for 30 s is not, unless it has no room for any', () => {
  const state = newState()
  const fetched = now()
  vi.advanceTimersByTime(31_000)
  state.dispatch = { seen: now(), silentMs: 0, isHere: true }
  expect(queueHealthOf(state, runnerOf(fetched))).toMatchObject({
    healthy: false,
    reason: 'no jobs could be taken for 31 s',
  })
  expect(queueHealthOf(state, runnerOf(null))).toMatchObject({ healthy: false })
  expect(queueHealthOf(state, runnerOf(fetched, true))).toMatchObject({ healthy: true })
})

test('nor is one of a queue to which nobody sends', () => {
  const state = newState()
  state.dispatch = { seen: now(), silentMs: 55_000, isHere: false }
  expect(queueHealthOf(state, runnerOf(now()))).toMatchObject({ healthy: true })
  vi.advanceTimersByTime(6000)
  expect(queueHealthOf(state, runnerOf(now()))).toMatchObject({
    healthy: false,
    reason: 'nobody looked who is due for 61 s',
  })
})

test('nor is one with an entry of its accounts that cannot be used', () => {
  const state = newState()
  state.dispatch = { seen: now(), silentMs: 0, isHere: true }
  expect(queueHealthOf(state, runnerOf(now()), ['accounts.yaml:3:1'])).toMatchObject({
    healthy: false,
    faulty_entries: 1,
    reason: 'the accounts file is faulty: accounts.yaml:3:1; the log and doctor say why',
  })
})
