import { expect, test } from 'vitest'
import { CheckedMarker } from '../../../src/sync/write/mark-checked.ts'

const states = (...ids: string[]) =>
  ids.map((event_id) => ({ event_id, poll_interval_s: null, etag: null, read_whole: true }))

/** What stamps see of a run; each write waits until it is told how it ends. */
function runWithWrites() {
  const stopping = new AbortController()
  const writes: { readonly ids: string[]; readonly end: PromiseWithResolvers<void> }[] = []
  const run = {
    unchanged: states(),
    signal: stopping.signal,
    stop: (cause: unknown) => stopping.abort(cause),
    write: async (lists: ReturnType<typeof states>) => {
      const end = Promise.withResolvers<void>()
      writes.push({ ids: lists.map(({ event_id }) => event_id), end })
      await end.promise
    },
  }
  const waiting = () => run.unchanged.map(({ event_id }) => event_id)
  return { run, writes, waiting }
}

test('stamps go as soon as there are enough, one transaction at a time; the rest waits for the closing', async () => {
  const { run, writes, waiting } = runWithWrites()
  const stamps = new CheckedMarker(run, 2)
  for (const state of states('a', 'b', 'c', 'd', 'e')) stamps.add(state)
  expect([writes.map(({ ids }) => ids), waiting()]).toEqual([[['a', 'b']], ['c', 'd', 'e']])
  writes[0]?.end.resolve()
  await stamps.drain()
  for (const state of states('f', 'g')) stamps.add(state)
  expect([writes.map(({ ids }) => ids), waiting()]).toEqual([
    [
      ['a', 'b'],
      ['c', 'd', 'e', 'f'],
    ],
    ['g'],
  ])
})

test('stamps that could not be stored end the run, and are left to its closing with all that come after', async () => {
  const { run, writes, waiting } = runWithWrites()
  const stamps = new CheckedMarker(run, 2)
  for (const state of states('a', 'b', 'c')) stamps.add(state)
  const cause = new Error('the disk is full')
  writes[0]?.end.reject(cause)
  await stamps.drain()
  expect(run.signal.reason).toBe(cause)
  for (const state of states('d')) stamps.add(state)
  expect(writes).toHaveLength(1)
  expect(waiting().toSorted()).toEqual(['a', 'b', 'c', 'd'])
})
