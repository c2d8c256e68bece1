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
