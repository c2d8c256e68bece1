import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import {
  AccountLockedError,
  AuthenticationError,
  ConfigurationError,
  InterruptedError,
} from '../../../../../src/common/errors.ts'
import type { WorkedAccount } from '../../../../../src/orchestration/schedule/accounts/account-schedule.ts'
import {
  runAccountsWorker,
  type AccountsNow,
} from '../../../../../src/orchestration/schedule/accounts/accounts-worker.ts'
import { goodRun, minute, pass, second, sleepOver } from '../../../../support/runs/worker.ts'

beforeEach(() => {
  vi.useFakeTimers({ now: new Date('2026-03-10T12:04:30Z') })
})
afterEach(() => {
  vi.restoreAllMocks()
  vi.useRealTimers()
})

type Doing = (sign: () => void, number: number) => Promise<typeof goodRun>

/** A worker whose accounts a test changes; a run succeeds at once when nothing else is said. */
function working(...accounts: readonly WorkedAccount[]) {
  let now: AccountsNow | null = { accounts, faults: [] }
  const log: string[] = []
  const asked: number[] = []
  const stopping = new AbortController()
  const ended = runAccountsWorker({
    read: async () => {
      const found = now
      now = null
      return found
    },
    health: null,
    signal: stopping.signal,
    log: (level, message) => log.push(`${level}: ${message}`),
    lastGoodRuns: async () => {
      asked.push(Date.now())
      return new Map([['north', minute]])
    },
  })
  ended.catch(() => {})
  return {
    log,
    asked,
    ended,
    stop: () => stopping.abort(new InterruptedError('stopped')),
    signal: stopping.signal,
    /** The files say something else, and are looked at. */
    change: async (next: readonly WorkedAccount[], faults: readonly string[] = []) => {
      now = { accounts: next, faults }
      await pass(10 * second)
    },
  }
}

function account(name: string, options: Partial<WorkedAccount> & { readonly doing?: Doing } = {}) {
  const began: string[] = []
  const log: string[] = []
  const doing: Doing =
    options.doing ??
    (async (sign) => {
      sign()
      return goodRun
    })
  const made: WorkedAccount = {
    name,
    schedule: '*/15 * * * *',
    timeZone: 'UTC',
    version: '1',
    run: (sign) => {
      began.push(new Date().toISOString().slice(11, 16))
      return doing(sign, began.length)
    },
    log: (level, message) => log.push(`${level}: ${message}`),
    companions: [],
    ...options,
  }
  return { ...made, began, said: log }
}

test('every account runs at once, and then each by its own schedule and zone', async () => {
  const ada = account('ada')
  const bob = account('bob', { schedule: '0 14 * * *', timeZone: 'Europe/Berlin' })
  const worker = working(ada, bob)
  await pass(60 * minute)
  expect(ada.began).toEqual(['12:04', '12:15', '12:30', '12:45', '13:00'])
  expect(bob.began).toEqual(['12:04', '13:00'])
  worker.stop()
  await worker.ended
})

test('an account that fails, or whose run never ends, touches no other and does not end the worker', async () => {
  const failing = account('failing', {
    doing: async () => {
      throw new AuthenticationError('GET /ping was answered with 401')
    },
  })
  const unusable = account('unusable', {
    doing: async () => {
      throw new ConfigurationError(['no such key'])
    },
  })
  const hanging = account('hanging', { doing: () => new Promise(() => {}) })
  const good = account('good')
  const worker = working(failing, unusable, hanging, good)
  await pass(31 * minute)
  expect(failing.began).toHaveLength(3)
  expect(failing.said).toEqual(Array.from({ length: 3 }, () => 'error: GET /ping was answered with 401'))
  expect(unusable.began).toHaveLength(3)
  expect(hanging.began).toHaveLength(1)
  expect(good.began).toHaveLength(3)
  expect(worker.log.filter((line) => line.includes('skipped'))).toEqual([
    'warn: 1 tick skipped: the runs before are still under way, or wait for their turn',
    'warn: 1 tick skipped: the runs before are still under way, or wait for their turn',
  ])
  worker.stop()
  await pass(7 * second)
  await worker.ended
  expect(worker.log.at(-1)).toContain('1 run under way did not end in time')
})

test('accounts that are added begin, those taken out end, changed ones take the new settings', async () => {
  const ada = account('ada')
  const bob = account('bob')
  const worker = working(ada, bob)
  await pass(second)
  const changed = account('ada', { version: '2', schedule: '20 * * * *' })
  const eve = account('eve')
  await worker.change([changed, eve])
  await pass(30 * minute)
  // A change is no reason to run at once.
  expect([ada.began, bob.began, changed.began, eve.began]).toEqual([
    ['12:04'],
    ['12:04'],
    ['12:20'],
    ['12:04', '12:15', '12:30'],
  ])
  worker.stop()
  await worker.ended
})

test('an account that is taken out ends its run, and does not begin one that still waits for its turn', async () => {
  const runEnds = Promise.withResolvers<void>()
  const turn = Promise.withResolvers<void>()
  const outcomes: string[] = []
  const running = account('running', {
    doing: async (sign) => {
      sign()
      await runEnds.promise
      sign()
      outcomes.push('running ended')
      return goodRun
    },
  })
  const waiting = account('waiting', {
    doing: async (sign) => {
      await turn.promise
      try {
        sign()
      } catch (error) {
        outcomes.push(String(error))
        throw error
      }
      return goodRun
    },
  })
  const worker = working(running, waiting)
  await pass(second)
  await worker.change([])
  turn.resolve()
  runEnds.resolve()
  await pass(0)
  expect(outcomes.toSorted()).toEqual([
    'InterruptedError: The account was taken out of the accounts file before its turn came.',
    'running ended',
  ])
  await pass(30 * minute)
  expect([running.began.length, waiting.began.length]).toEqual([1, 1])
  worker.stop()
  await worker.ended
})

test('a schedule that cannot be used is told, and the former one goes on', async () => {
  const ada = account('ada')
  const worker = working(ada)
  await pass(second)
  await worker.change([
    account('ada', { version: '2', schedule: 'never' }),
    account('bob', { schedule: '61 * * * *' }),
  ])
  expect(worker.log.filter((line) => line.startsWith('error'))).toEqual([
    expect.stringContaining('account ada cannot be used: the schedule "never"'),
    expect.stringContaining('account bob cannot be used: the schedule "61 * * * *"'),
  ])
  await pass(15 * minute)
  expect(ada.began).toEqual(['12:04', '12:15'])
  worker.stop()
  await worker.ended
})

test('O4 after a sleep over several ticks, each account has one run', async () => {
  const ada = account('ada')
  const bob = account('bob', { schedule: '30 * * * *' })
  const worker = working(ada, bob)
  await pass(minute)
  sleepOver(60 * minute)
  await pass(10 * second)
  expect([ada.began, bob.began]).toEqual([
    ['12:04', '13:05'],
    ['12:04', '13:05'],
  ])
  worker.stop()
  await worker.ended
})

test('asks the mirror at the start, and again when another process has an account: its run may be a good one', async () => {
  let isHeldElsewhere = false
  const north = account('north', {
    doing: async (sign) => {
      sign()
      if (isHeldElsewhere) throw new AccountLockedError('Another run holds this account.')
      return goodRun
    },
  })
  const worker = working(north)
  await pass(0)
  expect(worker.asked).toHaveLength(1)
  isHeldElsewhere = true
  await pass(15 * minute)
  expect(worker.asked).toHaveLength(2)
  worker.stop()
  await worker.ended
})

test('asks the mirror when an account is listed again: one whose first run then fails may be fresh by a run before', async () => {
  const north = account('north')
  const worker = working(north)
  await pass(0)
  await worker.change([])
  expect(worker.asked).toHaveLength(1)
  await worker.change([north])
  expect(worker.asked).toHaveLength(2)
  worker.stop()
  await worker.ended
})
