import { expect, test } from 'vitest'
import {
  localDate,
  nextWeekday,
  toInstant,
  utcText,
  zonedText,
} from '../../../src/commands/demo/account/calendar.ts'

const date = (text: string) => Date.parse(`${text}T00:00:00Z`)

test.each([
  ['Europe/Berlin', '2026-03-28', '2026-03-28T09:00:00+01:00'],
  ['Europe/Berlin', '2026-03-29', '2026-03-29T09:00:00+02:00'],
  ['Europe/Berlin', '2026-10-25', '2026-10-25T09:00:00+01:00'],
  ['America/New_York', '2026-03-07', '2026-03-07T09:00:00-05:00'],
  ['America/New_York', '2026-03-08', '2026-03-08T09:00:00-04:00'],
  ['Asia/Kolkata', '2026-07-01', '2026-07-01T09:00:00+05:30'],
  ['Europe/London', '2026-01-01', '2026-01-01T09:00:00+00:00'],
])('nine in the morning in %s on %s is %s', (timeZone, day, text) => {
  const instant = toInstant(date(day), 9, timeZone)
  expect(zonedText(instant, timeZone)).toBe(text)
  expect(Date.parse(text)).toBe(instant)
})

test('half past one in the night of a change is read with the offset before it', () => {
  const instant = toInstant(date('2026-03-29'), 1.5, 'Europe/Berlin')
  expect(zonedText(instant, 'Europe/Berlin')).toBe('2026-03-29T01:30:00+01:00')
})

test('a date belongs to the calendar of its place', () => {
  const instant = Date.parse('2026-02-28T23:30:00Z')
  expect(localDate(instant, 'Asia/Kolkata')).toBe(date('2026-03-01'))
  expect(localDate(instant, 'America/New_York')).toBe(date('2026-02-28'))
  expect(utcText(instant)).toBe('2026-02-28T23:30:00Z')
})

test('the next weekday is the day itself when it fits', () => {
  const monday = date('2026-03-30')
  expect(nextWeekday(monday, 1)).toBe(monday)
  expect(nextWeekday(monday, 0)).toBe(date('2026-04-05'))
})
