import { describe, expect, test } from 'vitest'
import { createLargeListSlots } from '../../../src/server/stores/mirror/large-list-slots.ts'
import {
  FairAllocator,
  leavesEqualShare,
  whileAvailable,
  type Requester,
} from '../../../src/server/fair-allocator.ts'

const requester = (account: string, key = account): Requester => ({ account, key })

/** Takes ones until there is none. */
function takeAll(shares: FairAllocator, by: Requester): number {
  let taken = 0
  while (shares.tryAcquire(by, 1) !== null) taken += 1
  return taken
}

describe('X9 shares', () => {
  test('of which as much is left for others: a third for a key, half for an account, always something for the next', () => {
    const shares = new FairAllocator(120, leavesEqualShare)
    expect(takeAll(shares, requester('north', 'first'))).toBe(40)
    const ofNorth =
      40 + takeAll(shares, requester('north', 'second')) + takeAll(shares, requester('north', 'third'))
    expect(ofNorth).toBeGreaterThan(50)
    expect(ofNorth).toBeLessThanOrEqual(60)
    for (const account of ['south', 'east', 'west'])
      expect(takeAll(shares, requester(account))).toBeGreaterThan(5)
  })

  test('that are given back are there again, also in part, and not twice', () => {
    const shares = new FairAllocator(30, leavesEqualShare)
    const share = shares.tryAcquire(requester('north'), 10)
    expect(shares.tryAcquire(requester('north'), 1)).toBeNull()
    share?.resize(4)
    expect(shares.usageOf(requester('north'))).toEqual({ account: 4, key: 4 })
    share?.[Symbol.dispose]()
    share?.[Symbol.dispose]()
    expect(shares.usageOf(requester('north'))).toEqual({ account: 0, key: 0 })
    expect(shares.tryAcquire(requester('north'), 10)).not.toBeNull()
  })

  test('go to whoever has least of those who wait, then to whoever got something longest ago', async () => {
    const shares = new FairAllocator(2, whileAvailable)
    const [first, second] = [
      shares.tryAcquire(requester('greedy'), 1),
      shares.tryAcquire(requester('greedy'), 1),
    ]
    const given: string[] = []
    const wait = async (by: Requester) => {
      const share = await shares.acquire(by, 1, 60_000)
      given.push(by.key)
      return share
    }
    const waiting = [
      wait(requester('greedy', 'other-of-greedy')),
      wait(requester('greedy')),
      wait(requester('north')),
      wait(requester('south')),
    ]
    expect(shares.nextWaiting).toEqual(requester('north'))
    first?.[Symbol.dispose]()
    const ofNorth = await waiting[2]
    second?.[Symbol.dispose]()
    await waiting[3]
    ofNorth?.[Symbol.dispose]()
    const ofOther = await waiting[0]
    ofOther?.[Symbol.dispose]()
    await Promise.all(waiting)
    expect(given).toEqual(['north', 'south', 'other-of-greedy', 'greedy'])
  })

  test('that do not come in time are not waited for any longer', async () => {
    const shares = new FairAllocator(1, whileAvailable)
    const share = shares.tryAcquire(requester('north'), 1)
    expect(await shares.acquire(requester('south'), 1, 1)).toBeNull()
    expect(shares.nextWaiting).toBeNull()
    share?.[Symbol.dispose]()
    expect(await shares.acquire(requester('south'), 1, 1)).not.toBeNull()
  })
})

describe('X9 places for large lists', () => {
  test('are asked back from whoever has more than who waits, and from nobody else', async () => {
    const places = createLargeListSlots(2)
    const [first, second] = [places.tryAcquire(requester('greedy')), places.tryAcquire(requester('greedy'))]
    const waiting = places.acquire(requester('other'))
    await new Promise((resolve) => first?.reclaimed.addEventListener('abort', resolve))
    expect(second?.reclaimed.aborted).toBe(false)
    first?.[Symbol.dispose]()
    const place = await waiting
    // Each of the two has one now: the third of the first account waits.
    const third = places.acquire(requester('greedy'))
    await new Promise((resolve) => setTimeout(resolve, 700))
    expect([second?.reclaimed.aborted, place.reclaimed.aborted]).toEqual([false, false])
    second?.[Symbol.dispose]()
    expect((await third).reclaimed.aborted).toBe(false)
  })

  test('are shared between the keys of an account too', async () => {
    const places = createLargeListSlots(1)
    const first = places.tryAcquire(requester('north', 'greedy'))
    const waiting = places.acquire(requester('north', 'other'))
    await new Promise((resolve) => first?.reclaimed.addEventListener('abort', resolve))
    first?.[Symbol.dispose]()
    await waiting
  })
})
