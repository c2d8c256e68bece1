import { expect, test } from 'vitest'
import { AuthenticationError } from '../../../src/common/errors.ts'
import { forEachEvent } from '../../../src/sync/fetch/for-each-event.ts'

test('H2 an event that was answered before three refusals, but is stored after them, is no success between', async () => {
  const stopped = new AbortController()
  const stored = Promise.withResolvers<void>()

  await forEachEvent(
    {
      settings: { concurrency: 1, outage: {}, logger: { debug() {}, info() {}, warn() {}, error() {} } },
      source: { counts: { requests: 0, rejected: 0 } },
      signal: stopped.signal,
      stop: (reason) => stopped.abort(reason),
    },
    ['long', 'b', 'c', 'd', 'e'],
    {
      async read(event, answered) {
        if (event !== 'long') throw new AuthenticationError(`the key is refused for ${event}`)
        answered()
        await stored.promise
      },
      before: () => undefined,
      failed: (event) => {
        if (event === 'c') stored.resolve()
      },
      done: () => {},
      patienceMs: 60_000,
    },
  )

  expect(stopped.signal.reason).toBeInstanceOf(AuthenticationError)
})
