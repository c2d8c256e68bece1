/** Twelve kinds of limits, and what a run must reach under each. */
import {
  always,
  change,
  concurrency,
  fixedWindow,
  type Limit,
  none,
  perPath,
  randomly,
  slidingWindow,
  tokenBucket,
} from './limits.ts'
import { type Arrival, play, playEightPlaces } from './simulated-run.ts'
import { randomFrom } from './simulated-clock.ts'

const HOUR_MS = 3_600_000

export interface LimitScene {
  readonly name: string
  /** Until `endMs` of the run; what is measured begins at `settledMs`. */
  readonly limit: (endMs: number) => Limit
  /** Answers a second that it allows; null: as many as eight places get that obey `Retry-After` each for itself. */
  readonly allowed: number | null
  /** Counts by the second, and at least four: at most 1 % may be refused. */
  readonly isRegular?: true
  readonly settledMs?: number
  readonly endMs?: number
  /** Not said by the limit: when `Retry-After` is the point, or none makes sense. */
  readonly only?: 'told' | 'untold'
}

/** So many at once get so many answers a second, by the latency of the service. */
const ONE_AT_ONCE = 1000 / 50
const EIGHT = 8 * ONE_AT_ONCE

function until(limit: Limit): (endMs: number) => Limit {
  return (endMs) => change(limit, endMs, none)
}

const shares = [0.01, 0.1, 0.3, 0.5]
const rates = [4, 10, 100]

export const scenes: readonly LimitScene[] = [
  { name: 'none', limit: () => none, allowed: EIGHT, only: 'told' },
  ...shares.map((share) => ({
    name: `random, ${share * 100} %`,
    limit: (endMs: number) => until(randomly(share, randomFrom(7)))(endMs),
    allowed: null,
  })),
  ...rates.flatMap((rate): LimitScene[] => {
    // A refusal in 28 s is counted only over long.
    const held = { allowed: rate, isRegular: true, endMs: rate < 100 ? 660_000 : 240_000 } as const
    return [
      { name: `fixed window, ${rate}/s`, limit: (end) => until(fixedWindow(rate))(end), ...held },
      { name: `sliding window, ${rate}/s`, limit: (end) => until(slidingWindow(rate))(end), ...held },
      { name: `token bucket, ${rate}/s`, limit: (end) => until(tokenBucket(rate))(end), ...held },
    ]
  }),
  {
    name: 'token bucket that holds 50, 10/s',
    limit: (end) => until(tokenBucket(10, 50))(end),
    allowed: 10,
    isRegular: true,
    endMs: 660_000,
  },
  { name: 'token bucket, 1/s', limit: (end) => until(tokenBucket(1))(end), allowed: 1 },
  ...[1, 2, 4, 6].map((most): LimitScene => ({
    name: `${most} at once`,
    limit: (end) => until(concurrency(most))(end),
    allowed: most * ONE_AT_ONCE,
    isRegular: true,
    only: 'untold',
  })),
  { name: 'per path, one in 20 for 2 s', limit: (end) => until(perPath(20, 2000))(end), allowed: null },
  {
    name: 'three paths for good',
    limit: (end) => until(always(['e5/0', 'e50/0', 'e100/0'], 5000))(end),
    allowed: null,
  },
  {
    name: '2,000 an hour',
    limit: (end) => until(fixedWindow(2000 / 3600, HOUR_MS, 0))(end),
    allowed: 2000 / 3600,
    settledMs: 0,
    endMs: 2 * HOUR_MS,
  },
  {
    name: 'lowered from 100/s to 10/s',
    limit: (end) => change(tokenBucket(100), end / 4, until(tokenBucket(10))(end)),
    allowed: 10,
    isRegular: true,
    settledMs: 150_000,
    endMs: 400_000,
  },
  {
    name: 'raised from 10/s to 100/s',
    limit: (end) => change(tokenBucket(10), end / 4, until(tokenBucket(100))(end)),
    allowed: 100,
    isRegular: true,
    settledMs: 200_000,
    endMs: 400_000,
  },
  {
    name: 'all refused for five minutes',
    limit: (end) => change(none, end - 300_000, until(() => 20_000)(end)),
    allowed: 0,
    settledMs: 30_000,
    endMs: 330_000,
  },
]

export interface Result {
  readonly scene: LimitScene
  readonly tellsWhen: boolean
  readonly allowed: number
  /** Answers a second while the limit held, once settled. */
  readonly reached: number
  readonly refused: number
  /** From the end of the limit to full speed, in s; null when it was never reached. */
  readonly backAfter: number | null
  /** The longer of 30 s and 100 answers at the pace before. */
  readonly mustBeBackAfter: number
  readonly faults: readonly string[]
}

const FULL_SPEED = 0.9 * EIGHT
const AFTER_MS = 120_000
const WINDOW_MS = 2000

export async function judge(scene: LimitScene, tellsWhen: boolean): Promise<Result> {
  const { settledMs = 60_000, endMs = 240_000 } = scene
  const settled = Math.min(settledMs, endMs / 2)
  const untilMs = endMs + (scene.allowed === 1 ? 2 : 1) * AFTER_MS
  const played = { tellsWhen, untilMs, runTimeout: true, events: Math.ceil((untilMs / 1000) * EIGHT * 1.2) }
  // Long after its end a limit that is over needs no more requests than show it.
  const { arrivals } = await play({ ...played, limit: scene.limit(endMs), isEnough: isBack(endMs) })
  const eight =
    scene.allowed === null
      ? await playEightPlaces({ ...played, limit: scene.limit(endMs), untilMs: endMs })
      : null
  const allowed = scene.allowed ?? perSecond(eight?.arrivals ?? [], settled, endMs)
  const reached = perSecond(arrivals, settled, endMs)
  const measured = arrivals.filter(({ at }) => at >= settled && at < endMs)
  const refused = measured.filter(({ isAllowed }) => !isAllowed).length / Math.max(1, measured.length)
  const back = backAt(arrivals, endMs)
  const backAfter = back === null ? null : (back - endMs) / 1000
  const mustBeBackAfter = Math.max(30, reached > 0 ? 100 / reached : 0)
  const faults: string[] = []
  if (reached < allowed / 2) faults.push('less than half')
  if (scene.isRegular === true && refused > 0.01) faults.push('more than 1 % refused')
  if (backAfter === null || backAfter > mustBeBackAfter) faults.push('back too late')
  return { scene, tellsWhen, allowed, reached, refused, backAfter, mustBeBackAfter, faults }
}

function perSecond(arrivals: readonly Arrival[], fromMs: number, toMs: number): number {
  const answered = arrivals.filter(({ at, isAllowed }) => isAllowed && at >= fromMs && at < toMs)
  return answered.length / ((toMs - fromMs) / 1000)
}

/** When as many were answered in two seconds as a service without a limit answers; null when they never were. */
function backAt(arrivals: readonly Arrival[], endMs: number): number | null {
  const after = arrivals.filter(({ at, isAllowed }) => isAllowed && at >= endMs).map(({ at }) => at)
  const needed = Math.ceil(FULL_SPEED * (WINDOW_MS / 1000))
  const first = after.find((at, n) => (after[n + needed] ?? Infinity) - at <= WINDOW_MS)
  return first ?? null
}

/** A service at full speed for two seconds after the end of its limit has shown all that is asked. */
function isBack(endMs: number): (arrivals: readonly Arrival[]) => boolean {
  let looked = 0
  return (arrivals) => {
    const last = arrivals.at(-1)?.at ?? 0
    if (last < endMs + WINDOW_MS || last - looked < WINDOW_MS) return false
    looked = last
    return backAt(arrivals, endMs) !== null
  }
}
