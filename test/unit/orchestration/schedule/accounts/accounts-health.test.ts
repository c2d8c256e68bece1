import { expect, test } from 'vitest'
import { accountsHealth } from '../../../../../src/orchestration/schedule/accounts/accounts-health.ts'
import { createWorkerState, type WorkerState } from '../../../../../src/orchestration/schedule/health.ts'
import { now } from '../../../../../src/orchestration/schedule/monotonic-time.ts'

const good = (): WorkerState => ({ ...createWorkerState(), lastGood: { started: now(), freshMs: 1e6 } })
const failing = (): WorkerState => ({ ...createWorkerState(), lastFailure: 'key_refused: no' })

test('is healthy when every account is', () => {
  const accounts = new Map([
    ['ada', good()],
    ['bob', good()],
  ])
  expect(accountsHealth(accounts, [])).toEqual({
    healthy: true,
    reason: 'all of 2 accounts are healthy',
    accounts: 2,
    unhealthy: 0,
    waiting: 0,
    running: 0,
    skipped_ticks: 0,
    unhealthy_accounts: [],
    faulty_entries: 0,
    faults: [],
  })
})

test('counts all that are not, and names some of them with their reasons', () => {
  const waiting = { started: now(), turn: null, lastSign: now(), freshMs: 1e6 }
  const accounts = new Map([
    ...Array.from({ length: 12 }, (_, n) => [`f${n}`, failing()] as const),
    ['waiting', { ...createWorkerState(), running: waiting, skippedTicks: 3 }],
    ['running', { ...createWorkerState(), running: { ...waiting, turn: now() } }],
  ])
  const health = accountsHealth(accounts, ['accounts.yaml:3:1'])
  expect(health).toMatchObject({
    healthy: false,
    accounts: 14,
    unhealthy: 12,
    waiting: 1,
    running: 1,
    skipped_ticks: 3,
    faulty_entries: 1,
    faults: ['accounts.yaml:3:1'],
  })
  expect(health.reason).toBe(
    '12 of 14 accounts are unhealthy: f0, f1, f2, f3, f4, f5, f6, f7, f8, f9 and 2 more; the accounts file is faulty: accounts.yaml:3:1; the log and doctor say why',
  )
  expect(health.unhealthy_accounts).toHaveLength(10)
  expect(health.unhealthy_accounts[0]).toEqual({
    account: 'f0',
    reason: 'there has been no good run yet; the last run: key_refused: no',
  })
})

test('a faulty entry alone makes it unhealthy: its account is not mirrored', () => {
  expect(accountsHealth(new Map([['ada', good()]]), ['x', 'y', 'z'])).toMatchObject({
    healthy: false,
    reason: 'the accounts file is faulty: x (and 2 more); the log and doctor say why',
  })
})
