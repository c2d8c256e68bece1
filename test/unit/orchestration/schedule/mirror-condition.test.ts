import { describe, expect, test } from 'vitest'
import { createWorkerState, type WorkerState } from '../../../../src/orchestration/schedule/health.ts'
import { conditionOf } from '../../../../src/orchestration/schedule/mirror-condition.ts'

const MINUTE = 60_000
const ago = (ms: number) => ({ wall: Date.now() - ms, monotonic: performance.now() - ms })

function stateOf(given: Partial<WorkerState>): WorkerState {
  return {
    ...createWorkerState(),
    lastEnd: 'complete',
    lastGood: { started: ago(0), freshMs: 30 * MINUTE },
    ...given,
  }
}

describe('the state of the mirror that is told', () => {
  test.each([
    ['good', {}],
    ['failed', { lastEnd: 'failed', lastFailure: 'unreachable: no answer' }],
    ['partial', { lastEnd: 'partial', lastFailure: 'partial: 1 failed' }],
    ['held_too_long', { holds: { seen: ago(0), lists: [{ description: 'gala', overdueAfterMs: 0 }] } }],
    ['stale', { lastGood: { started: ago(31 * MINUTE), freshMs: 30 * MINUTE } }],
  ] as const)('is %s', (state, given) => {
    expect(conditionOf(stateOf(given))).toMatchObject({ state })
  })

  test('is nothing before the first run has ended', () => {
    expect(conditionOf(stateOf({ lastEnd: null, lastGood: null }))).toBeNull()
  })

  test('is stale when a run hangs, with signs of life or without', () => {
    const lastGood = { started: ago(31 * MINUTE), freshMs: 30 * MINUTE }
    const hanging = {
      started: ago(16 * MINUTE),
      turn: ago(16 * MINUTE),
      lastSign: ago(16 * MINUTE),
      freshMs: 0,
    }
    expect(conditionOf(stateOf({ lastGood, running: hanging }))).toMatchObject({ state: 'stale' })
    const alive = { started: ago(16 * MINUTE), turn: ago(16 * MINUTE), lastSign: ago(0), freshMs: 0 }
    // A long run is given an hour.
    expect(conditionOf(stateOf({ lastGood, running: alive }))).toMatchObject({ state: 'good' })
    const old = { started: ago(61 * MINUTE), freshMs: 30 * MINUTE }
    expect(conditionOf(stateOf({ lastGood: old, running: alive }))).toMatchObject({ state: 'stale' })
  })

  test('is stale when no run ever ended', () => {
    const given = { lastEnd: null, lastGood: null, began: ago(61 * MINUTE) }
    expect(conditionOf(stateOf(given))).toMatchObject({
      state: 'stale',
      reason: 'there has been no good run yet',
    })
  })
})
