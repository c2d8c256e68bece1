import { describe, expect, test } from 'vitest'
import {
  afterResponse,
  afterRejection,
  afterStart,
  afterOverload,
  delayBeforeStart,
} from '../../../src/source/throttle/rate-limit.ts'
import { initialState, type RateLimitState } from '../../../src/source/throttle/rate-limit-state.ts'

describe('the state', () => {
  const begun = (at: number, wasDelayed = false) => ({ at, wasDelayed })
  const answered = (state: RateLimitState, from: number, count: number): RateLimitState =>
    Array.from({ length: count }, (_, n) => from + n).reduce(
      (next, at) => afterResponse(next, begun(at), at + 1),
      state,
    )
  const busy = answered(initialState(8, 0), 0, 100)

  test('has no interval and all its places until something is refused', () => {
    expect(busy).toMatchObject({ rate: Infinity, concurrency: 8 })
    expect(delayBeforeStart(afterStart(busy, 100), 100)).toBe(0)
  })

  test('halves the bound, and begins with half the rate that was measured', () => {
    const refused = afterRejection(busy, begun(99), 100, 0)
    expect(refused.concurrency).toBe(4)
    expect(refused.rate).toBeCloseTo(505, 0)
    expect(delayBeforeStart(refused, 100)).toBeCloseTo(2, 0)
  })

  test('halves once for requests that were out together', () => {
    const out = [91, 92, 93, 94, 95, 96, 97, 98]
    const refused = out.reduce((state, at) => afterRejection(state, begun(at), at + 9, 0), busy)
    expect(refused.concurrency).toBe(4)
    // Refused again with nothing answered between, it is closed: asked more rarely, by as many as before.
    const again = afterRejection(refused, begun(120), 121, 0)
    expect(again).toMatchObject({
      concurrency: 4,
      rate: refused.rate / 2,
      rejectedRate: refused.rejectedRate,
    })
  })

  test('tries a closed service every 15 s at the least', () => {
    let state = busy
    for (let at = 100; at < 10_000_000; at += 100_000) state = afterRejection(state, begun(at), at + 1, 0)
    expect(1 / state.rate).toBeCloseTo(15, 5)
    expect(state.rejectingSince).toBe(101)
    expect(answered(state, 10_000_000, 1).rejectingSince).toBeNull()
  })

  test('comes back to less than what was refused, holds it, and asks for more when the refusal is paid for', () => {
    const refused = afterRejection(busy, begun(99), 100, 0)
    let at = 1000
    const after = (state: RateLimitState, count: number): RateLimitState => {
      let next = state
      for (const end = at + count * 100; at < end; at += 100) next = afterResponse(next, begun(at), at + 1)
      return next
    }
    const back = after(refused, 12)
    expect(back.rate).toBeCloseTo(0.92 * back.rejectedRate, 5)
    const paid = after(back, 127)
    expect(paid).toMatchObject({ rate: back.rate, concurrency: 4, probe: null, responsesOwed: 1 })
    expect(after(paid, 2)).toMatchObject({ rate: 2 * back.rate, probe: { rate: back.rate, concurrency: 4 } })
  })

  test('a probe that is refused leaves all as it was, and costs one refusal', () => {
    const probing = { ...busy, rate: 20, rejectedRate: 11, concurrency: 2 }
    const probe = {
      rate: 10,
      concurrency: 2,
      provenConcurrency: 2,
      responses: 4,
      step: 0,
      delayed: 0,
      isFree: false,
    }
    const failed = afterRejection({ ...probing, probe, changedAt: 90 }, begun(99, true), 100, 0)
    expect(failed).toMatchObject({ rate: 10, concurrency: 2, probe: null })
    expect(failed.rejectedRate).toBeCloseTo(11, 0)
  })

  test('a strain halves the bound alone, and it comes back slowly', () => {
    const strained = afterOverload(busy, begun(99), 100)
    expect(strained).toMatchObject({ concurrency: 4, rate: Infinity })
    expect(afterOverload(strained, begun(99), 101)).toBe(strained)
    expect(answered(strained, 101, 15).concurrency).toBe(4)
    expect(answered(strained, 101, 16).concurrency).toBe(5)
    expect(answered(strained, 101, 88).concurrency).toBe(8)
  })

  test('makes up for a timer that came late, but not for a pause', () => {
    const refused = afterRejection(answered(initialState(8, 0), 0, 9), begun(9), 1000, 0)
    const interval = 1000 / refused.rate
    const first = afterStart(refused, 2000)
    expect(delayBeforeStart(first, 2000)).toBeCloseTo(0.75 * interval, 5)
    const second = afterStart(first, first.nextStart + 0.1 * interval)
    expect(second.nextStart - first.nextStart).toBeCloseTo(interval, 5)
  })
})
