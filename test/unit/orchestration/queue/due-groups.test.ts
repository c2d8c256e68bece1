import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { groupBySchedule, nextDue } from '../../../../src/orchestration/queue/due-groups.ts'
import { ConfigurationError } from '../../../../src/common/errors.ts'
import { queueAccount } from '../../../support/queue/open.ts'

beforeEach(() => void vi.useFakeTimers({ now: new Date('2026-03-29T00:20:30Z') }))
afterEach(() => void vi.useRealTimers())

const quarterly = { schedule: '*/15 * * * *', timezone: 'UTC' }

describe('the next time that is due', () => {
  test('is the first one to come, however many were missed', () => {
    expect(nextDue(quarterly, new Date('2026-03-01T00:15:00Z'))).toEqual(new Date('2026-03-29T00:30:00Z'))
  })

  test('is never the one that was served, also when the clock here is behind that of the database', () => {
    expect(nextDue(quarterly, new Date('2026-03-29T00:30:00Z'))).toEqual(new Date('2026-03-29T00:45:00Z'))
    expect(nextDue(quarterly, new Date('2026-03-29T00:20:31Z'))).toEqual(new Date('2026-03-29T00:30:00Z'))
  })

  test('follows the wall clock of its zone over a change of it', () => {
    const morning = { schedule: '30 2 * * *', timezone: 'Europe/Berlin' }
    // 02:30 does not exist on this day: it comes an hour later, once.
    expect(nextDue(morning, new Date('2026-03-28T01:30:00Z'))).toEqual(new Date('2026-03-29T01:30:00Z'))
    vi.setSystemTime('2026-03-29T01:30:01Z')
    expect(nextDue(morning, new Date('2026-03-29T01:30:00Z'))).toEqual(new Date('2026-03-30T00:30:00Z'))
  })

  test('of a schedule that is none is an error', () => {
    expect(() => nextDue({ schedule: 'soon', timezone: 'UTC' }, new Date())).toThrow(ConfigurationError)
  })
})

test('accounts of one schedule in one zone are one group', () => {
  const groups = groupBySchedule([
    queueAccount('north'),
    queueAccount('south'),
    queueAccount('east', { timezone: 'Europe/Berlin' }),
    queueAccount('west', { schedule: '0 * * * *' }),
  ])
  expect([...groups.values()].map(({ accounts }) => accounts.map(({ name }) => name))).toEqual([
    ['north', 'south'],
    ['east'],
    ['west'],
  ])
})
