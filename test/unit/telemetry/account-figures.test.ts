import { afterEach, expect, test } from 'vitest'
import { accountFigures, noteGoodRun, noteListedAccounts } from '../../../src/telemetry/account-figures.ts'

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
