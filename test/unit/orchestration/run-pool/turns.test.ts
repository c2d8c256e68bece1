import { setImmediate } from 'node:timers/promises'
import { expect, onTestFinished, test, vi } from 'vitest'
import type { HostState } from '../../../../src/orchestration/run-pool/hosts.ts'
import { TRY_ANOTHER_AFTER_MS } from '../../../../src/orchestration/run-pool/silent-hosts.ts'
import { Turns, type Turn } from '../../../../src/orchestration/run-pool/turns.ts'

const never = new AbortController().signal

/** Who has a turn, by names of accounts like `host/1`, in the order in which the turns were given. */
function scene(
  runs: number,
  stateOf: (host: string) => HostState = () => 'answering',
  failures: ReadonlyMap<string, number> = new Map(),
) {
  const turns = new Turns({ runs, stateOf, lastFailure: (_, account) => failures.get(account) ?? 0 })
  const given: string[] = []
  const held = new Map<string, Turn>()
  const errors: string[] = []
  return {
    turns,
    given,
    errors,
    take: (...names: readonly string[]) => {
      for (const name of names) {
        const [host = ''] = name.split('/')
        turns.take(host, name, never).then(
          (turn) => {
            given.push(name)
            held.set(name, turn)
          },
          (error: Error) => errors.push(`${name}: ${error.message}`),
        )
      }
      return setImmediate()
    },
    end: async (name: string) => {
      held.get(name)?.release()
      held.delete(name)
      await setImmediate()
    },
    suspend: async (name: string) => {
      held.get(name)?.suspend()
      await setImmediate()
    },
    /** As a run does it: for each of two requests at once. */
    resume: async (name: string, signal = never) => {
      const turn = held.get(name)
      const returns = Promise.all([turn?.resume(signal), turn?.resume(signal)])
      returns.then(
        () => given.push(`${name} again`),
        (error: Error) => errors.push(`${name}: ${error.message}`),
      )
      await setImmediate()
    },
  }
}

function useFakeTime() {
  vi.useFakeTimers({ toFake: ['performance', 'setTimeout', 'clearTimeout'] })
  onTestFinished(() => void vi.useRealTimers())
}

test('turns rotate between hosts, and between the accounts of a host', async () => {
  const { take, end, given } = scene(1)
  await take('a/1', 'a/1', 'a/2', 'a/3', 'b/1', 'c/1')
  for (const name of ['a/1', 'b/1', 'c/1', 'a/2', 'a/3', 'a/1']) {
    expect(given.at(-1)).toBe(name)
    await end(name)
  }
  expect(given).toEqual(['a/1', 'b/1', 'c/1', 'a/2', 'a/3', 'a/1'])
})

test('an account has one run at a time, and keeps no other from its turn', async () => {
  const { take, end, given } = scene(3)
  await take('a/1', 'a/1', 'a/2')
  expect(given).toEqual(['a/1', 'a/2'])
  await end('a/1')
  expect(given).toEqual(['a/1', 'a/2', 'a/1'])
})

test('the last turn is for another host than those that have runs', async () => {
  const { take, end, given } = scene(3)
  await take('b/1')
  await end('b/1')
  await take('a/1', 'a/2', 'a/3', 'a/4')
  expect(given).toEqual(['b/1', 'a/1', 'a/2'])
  await take('b/2')
  expect(given.at(-1)).toBe('b/2')
  // The host with fewer runs comes first.
  await take('b/3')
  await end('a/1')
  expect(given.at(-1)).toBe('a/3')
})

test('a host that is not open has one turn, and others go on', async () => {
  const open = new Set(['b'])
  const { turns, take, end, given } = scene(4, (host) => (open.has(host) ? 'answering' : 'silent'))
  await take('a/1', 'a/2', 'a/3', 'b/1', 'b/2')
  expect(given).toEqual(['a/1', 'b/1', 'b/2'])
  await end('a/1')
  expect(given.at(-1)).toBe('a/2')
  expect(given).not.toContain('a/3')
  open.add('a')
  turns.update()
  await setImmediate()
  expect(given.at(-1)).toBe('a/3')
})

test('beside an account that hangs the others of a silent host are tried, few at once, and all once it answers', async () => {
  useFakeTime()
  let state: HostState = 'silent'
  const { turns, take, end, given } = scene(8, () => state)
  await take('a/1', 'a/2', 'a/3', 'a/4', 'a/5', 'a/6')
  expect(given).toEqual(['a/1'])
  await vi.advanceTimersByTimeAsync(TRY_ANOTHER_AFTER_MS - 1)
  expect(given).toEqual(['a/1'])
  await vi.advanceTimersByTimeAsync(1)
  expect(given).toEqual(['a/1', 'a/2'])
  await vi.advanceTimersByTimeAsync(10 * TRY_ANOTHER_AFTER_MS)
  expect(given).toEqual(['a/1', 'a/2', 'a/3'])
  await end('a/2')
  expect(given).toEqual(['a/1', 'a/2', 'a/3', 'a/4'])
  state = 'answering'
  turns.update()
  await setImmediate()
  expect(given.slice(4)).toEqual(['a/5', 'a/6'])
})

test('a run of a silent host that pauses again and again keeps no other account from being tried', async () => {
  useFakeTime()
  const { take, given, suspend, resume } = scene(8, () => 'silent')
  await take('a/1', 'a/2')
  for (let second = 0; second < 3; second += 1) {
    await suspend('a/1')
    await vi.advanceTimersByTimeAsync(1000)
    await resume('a/1')
  }
  expect(given).toEqual(['a/1', 'a/1 again', 'a/2', 'a/1 again', 'a/1 again'])
})

test('a silent host leaves half of the turns to other hosts, and is asked nothing in a pause', async () => {
  useFakeTime()
  const states = new Map<string, HostState>([['down', 'silent']])
  const { take, given } = scene(4, (host) => states.get(host) ?? 'answering')
  await take('down/1', 'down/2', 'down/3', 'up/1')
  await vi.advanceTimersByTimeAsync(10 * TRY_ANOTHER_AFTER_MS)
  expect(given).toEqual(['down/1', 'up/1', 'down/2'])
  await take('up/2', 'up/3')
  expect(given).toEqual(['down/1', 'up/1', 'down/2', 'up/2'])
  const paused = scene(4, () => 'paused')
  await paused.take('a/1', 'a/2')
  await vi.advanceTimersByTimeAsync(10 * TRY_ANOTHER_AFTER_MS)
  expect(paused.given).toEqual(['a/1'])
})

test('several silent hosts together leave half of the turns to one that answers, as long as it has runs', async () => {
  useFakeTime()
  const { take, end, given } = scene(8, (host) => (host === 'up' ? 'answering' : 'silent'))
  await take('a/1', 'a/2', 'a/3', 'b/1', 'b/2', 'b/3', 'up/1', 'up/2')
  await vi.advanceTimersByTimeAsync(10 * TRY_ANOTHER_AFTER_MS)
  expect(given).toEqual(['a/1', 'b/1', 'up/1', 'up/2', 'a/2', 'b/2'])
  await take('up/3', 'up/4')
  expect(given.slice(6)).toEqual(['up/3', 'up/4'])
  for (const name of ['up/1', 'up/2', 'up/3', 'up/4']) await end(name)
  expect(given.slice(8).toSorted()).toEqual(['a/3', 'b/3'])
})

test('those who wait for a host that is away fail, and what runs or waits elsewhere does not', async () => {
  const { turns, take, end, given, errors } = scene(1, () => 'silent')
  await take('a/1', 'a/2', 'a/3', 'b/1')
  turns.failWaiting('a', (account) => new Error(`not ${account}`))
  await setImmediate()
  expect(errors).toEqual(['a/2: not a/2', 'a/3: not a/3'])
  await end('a/1')
  expect(given).toEqual(['a/1', 'b/1'])
})

test('an account that got no answer waits behind the others of its host, so that each is tried', async () => {
  const failures = new Map([
    ['a/1', 3],
    ['a/2', 2],
  ])
  const { take, end, given } = scene(1, () => 'silent', failures)
  await take('b/1', 'a/1', 'a/2', 'a/3')
  await end('b/1')
  expect(given.at(-1)).toBe('a/3')
  await end('a/3')
  expect(given.at(-1)).toBe('a/2')
  failures.set('a/2', 5)
  await take('a/2')
  await end('a/2')
  expect(given).toEqual(['b/1', 'a/3', 'a/2', 'a/1'])
})

test('a host that no account uses any more keeps no turn free after an hour', async () => {
  vi.useFakeTimers({ toFake: ['performance'] })
  onTestFinished(() => void vi.useRealTimers())
  const { take, end, given } = scene(2)
  await take('old/1')
  await end('old/1')
  await take('new/1', 'new/2')
  expect(given).toEqual(['old/1', 'new/1'])
  vi.advanceTimersByTime(60 * 60_000 + 1)
  await end('new/1')
  await take('new/1')
  expect(given).toEqual(['old/1', 'new/1', 'new/2', 'new/1'])
})

test('who is aborted while it waits takes no turn, also when it comes at that moment', async () => {
  const { turns, take, end, given } = scene(1)
  const reason = new Error('over')
  for (const isAbortedFirst of [true, false]) {
    const first = await turns.take('a', 'x', never)
    const stopping = new AbortController()
    const waiting = turns.take('a', 'y', stopping.signal)
    if (isAbortedFirst) stopping.abort(reason)
    first.release()
    stopping.abort(reason)
    const result = await waiting.catch((error: unknown) => error)
    if (result instanceof Error) expect(result).toBe(reason)
    else (result as Turn).release()
    await setImmediate()
  }
  await take('a/1')
  expect(given).toEqual(['a/1'])
  await end('a/1')
})

test('a suspended run leaves its turn to another one, and comes back before one that has not begun', async () => {
  const { take, end, given, suspend, resume } = scene(1)
  await take('a/1', 'a/2', 'a/3')
  await suspend('a/1')
  await suspend('a/1')
  expect(given).toEqual(['a/1', 'a/2'])
  await resume('a/1')
  expect(given).toEqual(['a/1', 'a/2'])
  await end('a/2')
  expect(given).toEqual(['a/1', 'a/2', 'a/1 again'])
  // One turn was given, though two requests waited for it.
  await end('a/1')
  expect(given).toEqual(['a/1', 'a/2', 'a/1 again', 'a/3'])
})

test('a suspended run that ends, or is stopped while it waits, leaves no turn behind', async () => {
  const { take, end, given, errors, suspend, resume } = scene(1)
  await take('a/1', 'a/1', 'a/2')
  await suspend('a/1')
  expect(given).toEqual(['a/1', 'a/2'])
  const stopping = new AbortController()
  await resume('a/1', stopping.signal)
  stopping.abort(new Error('stopped'))
  await end('a/2')
  expect(errors).toEqual(['a/1: stopped'])
  // The account is busy until its run has ended.
  expect(given).toEqual(['a/1', 'a/2'])
  await end('a/1')
  expect(given).toEqual(['a/1', 'a/2', 'a/1'])
  await take('a/3')
  expect(given).toHaveLength(3)
})

test('a run that ends while it waits to go on gets no turn any more', async () => {
  const { take, end, given, suspend, resume } = scene(1)
  await take('a/1', 'a/2')
  await suspend('a/1')
  await resume('a/1')
  await end('a/1')
  await end('a/2')
  await take('a/3', 'a/4')
  expect(given).toEqual(['a/1', 'a/2', 'a/3'])
  await end('a/3')
  expect(given).toEqual(['a/1', 'a/2', 'a/3', 'a/4'])
})

test('while a host asks all for a pause, a suspended run there lets no other begin, and comes back itself', async () => {
  const open = new Set(['b'])
  const { take, end, given, suspend, resume } = scene(1, (host) => (open.has(host) ? 'answering' : 'paused'))
  await take('a/1', 'a/2', 'b/1')
  await suspend('a/1')
  expect(given).toEqual(['a/1', 'b/1'])
  await end('b/1')
  expect(given).toEqual(['a/1', 'b/1'])
  await resume('a/1')
  expect(given).toEqual(['a/1', 'b/1', 'a/1 again'])
  await end('a/1')
  expect(given.at(-1)).toBe('a/2')
})

test('a host whose only run is suspended is not forgotten with it', async () => {
  vi.useFakeTimers({ toFake: ['performance'] })
  onTestFinished(() => void vi.useRealTimers())
  const { take, end, given, suspend, resume } = scene(1)
  await take('a/1')
  await suspend('a/1')
  vi.advanceTimersByTime(60 * 60_000 + 1)
  await take('b/1', 'b/2')
  await resume('a/1')
  await end('b/1')
  expect(given).toEqual(['a/1', 'b/1', 'a/1 again'])
})

test('64 runs are suspended at most; the next keeps its turn', async () => {
  const { take, given, suspend } = scene(1)
  await take(...Array.from({ length: 66 }, (_, n) => `a/${n}`))
  for (let n = 0; n < 64; n += 1) await suspend(`a/${n}`)
  expect(given).toHaveLength(65)
  await suspend('a/64')
  expect(given).toHaveLength(65)
})
