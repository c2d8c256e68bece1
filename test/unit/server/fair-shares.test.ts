import { describe, expect, test } from 'vitest'
import { createPlaces } from '../../../src/server/stores/mirror/large-list-slots.ts'
import {
  createShares,
  leaveAsMuch,
  whatIsThere,
  type Holder,
  type Shares,
} from '../../../src/server/fair-shares.ts'

const holder = (account: string, key = account): Holder => ({ account, key })

/** Takes ones until there is none. */
function takeAll(shares: Shares, by: Holder): number {
  let taken = 0
  while (shares.tryTake(by, 1) !== null) taken += 1
  return taken
}

describe('X9 shares', () => {
  test('of which as much is left for others: a third for a key, half for an account, always something for the next', () => {
    const shares = createShares(120, leaveAsMuch)
    expect(takeAll(shares, holder('north', 'first'))).toBe(40)
    const ofNorth =
      40 + takeAll(shares, holder('north', 'second')) + takeAll(shares, holder('north', 'third'))
    expect(ofNorth).toBeGreaterThan(50)
    expect(ofNorth).toBeLessThanOrEqual(60)
    for (const account of ['south', 'east', 'west'])
      expect(takeAll(shares, holder(account))).toBeGreaterThan(5)
  })

  test('that are given back are there again, also in part, and not twice', () => {
    const shares = createShares(30, leaveAsMuch)
    const share = shares.tryTake(holder('north'), 10)
    expect(shares.tryTake(holder('north'), 1)).toBeNull()
    share?.resize(4)
    expect(shares.heldBy(holder('north'))).toEqual({ account: 4, key: 4 })
    share?.[Symbol.dispose]()
    share?.[Symbol.dispose]()
    expect(shares.heldBy(holder('north'))).toEqual({ account: 0, key: 0 })
    expect(shares.tryTake(holder('north'), 10)).not.toBeNull()
  })

  test('go to whoever has least of those who wait, then to whoever got something longest ago', async () => {
    const shares = createShares(2, whatIsThere)
    const [first, second] = [shares.tryTake(holder('greedy'), 1), shares.tryTake(holder('greedy'), 1)]
    const given: string[] = []
    const wait = async (by: Holder) => {
      const share = await shares.take(by, 1, 60_000)
      given.push(by.key)
      return share
    }
    const waiting = [
      wait(holder('greedy', 'other-of-greedy')),
      wait(holder('greedy')),
      wait(holder('north')),
      wait(holder('south')),
    ]
    expect(shares.next).toEqual(holder('north'))
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
    const shares = createShares(1, whatIsThere)
    const share = shares.tryTake(holder('north'), 1)
    expect(await shares.take(holder('south'), 1, 1)).toBeNull()
    expect(shares.next).toBeNull()
    share?.[Symbol.dispose]()
    expect(await shares.take(holder('south'), 1, 1)).not.toBeNull()
  })
})

describe('X9 places for large lists', () => {
  test('are asked back from whoever has more than who waits, and from nobody else', async () => {
    const places = createPlaces(2)
    const [first, second] = [places.tryTake(holder('greedy')), places.tryTake(holder('greedy'))]
    const waiting = places.take(holder('other'))
    await new Promise((resolve) => first?.isNeeded.addEventListener('abort', resolve))
    expect(second?.isNeeded.aborted).toBe(false)
    first?.[Symbol.dispose]()
    const place = await waiting
    // Each of the two has one now: the third of the first account waits.
    const third = places.take(holder('greedy'))
    await new Promise((resolve) => setTimeout(resolve, 700))
    expect([second?.isNeeded.aborted, place.isNeeded.aborted]).toEqual([false, false])
    second?.[Symbol.dispose]()
    expect((await third).isNeeded.aborted).toBe(false)
  })

  test('are shared between the keys of an account too', async () => {
    const places = createPlaces(1)
    const first = places.tryTake(holder('north', 'greedy'))
    const waiting = places.take(holder('north', 'other'))
    await new Promise((resolve) => first?.isNeeded.addEventListener('abort', resolve))
    first?.[Symbol.dispose]()
    await waiting
  })
})
