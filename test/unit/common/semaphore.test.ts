import { setImmediate } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { Semaphore, type Member, type Release } from '../../../src/common/semaphore.ts'

const never = new AbortController().signal

/** Acquires one permit after the other, and says in `given` which were given. */
function acquireAll(member: Member, names: readonly string[]) {
  const given: string[] = []
  const releases = names.map(async (name): Promise<Release> => {
    const release = await member.acquire(never)
    given.push(name)
    return release
  })
  return { given, releases }
}

test('gives as many permits as there are, and the others in turn', async () => {
  const { given, releases } = acquireAll(new Semaphore(2).join(), ['a', 'b', 'c', 'd'])
  await setImmediate()
  expect(given).toEqual(['a', 'b'])
  ;(await releases[1])?.()
  await setImmediate()
  expect(given).toEqual(['a', 'b', 'c'])
})

test('a permit that is released twice is given once', async () => {
  const { given, releases } = acquireAll(new Semaphore(1).join(), ['a', 'b', 'c'])
  const release = await releases[0]
  release?.()
  release?.()
  await setImmediate()
  expect(given).toEqual(['a', 'b'])
})

test('with fewer permits than are taken none is given until enough were released', async () => {
  const semaphore = new Semaphore(2)
  const { given, releases } = acquireAll(semaphore.join(), ['a', 'b', 'c'])
  await setImmediate()
  semaphore.concurrency = 1
  ;(await releases[0])?.()
  await setImmediate()
  expect(given).toEqual(['a', 'b'])
  semaphore.concurrency = 2
  await setImmediate()
  expect(given).toEqual(['a', 'b', 'c'])
})

test('who is aborted while it waits takes no permit, also when it arrives at that moment', async () => {
  const semaphore = new Semaphore(1).join()
  const reason = new Error('over')
  for (const isAbortedFirst of [true, false]) {
    const release = await semaphore.acquire(never)
    const stopping = new AbortController()
    const waiting = semaphore.acquire(stopping.signal)
    if (isAbortedFirst) stopping.abort(reason)
    release()
    stopping.abort(reason)
    // A permit that was given before the abort was heard of is released, or is the caller's.
    const result = await waiting.catch((error: unknown) => error)
    if (result instanceof Error) expect(result).toBe(reason)
    else (result as Release)()
    ;(await semaphore.acquire(never))()
  }
  await expect(semaphore.acquire(AbortSignal.abort(reason))).rejects.toBe(reason)
})

test('the next permit goes to the member that holds fewest, then to the one that was served longest ago', async () => {
  const semaphore = new Semaphore(4)
  const large = semaphore.join()
  const first = acquireAll(large, ['a', 'b', 'c', 'd', 'e', 'f'])
  await setImmediate()
  expect(first.given).toEqual(['a', 'b', 'c', 'd'])
  const small = acquireAll(semaphore.join(), ['u', 'v'])
  const other = acquireAll(semaphore.join(), ['x', 'y'])
  ;(await first.releases[0])?.()
  ;(await first.releases[1])?.()
  await setImmediate()
  expect({ small: small.given, other: other.given }).toEqual({ small: ['u'], other: ['x'] })
  ;(await first.releases[2])?.()
  await setImmediate()
  expect([first.given.length, small.given.length, other.given.length]).toEqual([5, 1, 1])
  ;(await first.releases[3])?.()
  await setImmediate()
  expect([first.given.length, small.given, other.given]).toEqual([5, ['u', 'v'], ['x']])
})

test('a member that came later finds a permit free, however many the first one asks for', async () => {
  const semaphore = new Semaphore(3)
  const newcomer = semaphore.join()
  const busy = acquireAll(semaphore.join(), ['a', 'b', 'c', 'd'])
  await setImmediate()
  expect(busy.given).toEqual(['a', 'b'])
  const late = acquireAll(newcomer, ['z'])
  await setImmediate()
  expect(late.given).toEqual(['z'])
  newcomer[Symbol.dispose]()
  ;(await late.releases[0])?.()
  await setImmediate()
  // Alone again, it may have all.
  expect(busy.given).toEqual(['a', 'b', 'c'])
})

test('where no member may hold all, one is free for a member that came later', async () => {
  const semaphore = new Semaphore(3)
  semaphore.keepsOneFree = true
  const alone = acquireAll(semaphore.join(), ['a', 'b', 'c'])
  await setImmediate()
  expect(alone.given).toEqual(['a', 'b'])
  const late = acquireAll(semaphore.join(), ['z'])
  await setImmediate()
  expect(late.given).toEqual(['z'])
})

test('with fewer permits one is free as well, and with one it is for whoever comes first', async () => {
  const semaphore = new Semaphore(4)
  semaphore.keepsOneFree = true
  semaphore.concurrency = 2
  const alone = acquireAll(semaphore.join(), ['a', 'b'])
  await setImmediate()
  expect(alone.given).toEqual(['a'])
  semaphore.concurrency = 1
  ;(await alone.releases[0])?.()
  await setImmediate()
  expect(alone.given).toEqual(['a', 'b'])
})

test('a member never holds more than its own maximum', async () => {
  const semaphore = new Semaphore(8)
  const { given, releases } = acquireAll(semaphore.join(2), ['a', 'b', 'c'])
  await setImmediate()
  expect(given).toEqual(['a', 'b'])
  ;(await releases[1])?.()
  await setImmediate()
  expect(given).toEqual(['a', 'b', 'c'])
})
