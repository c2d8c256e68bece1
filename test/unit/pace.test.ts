import { describe, expect, test } from 'vitest'
import {
  afterAnswer,
  afterRefusal,
  afterStart,
  afterStrain,
  firstPace,
  type Pace,
  waitBeforeStart,
} from '../../src/source/pace.ts'
import {
  fixedWindow,
  type Limit,
  play,
  type Played,
  slidingWindow,
  tokenBucket,
} from '../support/limited-service.ts'

const limits: Readonly<Record<string, (perSecond: number) => Limit>> = {
  'a token bucket of five': tokenBucket,
  'a bucket that holds fifty': (perSecond) => tokenBucket(perSecond, 50),
  'a fixed window': fixedWindow,
  'a sliding window': slidingWindow,
}
const latencies = [
  [5, 5],
  [5, 50],
  [50, 200],
  [5, 200],
] as const
const scenes = Object.keys(limits).flatMap((name) =>
  [1, 10, 100].flatMap((perSecond) => latencies.map((latency) => ({ name, perSecond, latency }))),
)

/** Of the second half of the requests: the share refused, and those answered a second, from the first to the last. */
function secondHalf({ arrivals }: Played): { refused: number; answeredPerSecond: number } {
  const half = arrivals.slice(Math.floor(arrivals.length / 2))
  const answered = half.filter(({ allowed }) => allowed).length
  const seconds = ((half.at(-1)?.at ?? 0) - (half[0]?.at ?? 0)) / 1000
  return { refused: 1 - answered / half.length, answeredPerSecond: answered / seconds }
}

describe('a limit that nobody knows is found: at most 1 % of the second half of 2,000 requests refused, at least 70 % used', () => {
  test.each(scenes)('$name, $perSecond a second, $latency ms away', ({ name, perSecond, latency }) => {
    // What eight at once can do, when that is less than the limit.
    const possible = 8 / ((latency[0] + latency[1]) / 2000)
    for (const tellsWhen of [true, false]) {
      for (const seed of [1, 2, 3]) {
        const limit = limits[name]?.(perSecond) ?? tokenBucket(perSecond)
        const played = play({ limit, latency, tellsWhen, requests: 2000, seed })
        const { refused, answeredPerSecond } = secondHalf(played)
        expect(refused).toBeLessThanOrEqual(0.01)
        expect(answeredPerSecond / Math.min(perSecond, possible)).toBeGreaterThanOrEqual(0.7)
        expect(played.mostRefusals).toBeLessThan(10)
      }
    }
  })

  test.each([
    ['ten seconds', 10_000],
    ['a minute', 60_000],
  ])('windows of %s cost no more than 2 %, and no request fails', (_, windowMs) => {
    for (const window of [fixedWindow, slidingWindow]) {
      for (const tellsWhen of [true, false]) {
        const limit = window(10, windowMs)
        const played = play({ limit, latency: [5, 50], tellsWhen, requests: 2000, seed: 1 })
        const { refused, answeredPerSecond } = secondHalf(played)
        expect(refused).toBeLessThanOrEqual(0.02)
        expect(answeredPerSecond).toBeGreaterThanOrEqual(7)
        expect(played.mostRefusals).toBeLessThan(10)
      }
    }
  })
})

describe('what has passed is forgotten', () => {
  test('a limit that is raised: the pace follows', () => {
    let limit = tokenBucket(10)
    const arrived = (count: number): void => {
      if (count === 2000) limit = tokenBucket(100)
    }
    const played = play({
      limit: (now) => limit(now),
      latency: [5, 50],
      tellsWhen: false,
      requests: 8000,
      seed: 1,
      arrived,
    })
    expect(secondHalf(played).answeredPerSecond).toBeGreaterThan(70)
  })

  test('one refusal without a cause: within 3,000 requests the service is asked as fast as before', () => {
    let count = 0
    const limit: Limit = () => ({ allowed: (count += 1) !== 1000, inMs: 100 })
    const { arrivals, pace } = play({ limit, latency: [5, 50], tellsWhen: false, requests: 5000, seed: 1 })
    const perSecond = (from: number, to: number): number =>
      ((to - from) * 1000) / ((arrivals[to]?.at ?? 0) - (arrivals[from]?.at ?? 0))
    expect(pace).toMatchObject({ places: 8, refusedRate: Infinity })
    expect(perSecond(4000, 5000) / perSecond(0, 990)).toBeGreaterThan(0.95)
  })

  test('ten seconds in which all is refused: hardly anything is asked, and then soon as much as before', () => {
    const limit: Limit = (now) => ({ allowed: now < 20_000 || now > 30_000, inMs: 0 })
    const scene = { limit, latency: [20, 20], tellsWhen: false, requests: 12_000, seed: 1 } as const
    const { arrivals, mostRefusals } = play(scene)
    expect(arrivals.filter(({ allowed }) => !allowed).length).toBeLessThan(40)
    expect(mostRefusals).toBeLessThan(10)
    const opened = arrivals.find(({ at }) => at > 30_000)?.at ?? 0
    expect(opened).toBeLessThan(45_000)
    const aSecondLater = arrivals.filter(({ at }) => at > opened + 1000 && at < opened + 2000)
    // 400 a second were possible.
    expect(aSecondLater.length).toBeGreaterThan(250)
  })
})

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
    const again = afterRefusal(refused, begun(120), 121, 0)
    expect(again.places).toBe(2)
    expect(again.rate).toBe(refused.rate / 2)
  })

  test('never asks less than one at once, and once a minute', () => {
    let pace = busy
    for (let at = 100; at < 10_000_000; at += 100_000) pace = afterRefusal(pace, begun(at), at + 1, 0)
    expect(pace.places).toBe(1)
    expect(1 / pace.rate).toBe(60)
    expect(pace.closedSince).toBe(101)
    expect(answered(pace, 10_000_000, 1).closedSince).toBeNull()
  })

  test('comes back to nine tenths of what was refused, and waits there until the refusal is paid for', () => {
    const refused = afterRefusal(busy, begun(99), 100, 0)
    let at = 1000
    const after = (pace: Pace, count: number): Pace => {
      let next = pace
      for (const end = at + count * 100; at < end; at += 100)
        next = afterAnswer(next, begun(at, true), at + 1)
      return next
    }
    const back = after(refused, 11)
    expect(back.rate).toBeCloseTo(0.9 * back.refusedRate, 5)
    const paid = after(back, 188)
    expect(paid.rate).toBe(back.rate)
    expect(after(paid, 2).rate).toBeCloseTo(1.03 * back.rate, 5)
  })

  test('is not quickened by requests that did not have to wait for it', () => {
    let pace = afterRefusal(busy, begun(99), 100, 0)
    for (let at = 1000; at < 1_000_000; at += 1000) pace = afterAnswer(pace, begun(at), at + 1)
    expect(pace.rate).toBeCloseTo(0.9 * pace.refusedRate, 5)
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
