import { setTimeout } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { startDeadline } from '../../src/source/deadline.ts'

const alive = new AbortController().signal
const late = new Error('too late')

test('ends when its time is over, and tells how much came', async () => {
  let told = 0
  using deadline = startDeadline(20, alive, (bytes) => {
    told = bytes
    return late
  })
  deadline.received(3)
  deadline.received(4)
  await setTimeout(60)
  expect(deadline.signal.reason).toBe(late)
  expect(told).toBe(7)
})

test('every 256 KiB give a second more', async () => {
  using deadline = startDeadline(20, alive, () => late)
  deadline.received(256 * 1024)
  await setTimeout(200)
  expect(deadline.signal.aborted).toBe(false)
})

test('stands still while something else is awaited, and goes on after it', async () => {
  using deadline = startDeadline(50, alive, () => late)
  await deadline.standStill(setTimeout(150))
  expect(deadline.signal.aborted).toBe(false)
  await setTimeout(100)
  expect(deadline.signal.reason).toBe(late)
})

test('ends with the life that bounds it, at once when that is over already', () => {
  const life = new AbortController()
  using deadline = startDeadline(60_000, life.signal, () => late)
  const over = new Error('over')
  life.abort(over)
  expect(deadline.signal.reason).toBe(over)
  using other = startDeadline(60_000, life.signal, () => late)
  expect(other.signal.reason).toBe(over)
})

test('never ends after it was disposed of', async () => {
  const deadline = startDeadline(10, alive, () => late)
  deadline[Symbol.dispose]()
  await setTimeout(40)
  expect(deadline.signal.aborted).toBe(false)
})
