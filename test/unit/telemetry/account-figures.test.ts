import { setFlagsFromString } from 'node:v8'
import { setImmediate } from 'node:timers/promises'
import { runInNewContext } from 'node:vm'
import { afterEach, expect, test } from 'vitest'
import {
  accountFigures,
  noteGoodRun,
  noteListedAccounts,
  watchPace,
} from '../../../src/telemetry/account-figures.ts'

afterEach(() => noteListedAccounts(new Set(), 0))

test('a good run elsewhere counts when it is the newest, and only of an account that is listed', () => {
  noteListedAccounts(new Set(['ada']), 0)
  noteGoodRun('ada', 1000)
  noteGoodRun('ada', 900)
  noteGoodRun('bob', 1000)
  expect([...accountFigures]).toEqual([['ada', { lastSuccess: 1000 }]])
})

test('a good run of a clock that was ahead and was set right gives way to what the mirror says now', () => {
  const now = Date.now() / 1000
  noteListedAccounts(new Set(['ada']), 0)
  noteGoodRun('ada', now + 86_400)
  noteGoodRun('ada', now - 60)
  expect([...accountFigures]).toEqual([['ada', { lastSuccess: now - 60 }]])
})

test('a run that ended leaves its pace, and nothing else in memory', async () => {
  setFlagsFromString('--expose-gc')
  const collectGarbage = runInNewContext('gc') as () => void
  const ended = endedRun()
  // What a WeakRef is made of lives as long as the task that made it.
  await setImmediate()
  collectGarbage()
  expect(accountFigures.get('ada')?.pace?.()).toEqual({ requests_at_once: 3, requests_per_second: null })
  expect(ended.deref()).toBeUndefined()
})

/** What the run had in memory. */
function endedRun(): WeakRef<object> {
  const held = { at_once: 3 }
  using _watched = watchPace('ada', () => ({ requests_at_once: held.at_once, requests_per_second: null }))
  return new WeakRef(held)
}
