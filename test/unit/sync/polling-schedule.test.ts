import { describe, expect, test } from 'vitest'
import { dueReason, isActive, nextPollInterval } from '../../../src/sync/select/polling-schedule.ts'
import type { PolledList } from '../../../src/sync/select/polling-schedule.ts'

const now = '2026-10-18T12:00:00.000000Z'
const long = { event_at: '2026-01-01T00:00:00Z' }
const soon = { event_at: '2026-11-01T00:00:00Z' }
const undated = { event_at: null }

const week = 7 * 24 * 3_600_000

/** Read, whole, unchanged since, and not due before tomorrow. */
const settled: PolledList = {
  checked_at: '2026-10-18T00:00:00Z',
  next_check_at: '2026-10-19T00:00:00Z',
  error_code: null,
  normaliser_version: 1,
  held_deletions: [],
  unconfirmed_absences: [],
}

describe('an event is due', () => {
  test.each<[string, PolledList | undefined, boolean, string]>([
    ['never listed before', undefined, false, 'never_read'],
    ['listed, but never read', { ...settled, checked_at: null }, false, 'never_read'],
    ['never read and failing', { ...settled, checked_at: null, error_code: 'contract' }, false, 'never_read'],
    ['failed last time', { ...settled, error_code: 'unreachable' }, false, 'failed'],
    ['deletions held', { ...settled, held_deletions: [{}] }, false, 'held'],
    ['absences unconfirmed', { ...settled, unconfirmed_absences: ['1'] }, false, 'unconfirmed'],
    ['its own record changed', settled, true, 'event_changed'],
    ['our normaliser is another version', { ...settled, normaliser_version: 0 }, false, 'new_version'],
    ['its wait is over now', { ...settled, next_check_at: now }, false, 'waited'],
    ['no next time is known', { ...settled, next_check_at: null }, false, 'waited'],
    [
      'O6 read in the future, by a clock that was wrong',
      { ...settled, checked_at: '2027-10-18T00:00:00Z', next_check_at: '2027-10-19T00:00:00Z' },
      false,
      'waited',
    ],
  ])('%s', (_, known, recordChanged, expected) => {
    expect(dueReason(long, known, recordChanged, 1, week, now)).toBe(expected)
  })

  test.each([
    ['an event to come', soon],
    ['an event without a time', undated],
  ])('%s is active: always due', (_, event) => {
    expect(dueReason(event, settled, false, 1, week, now)).toBe('active')
  })

  test('an older event that was read longer ago than the staleness cap allows, whatever its next time', () => {
    const readAt = { ...settled, checked_at: '2026-10-18T11:00:00Z' }
    expect(dueReason(long, readAt, false, 1, 3_600_000, now)).toBe('waited')
    expect(dueReason(long, readAt, false, 1, 3_600_001, now)).toBeNull()
  })

  test('an older event that waits is not', () => {
    expect(dueReason(long, settled, false, 1, week, now)).toBeNull()
    expect(
      dueReason(long, { ...settled, next_check_at: '2026-10-18T12:00:00.001Z' }, false, 1, week, now),
    ).toBeNull()
  })
})

test.each([
  ['2026-09-18T12:00:00Z', false],
  ['2026-09-18T12:00:00.001Z', true],
  ['2026-10-18T12:00:00Z', true],
  ['9999-12-31T23:59:59Z', true],
  [null, true],
])('an event of %s is active: %s (30 days)', (event_at, expected) => {
  expect(isActive({ event_at }, now)).toBe(expected)
})

describe('an older event waits', () => {
  test('1 h after its first read, then twice as long each time, up to 7 days', () => {
    const hours: number[] = []
    let step: number | null = null
    for (let read = 0; read < 10; read++) {
      step = nextPollInterval(long, step, false, week, now)
      hours.push((step ?? 0) / 3600)
    }
    expect(hours).toEqual([1, 2, 4, 8, 16, 32, 64, 128, 168, 168])
  })

  test('1 h again after a change', () => {
    expect(nextPollInterval(long, 64 * 3600, true, week, now)).toBe(3600)
  })

  test('not at all while it is active, and 1 h when it stops to be', () => {
    expect(nextPollInterval(soon, 64 * 3600, false, week, now)).toBeNull()
    expect(nextPollInterval(long, null, false, week, now)).toBe(3600)
  })

  test.each([
    ['a cap of 3 h', 3 * 3_600_000, [3600, 7200, 10_800, 10_800]],
    ['a cap below 1 h', 600_000, [600, 600, 600, 600]],
    ['a cap above 7 days lowers nothing', 30 * 24 * 3_600_000, [3600, 7200, 14_400, 28_800]],
  ])('%s', (_, cap, expected) => {
    let step: number | null = null
    expect(expected.map(() => (step = nextPollInterval(long, step, false, cap, now)))).toEqual(expected)
    expect(nextPollInterval(long, 7 * 24 * 3600, true, cap, now)).toBe(Math.min(3600, cap / 1000))
  })
})
