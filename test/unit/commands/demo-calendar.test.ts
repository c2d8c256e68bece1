import { expect, test } from 'vitest'
import {
  dateAt,
  dateText,
  toMicroseconds,
  lastClockChange,
  minute,
  nextWeekday,
  utcText,
  weekdayOf,
  zonedText,
} from '../../../src/commands/demo/account/calendar.ts'

const nine = 9 * 60
const monday = { year: 2026, month: 3, day: 30 }

test.each([
  ['Europe/Berlin', { year: 2026, month: 3, day: 28 }, '2026-03-28T09:00:00+01:00'],
  ['Europe/Berlin', { year: 2026, month: 3, day: 29 }, '2026-03-29T09:00:00+02:00'],
  ['Europe/Berlin', { year: 2026, month: 10, day: 25 }, '2026-10-25T09:00:00+01:00'],
  ['America/New_York', { year: 2026, month: 3, day: 7 }, '2026-03-07T09:00:00-05:00'],
  ['America/New_York', { year: 2026, month: 3, day: 8 }, '2026-03-08T09:00:00-04:00'],
  ['Asia/Kolkata', { year: 2026, month: 7, day: 1 }, '2026-07-01T09:00:00+05:30'],
  ['Europe/London', { year: 2026, month: 1, day: 1 }, '2026-01-01T09:00:00+00:00'],
])('nine in the morning in %s on %o is %s', (timeZone, date, text) => {
  const instant = toMicroseconds(date, nine, timeZone)
  expect(zonedText(instant, timeZone)).toBe(text)
  expect(Date.parse(text)).toBe(instant)
})

test('half past one in the night of a change is read with the offset before it', () => {
  const sunday = { year: 2026, month: 3, day: 29 }
  expect(zonedText(toMicroseconds(sunday, 90, 'Europe/Berlin'), 'Europe/Berlin')).toBe(
    '2026-03-29T01:30:00+01:00',
  )
})

test('an hour after midnight runs on over a change of the clocks by the clock on the wall', () => {
  const saturday = { year: 2026, month: 10, day: 24 }
  const start = toMicroseconds(saturday, 24 * 60, 'Europe/Berlin')
  const end = toMicroseconds(saturday, 28 * 60, 'Europe/Berlin')
  expect(zonedText(start, 'Europe/Berlin')).toBe('2026-10-25T00:00:00+02:00')
  expect(zonedText(end, 'Europe/Berlin')).toBe('2026-10-25T04:00:00+01:00')
  expect(end - start).toBe(5 * 60 * minute)
})

test('the last change of the clocks is the Saturday of that night, and lies before today', () => {
  expect(lastClockChange(monday, 3, 'Europe/Berlin')).toEqual({ year: 2026, month: 3, day: 28 })
  expect(lastClockChange(monday, 10, 'Europe/Berlin')).toEqual({ year: 2025, month: 10, day: 25 })
  expect(lastClockChange({ year: 2026, month: 3, day: 28 }, 3, 'Europe/Berlin').year).toBe(2025)
  expect(() => lastClockChange(monday, 3, 'Asia/Kolkata')).toThrow(/do not change/)
})

test('a date belongs to the calendar of its place', () => {
  const instant = Date.parse('2026-02-28T23:30:00Z')
  expect(dateText(dateAt(instant, 'Asia/Kolkata'))).toBe('2026-03-01')
  expect(dateText(dateAt(instant, 'America/New_York'))).toBe('2026-02-28')
  expect(utcText(instant)).toBe('2026-02-28T23:30:00Z')
})

test('the next weekday is the day itself when it fits', () => {
  expect(weekdayOf(monday)).toBe(1)
  expect(nextWeekday(monday, 1)).toEqual(monday)
  expect(nextWeekday(monday, 0)).toEqual({ year: 2026, month: 4, day: 5 })
})
