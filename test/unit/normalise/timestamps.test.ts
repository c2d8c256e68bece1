import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { ParsedTimestamp } from '../../../src/copy-format/timestamps.ts'
import { isTimestamp } from '../../../src/normalise/values/timestamps.ts'
import { event, eventsOf, response } from '../../support/accounts/normalising.ts'
import { examples } from '../../support/seed.ts'

describe('P15 time stamps that are taken, as sent', () => {
  test.each([
    '2024-03-01T10:00:00Z',
    '2024-03-01T10:00:00.1Z',
    '2024-03-01T10:00:00.123Z',
    '2024-03-01T10:00:00.123456Z',
    '2024-03-01T10:00:00+02:00',
    '2024-03-01T10:00:00.5-03:30',
    '2024-03-01T10:00:00+14:00',
    '2024-03-01T10:00:00-12:00',
    '2024-03-01T10:00:00+00:00',
    '2024-03-01T10:00:00-00:00',
    '2024-03-01T10:00:00+15:59',
    '2024-03-01T10:00:00-15:59',
    '2024-02-29T00:00:00Z',
    '2000-02-29T23:59:59Z',
    '1583-12-31T23:59:59Z',
    '0001-01-01T00:00:00Z',
    '0001-01-01T00:00:00-05:00',
    '0001-01-01T05:00:00+05:00',
    '9999-12-31T23:59:59.999999Z',
    '9999-12-31T18:59:59-05:00',
    '9999-12-31T23:59:59+05:00',
  ])('%s', (event_at) => {
    expect(event({ event_at })).toMatchObject({ event_at, _extra: null })
    expect(response({ created_at: event_at, updated_at: event_at })).toMatchObject({
      created_at: event_at,
      updated_at: event_at,
      _extra: null,
    })
  })
})

describe('P15 time stamps that are set aside', () => {
  test.each([
    ['no zone', '2024-03-01T10:00:00'],
    ['a date', '2024-03-01'],
    ['no seconds', '2024-03-01T10:00Z'],
    ['now', 'now'],
    ['yesterday', 'yesterday'],
    ['infinity', 'infinity'],
    ['empty', ''],
    ['30 February', '2024-02-30T00:00:00Z'],
    ['29 February of a common year', '2023-02-29T00:00:00Z'],
    ['29 February 1900', '1900-02-29T00:00:00Z'],
    ['31 April', '2024-04-31T00:00:00Z'],
    ['day 0', '2024-03-00T00:00:00Z'],
    ['month 0', '2024-00-01T00:00:00Z'],
    ['month 13', '2024-13-01T00:00:00Z'],
    ['year 0', '0000-06-01T00:00:00Z'],
    ['year 275760', '275760-09-13T00:00:00Z'],
    ['year +275760', '+275760-09-13T00:00:00Z'],
    ['a negative year', '-0001-01-01T00:00:00Z'],
    ['year 0 in UTC', '0001-01-01T00:00:00+00:01'],
    ['year 10000 in UTC', '9999-12-31T23:59:59-00:01'],
    ['a leap second', '2016-12-31T23:59:60Z'],
    ['24:00', '2024-03-01T24:00:00Z'],
    ['minute 60', '2024-03-01T10:60:00Z'],
    ['seven fraction digits', '2024-03-01T10:00:00.1234567Z'],
    ['a point without digits', '2024-03-01T10:00:00.Z'],
    ['a comma', '2024-03-01T10:00:00,5Z'],
    ['lower case', '2024-03-01t10:00:00z'],
    ['a small z', '2024-03-01T10:00:00z'],
    ['a space for the T', '2024-03-01 10:00:00Z'],
    ['a space in front', ' 2024-03-01T10:00:00Z'],
    ['a line break behind', '2024-03-01T10:00:00Z\n'],
    ['an offset without colon', '2024-03-01T10:00:00+0200'],
    ['an offset of hours', '2024-03-01T10:00:00+02'],
    ['an offset with seconds', '2024-03-01T10:00:00+02:00:00'],
    ['an offset that Postgres refuses', '2024-03-01T10:00:00+16:00'],
    ['an offset of 24 hours', '2024-03-01T10:00:00-24:00'],
    ['an offset of 60 minutes', '2024-03-01T10:00:00+01:60'],
    ['a true minus', '2024-03-01T10:00:00\u221202:00'],
    ['digits of another script', '٢٠٢٤-03-01T10:00:00Z'],
    ['a number', 1_709_287_200],
    ['an object', { date: '2024-03-01' }],
    ['true', true],
  ])('%s', (_, event_at) => {
    const events = eventsOf({ id: 'gala', event_at })
    expect(events.rows).toMatchObject([{ event_at: null, _extra: { event_at } }])
    expect(events.setAside).toBe(1)
    expect(events.warnings).toEqual([expect.stringContaining('event_at (1)')])
    expect(response({ updated_at: event_at })).toMatchObject({
      updated_at: null,
      _extra: { updated_at: event_at },
    })
  })
})

/** Microseconds since 1970, as they are stored. */
function toMicroseconds(text: string): bigint {
  const timestamp = new ParsedTimestamp()
  const stored = new DataView(new ArrayBuffer(8))
  expect(timestamp.read(Buffer.from(text), 0, text.length)).toBe(true)
  timestamp.write(stored, 0)
  return stored.getBigInt64(0) + 946_684_800_000_000n
}

test('instants are exact to the microsecond, whatever the offset', () => {
  expect(toMicroseconds('2024-03-01T10:00:00.000001Z')).toBe(
    toMicroseconds('2024-03-01T12:00:00.000001+02:00'),
  )
  expect(toMicroseconds('2024-03-01T10:00:00.1Z') - toMicroseconds('2024-03-01T10:00:00.099999Z')).toBe(1n)
  expect(toMicroseconds('1970-01-01T00:00:00Z')).toBe(0n)
  expect(toMicroseconds('0001-01-01T00:00:00Z')).toBe(-62_135_596_800_000_000n)
})

/** The rule as one would write it down: a pattern for the form, the calendar of `Date` for what is real. */
function isTimestampPlainly(text: string): boolean {
  const parts = /^(\d{4}-\d\d-\d\d)T(\d\d):(\d\d):(\d\d)(?:\.\d{1,6})?(?:Z|([+-])(\d\d):(\d\d))$/.exec(text)
  if (parts === null) return false
  const [, date = '', hour, minute, second, sign = '+', offsetHours = 0, offsetMinutes = 0] = parts
  const day = new Date(`${date}T00:00:00Z`)
  const isRealDay = !Number.isNaN(day.getTime()) && day.toISOString().startsWith(date)
  const isRealTime = Number(hour) < 24 && Number(minute) < 60 && Number(second) < 60
  if (!isRealDay || !isRealTime || Number(offsetHours) > 15 || Number(offsetMinutes) > 59) return false
  const ahead = (Number(offsetHours) * 60 + Number(offsetMinutes)) * (sign === '-' ? -1 : 1)
  const year = new Date(
    day.getTime() + (Number(hour) * 60 + Number(minute) - ahead) * 60_000,
  ).getUTCFullYear()
  return year >= 1 && year <= 9999
}

/** Any number of so many digits, mostly a small one or near the end of what is real. */
const number = (digits: number, most: number) =>
  fc
    .oneof(
      { weight: 12, arbitrary: fc.integer({ min: 0, max: most + 1 }) },
      { weight: 1, arbitrary: fc.integer({ min: 0, max: 10 ** digits - 1 }) },
    )
    .map((value) => String(value).padStart(digits, '0'))

const nearlyTimestamp = fc
  .tuple(
    fc.oneof(number(4, 9998), fc.constantFrom('0000', '0001', '1900', '2000', '2024', '9999')),
    number(2, 12),
    number(2, 31),
    number(2, 23),
    number(2, 59),
    number(2, 59),
    fc.oneof(fc.constant(''), fc.stringMatching(/^\.\d{0,7}$/)),
    fc.oneof(
      fc.constantFrom('Z', '', 'z'),
      fc
        .tuple(fc.constantFrom('+', '-'), number(2, 15), number(2, 59))
        .map(([sign, h, m]) => `${sign}${h}:${m}`),
    ),
  )
  .map(
    ([year, month, day, h, m, s, fraction, zone]) =>
      `${year}-${month}-${day}T${h}:${m}:${s}${fraction}${zone}`,
  )

test('P15 a time stamp is what the plain rule says it is, also with one character another, more or fewer', () => {
  const change = fc.tuple(
    fc.nat({ max: 33 }),
    fc.constantFrom(0, 1),
    fc.constantFrom('', '0', '9', ':', '-', 'T', '.', '٣', '\n'),
  )
  let taken = 0
  fc.assert(
    fc.property(nearlyTimestamp, fc.option(change, { freq: 1 }), (text, other) => {
      const [at, without, character] = other ?? [0, 0, '']
      const changed = text.slice(0, at) + character + text.slice(at + without)
      expect([changed, isTimestamp(changed)]).toEqual([changed, isTimestampPlainly(changed)])
      if (isTimestamp(changed)) taken += 1
    }),
    { numRuns: examples(2000) },
  )
  expect(taken).toBeGreaterThan(500)
})
