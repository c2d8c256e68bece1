import { setTimeout } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { RequestTimeout } from '../../../src/source/timeouts/request-timeout.ts'

const late = new Error('too late')

function start(timeoutMs: number): RequestTimeout {
  return new RequestTimeout(new AbortController().signal, timeoutMs, () => late)
}

test('ends when its time is over, and tells how much came', async () => {
  let told = 0
  using deadline = new RequestTimeout(new AbortController().signal, 20, (bytes) => {
    told = bytes
    return late
  })
  deadline.extendFor(3)
  deadline.extendFor(4)
  await setTimeout(60)
  expect(deadline.reason).toBe(late)
  expect(told).toBe(7)
})

test('breaks off what was named last, at once when it is over already', async () => {
  using deadline = start(20)
  const broken: [string, Error][] = []
  deadline.onTimeout((reason) => broken.push(['first', reason]))
  deadline.onTimeout((reason) => broken.push(['second', reason]))
  await setTimeout(60)
  expect(broken).toEqual([['second', late]])
  deadline.onTimeout((reason) => broken.push(['third', reason]))
  expect(broken.at(-1)).toEqual(['third', late])
})

test('every 256 KiB give a second more', async () => {
  using deadline = start(20)
  deadline.extendFor(256 * 1024)
  await setTimeout(200)
  expect(deadline.reason).toBeNull()
})

test('stands still while something else is awaited, and goes on after it', async () => {
  using deadline = start(50)
  await deadline.pauseWhile(setTimeout(150))
  expect(deadline.reason).toBeNull()
  await setTimeout(100)
  expect(deadline.reason).toBe(late)
})

test('ends with the life that bounds it, at once when that is over already', () => {
  const life = new AbortController()
  using deadline = new RequestTimeout(life.signal, 60_000, () => late)
  const over = new Error('over')
  life.abort(over)
  expect(deadline.reason).toBe(over)
  using other = new RequestTimeout(life.signal, 60_000, () => late)
  expect(other.reason).toBe(over)
})

test('never ends after it was disposed of', async () => {
  const life = new AbortController()
  const deadline = new RequestTimeout(life.signal, 10, () => late)
  deadline[Symbol.dispose]()
  await setTimeout(40)
  life.abort(new Error('over'))
  expect(deadline.reason).toBeNull()
})
