import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { lookAgain } from '../../../../../src/orchestration/schedule/accounts/look-again.ts'
import { pass, second } from '../../../../support/runs/worker.ts'

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

/** Looks that end when the test says so. */
function startLooking() {
  const looks: PromiseWithResolvers<void>[] = []
  const told: string[] = []
  const look = () => {
    const one = Promise.withResolvers<void>()
    looks.push(one)
    return one.promise
  }
  const looking = lookAgain(look, (level, message) => void told.push(`${level}: ${message}`))
  return { looks, told, end: () => looking[Symbol.asyncDispose]() }
}

test('looks every ten seconds, but not while a look goes on', async () => {
  const { looks, told, end } = startLooking()
  await pass(10 * second)
  await pass(25 * second)
  expect(looks).toHaveLength(1)
  looks[0]?.reject(new Error('the disk is away'))
  await pass(5 * second)
  expect(looks).toHaveLength(2)
  expect(told).toEqual(['error: the accounts could not be looked at'])
  looks[1]?.resolve()
  await pass(10 * second)
  expect(looks).toHaveLength(3)
  looks[2]?.resolve()
  await end()
  await pass(30 * second)
  expect(looks).toHaveLength(3)
})

test('its end waits for the look under way, and not for ever', async () => {
  const { looks, end } = startLooking()
  await pass(10 * second)
  let hasEnded = false
  const ending = end().then(() => (hasEnded = true))
  await pass(second / 2)
  expect(hasEnded).toBe(false)
  looks[0]?.resolve()
  await ending
  const other = startLooking()
  await pass(10 * second)
  const hanging = other.end()
  await pass(second)
  await hanging
})
