import { setImmediate } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { Semaphore, type Release } from '../../../src/common/semaphore.ts'

const never = new AbortController().signal

/** Acquires one permit after the other, and says in `given` which were given. */
function acquireAll(semaphore: Semaphore, names: readonly string[]) {
  const given: string[] = []
  const releases = names.map(async (name): Promise<Release> => {
    const release = await semaphore.acquire(never)
    given.push(name)
    return release
  })
  return { given, releases }
}

test('gives as many permits as there are, and the others in turn', async () => {
  const { given, releases } = acquireAll(new Semaphore(2), ['a', 'b', 'c', 'd'])
  await setImmediate()
  expect(given).toEqual(['a', 'b'])
  ;(await releases[1])?.()
  await setImmediate()
  expect(given).toEqual(['a', 'b', 'c'])
})

test('a permit that is released twice is given once', async () => {
  const { given, releases } = acquireAll(new Semaphore(1), ['a', 'b', 'c'])
  const release = await releases[0]
  release?.()
  release?.()
  await setImmediate()
  expect(given).toEqual(['a', 'b'])
})

test('with fewer permits than are taken none is given until enough were released', async () => {
  const semaphore = new Semaphore(2)
  const { given, releases } = acquireAll(semaphore, ['a', 'b', 'c'])
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
  const semaphore = new Semaphore(1)
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
