import { describe, expect, test } from 'vitest'
import { RetryLaterError, UnreachableError } from '../../../src/common/errors.ts'
import { BACKFILL_PATIENCE_MS } from '../../../src/sync/fetch/deferred-events.ts'
import { always, change, fixedWindow, none, randomly, tokenBucket } from '../../throttle/limits.ts'
import { judge, type LimitScene } from '../../throttle/scenarios.ts'
import { play } from '../../throttle/simulated-run.ts'
import { randomFrom } from '../../throttle/simulated-clock.ts'

/** `npm run throttle` plays all twelve kinds, and for longer. */
const sample: readonly (readonly [LimitScene, boolean])[] = [
  [
    {
      name: 'H27 half of all at random',
      limit: random(0.5),
      allowed: null,
      settledMs: 20_000,
      endMs: 40_000,
    },
    true,
  ],
  [
    { name: 'H27 one in ten at random', limit: random(0.1), allowed: null, settledMs: 15_000, endMs: 25_000 },
    true,
  ],
  [
    { name: 'H27 one in ten at random', limit: random(0.1), allowed: null, settledMs: 5000, endMs: 10_000 },
    false,
  ],
  [
    {
      name: 'H7 a fixed window of 10 a second',
      limit: ended(fixedWindow(10)),
      allowed: 10,
      isRegular: true,
      settledMs: 60_000,
      endMs: 200_000,
    },
    false,
  ],
  [
    {
      name: 'H7 a bucket of 4 a second',
      limit: ended(tokenBucket(4)),
      allowed: 4,
      isRegular: true,
      settledMs: 60_000,
      endMs: 360_000,
    },
    false,
  ],
  [
    {
      name: 'H7 all refused for two minutes',
      limit: (end) => change(none, 1000, ended(() => 20_000)(end)),
      allowed: 0,
      settledMs: 2000,
      endMs: 121_000,
    },
    true,
  ],
]

function ended(limit: Parameters<typeof change>[0]): LimitScene['limit'] {
  return (endMs) => change(limit, endMs, none)
}

function random(share: number): LimitScene['limit'] {
  return (endMs) => ended(randomly(share, randomFrom(7)))(endMs)
}

describe('at least half of what a limit allows, few refusals, and full speed soon after its end', () => {
  test.each(sample.map(([scene, tellsWhen]) => [scene.name, tellsWhen, scene] as const))(
    '%s, Retry-After: %s',
    async (_, tellsWhen, scene) => {
      expect(await judge(scene, tellsWhen)).toMatchObject({ faults: [] })
    },
  )
})

describe('H26 three events that are always refused, all others answered', () => {
  const bad = ['e5', 'e50', 'e131']
  const refused = (ms: number) =>
    always(
      bad.map((event) => `${event}/0`),
      ms,
    )

  test.each([
    ['of a second', true, 1000],
    ['of half a minute', true, 30_000],
    ['none', false, 0],
  ])('with a pause named (%s): they fail, and the run ends soon', async (_, tellsWhen, ms) => {
    const scene = { tellsWhen, events: 133, seed: 3 }
    const without = await play({ ...scene, limit: none })
    const played = await play({ ...scene, limit: refused(ms) })
    expect(played.failed.map(({ event }) => event).toSorted()).toEqual(bad.toSorted())
    expect(played).toMatchObject({ read: 130, stoppedBy: null })
    expect(played.endedAt - without.endedAt).toBeLessThan(60_000 + 3 * ms)
  })

  test('a pause that ends later than a run waits: named, and not waited for; a backfill waits', async () => {
    const scene = { tellsWhen: true, events: 133, limit: refused(70_000) }
    const synced = await play(scene)
    expect(synced.failed[0]?.error).toBeInstanceOf(RetryLaterError)
    expect(synced.endedAt).toBeLessThan(60_000 + 3 * 70_000)
    const until = change(refused(70_000), 290_000, none)
    expect((await play({ ...scene, limit: until })).failed).toHaveLength(3)
    const backfill = await play({ ...scene, limit: until, patienceMs: BACKFILL_PATIENCE_MS })
    expect(backfill).toMatchObject({ failed: [], read: 133 })
  })

  test('nothing else at all: they fail after three more refusals or a minute', async () => {
    const played = await play({ tellsWhen: true, events: 2, limit: () => 10_000 })
    expect(played.failed).toHaveLength(2)
    expect(played.failed[0]?.error).toBeInstanceOf(UnreachableError)
    expect(played.endedAt).toBeLessThan(100_000)
  })
})

test.each([true, false])(
  'H26 half of all answers are 429 at random (Retry-After: %s): every list is read, those in pages too',
  async (tellsWhen) => {
    for (const seed of [1, 2, 3, 4]) {
      const scene = { tellsWhen, events: 60, pages: seed, seed }
      const played = await play({ ...scene, limit: randomly(0.5, randomFrom(seed)) })
      expect(played).toMatchObject({ read: 60, failed: [], stoppedBy: null })
    }
  },
)

test('H26 an event of which another page is answered each time starts anew', async () => {
  // Each page is refused four times.
  const seen = new Map<string, number>()
  const limit = ({ path }: { path: string }): number | null => {
    const times = (seen.get(path) ?? 0) + 1
    seen.set(path, times)
    return path.startsWith('e3/') && times <= 4 ? 1000 : null
  }
  const played = await play({ tellsWhen: true, events: 10, pages: 4, limit })
  expect(played).toMatchObject({ read: 10, failed: [] })
})

describe('H27 what is said at `info`', () => {
  test('one line when the service slows the run down, one when it is over, and no flood', async () => {
    const limit = change(tokenBucket(4), 120_000, none)
    const { told } = await play({ tellsWhen: false, events: 30_000, untilMs: 200_000, limit })
    expect(told.map(({ message }) => message)).toEqual([
      expect.stringMatching(
        /^The service slows the run down: it rejected \d+ requests\. At most [\d.]+ requests a second are sent/,
      ),
      expect.stringMatching(/^The service no longer slows the run down; it did so for \d+ s\.$/),
    ])
  })

  test('a pause that is named is said at once, with its end', async () => {
    const limit = change(() => 20_000, 20_000, none)
    const { told } = await play({ tellsWhen: true, events: 20, limit })
    expect(told[0]).toMatchObject({ message: expect.stringMatching(/It asks to wait until \d{4}-/) })
    expect(told.length).toBeLessThanOrEqual(2)
  })

  test('random refusals are called so', async () => {
    const { told } = await play({ tellsWhen: false, events: 3000, limit: randomly(0.3, randomFrom(3)) })
    expect(told[0]?.message).toMatch(/are rejected at random; each is retried on its own/)
  })
})
