import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import {
  InvalidResponseError,
  type HeadcountError,
  OutageError,
  UnreachableError,
} from '../../../src/common/errors.ts'
import { forEachEvent } from '../../../src/sync/fetch/for-each-event.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

const gone = () => new UnreachableError('the service refused the connection')

interface Read {
  readonly asked: readonly string[]
  readonly failed: ReadonlySet<string>
  /** Warnings, in order. */
  readonly told: readonly string[]
  /** Why it ended early; null when it did not. */
  readonly end: unknown
  /** When it was over. */
  readonly seconds: number
}

/**
 * Reads events, eight at once, in simulated time and with the real constants.
 *
 * @param answer the error with which an event is answered after so many seconds; null for a list
 * @param takesMs until it is answered
 * @param failedBefore could not be read last time
 */
async function readAll(
  count: number,
  answer: (place: number, seconds: number) => HeadcountError | null,
  { takesMs = 100, failedBefore = (_: number): boolean => false } = {},
): Promise<Read> {
  const events = Array.from({ length: count }, (_, place) => `${place}`)
  const stopped = new AbortController()
  const [asked, told]: [string[], string[]] = [[], []]
  const failed = new Set<string>()
  const began = performance.now()
  const seconds = () => (performance.now() - began) / 1000
  const warn = (_: object, message: string) => void told.push(message)
  const reading = forEachEvent(
    {
      settings: { concurrency: 8, outage: {}, logger: { debug() {}, info() {}, warn, error() {} } },
      source: { counts: { requests: 0, rejected: 0 } },
      signal: stopped.signal,
      stop: (reason) => stopped.abort(reason),
    },
    events,
    {
      async read(event, answered) {
        asked.push(event)
        await new Promise((resolve) => setTimeout(resolve, takesMs))
        stopped.signal.throwIfAborted()
        const error = answer(Number(event), seconds())
        if (error !== null) throw error
        answered()
      },
      before: (event) => ({ error_code: failedBefore(Number(event)) ? 'unreachable' : null }),
      failed: (event) => void failed.add(event),
      patienceMs: 60_000,
      done: () => {},
    },
  )
  const ended = reading.then(() => ({ seconds: seconds() }))
  await vi.runAllTimersAsync()
  return { asked, failed, told, end: stopped.signal.aborted ? stopped.signal.reason : null, ...(await ended) }
}

describe('H28 a service that goes away while events are read', () => {
  test('ends the reading 20 s after its last answer; most events were not asked for, and are no failures', async () => {
    const { asked, failed, told, end, seconds } = await readAll(200, (place) => (place < 40 ? null : gone()))
    expect(end).toBeInstanceOf(OutageError)
    expect(told).toHaveLength(1)
    expect(told[0]).toMatch(/does not answer any more: 24 events in a row .* 20 s .*refused the connection/)
    expect(seconds).toBeGreaterThan(20)
    expect(seconds).toBeLessThan(21)
    expect(failed.size).toBeLessThanOrEqual(50)
    expect(asked.length).toBeLessThanOrEqual(40 + 51)
  })

  test('is waited for: when it is back all others are read, and one line says so', async () => {
    const isAway = (seconds: number) => seconds > 0.5 && seconds < 12
    const { asked, failed, told, end } = await readAll(200, (_, seconds) => (isAway(seconds) ? gone() : null))
    expect(end).toBeNull()
    expect(asked).toHaveLength(200)
    expect(failed.size).toBeLessThanOrEqual(24 + 16 + 6)
    expect(told).toHaveLength(2)
    expect(told[1]).toMatch(/answers again, after 1\d s/)
  })

  test.each([
    ['one answer among 24', (place: number) => (place % 24 === 23 ? null : gone())],
    [
      'a refusal for good among 24',
      (place: number) => (place % 24 === 23 ? new InvalidResponseError('no') : gone()),
    ],
    ['fewer failures than three for each request', (place: number) => (place < 23 ? gone() : null)],
  ])('is none: %s', async (_, answer) => {
    const { asked, told, end } = await readAll(96, answer)
    expect({ asked: asked.length, told, end }).toEqual({ asked: 96, told: [], end: null })
  })

  test('is none while events fail that could not be read last time either: the others are asked for', async () => {
    const { asked, failed, told, end } = await readAll(200, (place) => (place < 100 ? gone() : null), {
      failedBefore: (place) => place < 100,
    })
    expect({ asked: asked.length, failed: failed.size, told, end }).toEqual({
      asked: 200,
      failed: 100,
      told: [],
      end: null,
    })
  })

  test('and has not answered for longer when enough events have failed: the reading ends at once', async () => {
    const { asked, told, end } = await readAll(200, gone, { takesMs: 15_000 })
    expect(end).toBeInstanceOf(OutageError)
    expect(told).toEqual([])
    expect(asked.length).toBeLessThanOrEqual(40)
  })
})
