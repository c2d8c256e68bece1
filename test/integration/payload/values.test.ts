/** Values of every form in columns that hold only some: what is taken, and what is set aside with its original. */
import { beforeAll, describe, expect, test } from 'vitest'
import { engines } from '../../support/databases/databases.ts'
import { eventsText, expectNoChurn, runCourse } from '../../support/http/wire.ts'
import type { Course } from '../../support/http/wire.ts'

const asSent = null
/** An amount on the wire, and as the mirror has it; null where it is set aside. */
const amounts: readonly (readonly [string, string, string | typeof asSent])[] = [
  ['P14 two decimals', '"12.50"', '12.50'],
  ['P14 one decimal', '"12.5"', '12.5'],
  ['P14 three decimals', '"0.125"', '0.125'],
  ['P14 negative', '"-7.00"', '-7.00'],
  ['P14 more digits than a double has', '"12345678901234567890.05"', '12345678901234567890.05'],
  ['P14 a JSON number keeps its last zero', '12.50', '12.50'],
  ['P14 a JSON integer', '3', '3'],
  ['P14 NaN', '"NaN"', asSent],
  ['P14 Infinity', '"Infinity"', asSent],
  ['P14 an exponent as text', '"1e400"', asSent],
  ['P14 1,234.50', '"1,234.50"', asSent],
  ['P14 a sign in front', '"+1.00"', asSent],
  ['P14 empty', '""', asSent],
  ['P14 an object', '{"value":"1.00"}', asSent],
]

/** A time stamp on the wire, and the instant; null where it is set aside. */
const instants: readonly (readonly [string, string, string | typeof asSent])[] = [
  ['P15 UTC', '2026-05-01T10:00:00Z', '2026-05-01T10:00:00Z'],
  ['P15 milliseconds', '2026-05-01T10:00:00.123Z', '2026-05-01T10:00:00.123Z'],
  ['P15 microseconds', '2026-05-01T10:00:00.123456Z', '2026-05-01T10:00:00.123456Z'],
  ['P15 +14:00', '2026-05-01T10:00:00+14:00', '2026-04-30T20:00:00Z'],
  ['P15 -12:00', '2026-05-01T10:00:00-12:00', '2026-05-01T22:00:00Z'],
  ['P15 a leap day', '2024-02-29T00:00:00Z', '2024-02-29T00:00:00Z'],
  ['P15 no zone', '2026-05-01T10:00:00', asSent],
  ['P15 a space', '2026-05-01 10:00:00Z', asSent],
  ['P15 now', 'now', asSent],
  ['P15 infinity', 'infinity', asSent],
  ['P15 30 February', '2026-02-30T10:00:00Z', asSent],
  ['P15 29 February of a common year', '2026-02-29T10:00:00Z', asSent],
  ['P15 year 0000', '0000-01-01T00:00:00Z', asSent],
  ['P15 year 275760', '+275760-09-13T00:00:00Z', asSent],
  ['P15 a leap second', '2016-12-31T23:59:60Z', asSent],
]

const manySlots = Array.from({ length: 10_000 }, (_, place) => ({ name: `Slot ${place + 1}` }))
const bar = '{"name":"Bar","start_date":"2026-05-01T20:00:00+02:00","end_date":"2026-05-01T23:00:00.5+02:00"}'
const door = '{"name":"Door","start_date":"2026-10-25T01:30:00-05:00","end_date":null}'

const slotForms: readonly string[] = [
  'null',
  '[]',
  '{}',
  '"Bar"',
  `[${bar},null]`,
  '[{}]',
  `[${bar},${door}]`,
  '[{"name":7,"start_date":"2026-05-01T20:00:00","end_date":"2026-05-01T20:00:00Z"}]',
]

const list = (items: readonly string[]) =>
  `[${items.map((item, at) => `{"id":${at + 1},${item}}`).join(',')}]`

const odd = {
  '': `[{"id":"amounts"},{"id":"instants","event_at":"tomorrow"},{"id":"numbers","title":7,"location":["Hall"]},
    {"id":"slots","event_at":"2026-05-01T10:00:00+02:00"},{"id":"many"}]`,
  amounts: list(amounts.map(([, source]) => `"amount":${source},"processing_fee":${source}`)),
  instants: list(instants.map(([, text]) => `"created_at":"${text}"`)),
  numbers: `[{"id":9007199254740993,"quantity":9007199254740993},{"id":9223372036854775808,"name":"too large"},
    {"id":9223372036854775807,"quantity":9223372036854775808},{"id":-1,"quantity":"12"},{"id":2,"quantity":"012"},
    {"id":3,"quantity":1.5},{"id":4,"quantity":2.0},{"id":5,"name":7,"email":false,"rsvp":{}},{"id":6,"quantity":0}]`,
  slots: list([
    ...slotForms.map((slots) => `"slots":${slots}`),
    `"slots":[${bar}],"amount":"5.00"`,
    '"slots":[],"processing_fee":"0.40"',
  ]),
  many: `[{"id":1,"slots":${JSON.stringify(manySlots)}}]`,
}
const ids = ['amounts', 'instants', 'many', 'numbers', 'slots']
const sound = { '': eventsText(ids), ...Object.fromEntries(ids.map((id) => [id, '[{"id":1}]'])) }

describe.each(engines)('values of a payload (%s)', (engine) => {
  let course: Course
  const rows = (table: 'events' | 'responses' | 'payments' | 'slots', event: string) =>
    course.stored.rows(table, event)
  beforeAll(async () => {
    course = await runCourse(engine, odd, sound)
  })

  test.each(amounts.map(([name, source, amount], at) => [name, source, amount, at] as const))(
    '%s: the amount %s is %s',
    (_, source, amount, at) => {
      expect(rows('payments', 'amounts')[at]).toMatchObject({ amount, processing_fee: amount })
      expect(rows('responses', 'amounts')[at]).toMatchObject({ kind: 'payment', _extra: extra(amount) })

      function extra(taken: string | null) {
        const original: unknown = JSON.parse(source)
        return taken === asSent ? { amount: original, processing_fee: original } : null
      }
    },
  )

  test.each(instants.map(([name, text, instant], at) => [name, text, instant, at] as const))(
    '%s: %s is %s',
    (_, text, instant, at) => {
      const _extra = instant === asSent ? { created_at: text } : null
      expect(rows('responses', 'instants')[at]).toMatchObject({ created_at: instant, _extra })
    },
  )

  test('P9 integers up to 2^63 - 1 are exact, 2^63 as an id is rejected, as a quantity set aside', () => {
    const responses = rows('responses', 'numbers')
    expect(responses.map(({ id, quantity }) => [id, quantity])).toEqual([
      ['-1', '12'],
      ['2', null],
      ['3', null],
      ['4', '2'],
      ['5', null],
      ['6', '0'],
      ['9007199254740993', '9007199254740993'],
      ['9223372036854775807', null],
    ])
    expect(responses.map(({ _extra }) => JSON.stringify(_extra))).toEqual([
      'null',
      '{"quantity":"012"}',
      '{"quantity":1.5}',
      'null',
      '{"name":7,"rsvp":{},"email":false}',
      'null',
      'null',
      '{"quantity":9223372036854775808}',
    ])
    expect(course.stored.rows('rejects')).toMatchObject([
      { event_id: 'numbers', item_index: 1, reason: 'id_invalid', path: '$[1].id' },
    ])
  })

  test('a field of an event that its column cannot hold is set aside, the others stand', () => {
    expect(rows('events', 'instants')).toMatchObject([{ event_at: null, _extra: { event_at: 'tomorrow' } }])
    expect(rows('events', 'numbers')).toMatchObject([
      { title: null, location: null, _extra: { title: 7, location: ['Hall'] } },
    ])
    expect(rows('events', 'slots')).toMatchObject([{ event_at: '2026-05-01T08:00:00Z', _extra: null }])
  })

  test('P16 P18 slots of every form: kind, what is set aside, what stands', () => {
    const responses = rows('responses', 'slots').map(({ kind, _extra }) => [kind, _extra])
    expect(responses).toEqual([
      ['bare', null],
      ['signup', null],
      ['signup', { slots: {} }],
      ['signup', { slots: 'Bar' }],
      ['signup', { slots: [JSON.parse(bar), null] }],
      ['signup', null],
      ['signup', null],
      ['signup', null],
      ['mixed', null],
      ['payment', null],
    ])
    const counts = Map.groupBy(rows('slots', 'slots'), ({ response_id }) => String(response_id))
    expect([...counts].map(([id, slots]) => [id, slots.length])).toEqual([
      ['6', 1],
      ['7', 2],
      ['8', 1],
      ['9', 1],
    ])
  })

  test('P16 a slot has the instant and the wall clock as sent; what cannot be one is set aside in the slot', () => {
    const slots = rows('slots', 'slots')
    expect(slots.filter(({ response_id }) => response_id === '7')).toMatchObject([
      {
        position: 1,
        start_date: '2026-05-01T18:00:00Z',
        start_local: '2026-05-01T20:00:00',
        end_date: '2026-05-01T21:00:00.5Z',
        end_local: '2026-05-01T23:00:00.5',
      },
      {
        position: 2,
        start_date: '2026-10-25T06:30:00Z',
        start_local: '2026-10-25T01:30:00',
        end_local: null,
      },
    ])
    expect(slots.filter(({ response_id }) => response_id === '8')).toMatchObject([
      {
        name: null,
        start_date: null,
        start_local: null,
        end_date: '2026-05-01T20:00:00Z',
        _extra: { name: 7, start_date: '2026-05-01T20:00:00' },
      },
    ])
    expect(slots.filter(({ response_id }) => response_id === '6')).toMatchObject([
      { name: null, start_date: null, end_date: null, _extra: null },
    ])
  })

  test('P18 a response with amount and slots has both its payment and its slots', () => {
    expect(rows('payments', 'slots')).toMatchObject([
      { response_id: '9', amount: '5.00', processing_fee: null },
      { response_id: '10', amount: null, processing_fee: '0.40' },
    ])
  })

  test('P16 10,000 slots are 10,000 slots, in the order sent', () => {
    const slots = rows('slots', 'many')
    expect(slots.map(({ name }) => name)).toEqual(manySlots.map(({ name }) => name))
    expect(slots.at(-1)).toMatchObject({ position: 10_000 })
  })

  test('the report counts and names what was set aside; the run is held for its reject alone', () => {
    const { exit, report } = course.first
    expect({ exit, rejected: report.rejected }).toEqual({ exit: 8, rejected: 1 })
    expect(report.set_aside).toBe(2 * 7 + 9 + 6 + 3 + 3 + 2)
    expect(report.warnings).toContainEqual(
      expect.stringMatching(/^Event amounts: .*amount \(7\), processing_fee \(7\)$/),
    )
    expect(report.warnings).toContainEqual(expect.stringMatching(/^Event instants: .*created_at \(9\)$/))
    expect(report.warnings).toContainEqual(
      expect.stringMatching(/^The event list: .*event_at \(1\), location \(1\), title/),
    )
  })

  test('the same again writes nothing', () => {
    expectNoChurn(course)
  })

  test('a service that mends its answers: no reject, and nothing is set aside', () => {
    const { report } = course.mended
    expect([report.rejected, report.set_aside]).toEqual([0, 0])
    expect(course.sound.rows('rejects')).toEqual([])
    expect(course.sound.rows('slots', 'many')).toEqual([])
  })
})
