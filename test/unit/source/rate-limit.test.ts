import { describe, expect, test } from 'vitest'
import {
  afterAnswer,
  afterRefusal,
  afterStart,
  afterStrain,
  waitBeforeStart,
} from '../../../src/source/throttle/rate-limit.ts'
import { firstPace, type Pace } from '../../../src/source/throttle/rate-limit-state.ts'

describe('the pace', () => {
  const begun = (at: number, waited = false) => ({ at, waited })
  const answered = (pace: Pace, from: number, count: number): Pace =>
    Array.from({ length: count }, (_, n) => from + n).reduce(
      (next, at) => afterAnswer(next, begun(at), at + 1),
      pace,
    )
  const busy = answered(firstPace(8, 0), 0, 100)

  test('has no interval and all its places until something is refused', () => {
    expect(busy).toMatchObject({ rate: Infinity, places: 8 })
    expect(waitBeforeStart(afterStart(busy, 100), 100)).toBe(0)
  })

  test('halves the bound, and begins with half the rate that was measured', () => {
    const refused = afterRefusal(busy, begun(99), 100, 0)
    expect(refused.places).toBe(4)
    expect(refused.rate).toBeCloseTo(505, 0)
    expect(waitBeforeStart(refused, 100)).toBeCloseTo(2, 0)
  })

  test('halves once for requests that were out together', () => {
    const out = [91, 92, 93, 94, 95, 96, 97, 98]
    const refused = out.reduce((pace, at) => afterRefusal(pace, begun(at), at + 9, 0), busy)
    expect(refused.places).toBe(4)
    // Refused again with nothing answered between, it is closed: asked more rarely, by as many as before.
    const again = afterRefusal(refused, begun(120), 121, 0)
    expect(again).toMatchObject({ places: 4, rate: refused.rate / 2, refusedRate: refused.refusedRate })
  })

  test('tries a closed service every 15 s at the least', () => {
    let pace = busy
    for (let at = 100; at < 10_000_000; at += 100_000) pace = afterRefusal(pace, begun(at), at + 1, 0)
    expect(1 / pace.rate).toBeCloseTo(15, 5)
    expect(pace.closedSince).toBe(101)
    expect(answered(pace, 10_000_000, 1).closedSince).toBeNull()
  })

  test('comes back to less than what was refused, holds it, and asks for more when the refusal is paid for', () => {
    const refused = afterRefusal(busy, begun(99), 100, 0)
    let at = 1000
    const after = (pace: Pace, count: number): Pace => {
      let next = pace
      for (const end = at + count * 100; at < end; at += 100) next = afterAnswer(next, begun(at), at + 1)
      return next
    }
    const back = after(refused, 12)
    expect(back.rate).toBeCloseTo(0.92 * back.refusedRate, 5)
    const paid = after(back, 127)
    expect(paid).toMatchObject({ rate: back.rate, places: 4, probe: null, debt: 1 })
    expect(after(paid, 2)).toMatchObject({ rate: 2 * back.rate, probe: { rate: back.rate, places: 4 } })
  })

  test('a probe that is refused leaves all as it was, and costs one refusal', () => {
    const probing = { ...busy, rate: 20, refusedRate: 11, places: 2 }
    const probe = { rate: 10, places: 2, provenPlaces: 2, answers: 4, step: 0, waited: 0, isFree: false }
    const failed = afterRefusal({ ...probing, probe, changedAt: 90 }, begun(99, true), 100, 0)
    expect(failed).toMatchObject({ rate: 10, places: 2, probe: null })
    expect(failed.refusedRate).toBeCloseTo(11, 0)
  })

  test('a strain halves the bound alone, and it comes back slowly', () => {
    const strained = afterStrain(busy, begun(99), 100)
    expect(strained).toMatchObject({ places: 4, rate: Infinity })
    expect(afterStrain(strained, begun(99), 101)).toBe(strained)
    expect(answered(strained, 101, 15).places).toBe(4)
    expect(answered(strained, 101, 16).places).toBe(5)
    expect(answered(strained, 101, 88).places).toBe(8)
  })

  test('makes up for a timer that came late, but not for a pause', () => {
    const refused = afterRefusal(answered(firstPace(8, 0), 0, 9), begun(9), 1000, 0)
    const interval = 1000 / refused.rate
    const first = afterStart(refused, 2000)
    expect(waitBeforeStart(first, 2000)).toBeCloseTo(0.75 * interval, 5)
    const second = afterStart(first, first.nextStart + 0.1 * interval)
    expect(second.nextStart - first.nextStart).toBeCloseTo(interval, 5)
  })
})
