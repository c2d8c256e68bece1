/** What lists show of what the specification leaves open. */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { normaliseResponses } from '../../../src/normalise/items/responses.ts'
import { ObservationCounter } from '../../../src/normalise/observe/observation-counter.ts'
import { parseList } from '../../../src/common/json/parse-list.ts'
import { anyItem } from '../../support/accounts/item-texts.ts'
import { eventsIn, eventsOf, responsesIn, responsesOf } from '../../support/accounts/normalising.ts'
import { byFact, observedIn, observedOf } from '../../support/accounts/observed.ts'

describe('fields of each shape', () => {
  test('had a value, were null or absent; a field of another shape is not missed', () => {
    const list = responsesOf(
      { id: 1, name: 'Ann', email: null, rsvp: 'yes', quantity: 2 },
      { id: 2, name: 'Ben', rsvp: 'no' },
      { id: 3, amount: '1.00', name: null },
    )
    expect(observedOf(list, 'sent')).toMatchObject({
      'reply.id value': 2,
      'reply.name value': 2,
      'reply.email null': 1,
      'reply.email absent': 1,
      'reply.quantity value': 1,
      'reply.quantity absent': 1,
      'payment.id value': 1,
      'payment.name null': 1,
      'payment.processing_fee absent': 1,
    })
    const sent = Object.keys(observedOf(list, 'sent'))
    expect(sent.filter((key) => /reply\.amount|payment\.rsvp|signup|slot/.test(key))).toEqual([])
  })

  test('of events and slots too', () => {
    expect(observedOf(eventsOf({ id: 'a', title: 'A' }, { id: 'b', location: null }), 'sent')).toMatchObject({
      'event.id value': 2,
      'event.title value': 1,
      'event.title absent': 1,
      'event.location null': 1,
      'event.location absent': 1,
    })
    expect(
      observedOf(responsesOf({ id: 1, slots: [{ name: 'Bar' }, { name: null }] }), 'sent'),
    ).toMatchObject({ 'slot.name value': 1, 'slot.name null': 1, 'slot.end_date absent': 2 })
  })

  test('more patterns than values that are told apart lose nothing', () => {
    const names = ['name', 'email', 'message', 'created_at', 'updated_at', 'quantity', 'amount'] as const
    const items = Array.from({ length: 128 }, (_, id) => ({
      id,
      rsvp: 'yes',
      ...Object.fromEntries(names.filter((_, place) => (id >> place) & 1).map((name) => [name, null])),
    }))
    const sent = observedOf(responsesOf(...items), 'sent')
    expect([sent['reply.id value'], sent['reply.name null'], sent['reply.name absent']]).toEqual([
      128, 64, 64,
    ])
  })
})

describe('values', () => {
  test('of rsvp and event_type are counted', () => {
    const replies = ['yes', 'no', 'yes', 'waitlist'].map((rsvp, id) => ({ id, rsvp }))
    expect(observedOf(responsesOf(...replies), 'value')).toEqual({
      'response.rsvp yes': 2,
      'response.rsvp no': 1,
      'response.rsvp waitlist': 1,
    })
    expect(observedOf(eventsOf({ id: 'a', event_type: 'raffle' }), 'value')).toEqual({
      'event.event_type raffle': 1,
    })
  })

  test('are kept when they may be words of the service, and not when they are long or may be personal', () => {
    const own = { name: 'Ann Miller', message: 'gladly' }
    const values = [
      'x'.repeat(65),
      'ann@example.org',
      '+49 170 1234567',
      'Ann Miller',
      'gladly',
      'with-guest',
    ]
    const list = responsesOf(...values.map((rsvp, id) => ({ id, rsvp, ...own })))
    expect(observedOf(list, 'value')).toEqual({
      'response.rsvp (not kept)': 5,
      'response.rsvp with-guest': 1,
    })
  })

  test('beyond the first hundred are counted as one, also over many lists', () => {
    const list = (from: number) =>
      responsesOf(
        ...Array.from({ length: 150 }, (_, id) => ({ id, rsvp: `v${from + id}`, [`k${from + id}`]: 1 })),
      )
    const sum = new ObservationCounter()
    for (const part of [list(0), list(100), list(1000)]) sum.add(part.observations)
    for (const observations of [list(0).observations, sum]) {
      const values = observations.toObservations().filter(({ kind }) => kind === 'value')
      expect(values).toHaveLength(101)
      expect(values.reduce((total, { count }) => total + count, 0)).toBe(observations === sum ? 450 : 150)
      expect(observations.toObservations().filter(({ kind }) => kind === 'unknown_field')).toHaveLength(101)
    }
  })
})

describe('forms', () => {
  const forms = [
    ['2026-03-01T10:00:00Z', 'YYYY-MM-DDTHH:MM:SSZ', null],
    ['2026-03-01T10:00:00.123Z', 'YYYY-MM-DDTHH:MM:SS.sssZ', null],
    ['2026-03-01T10:00:00.123456Z', 'YYYY-MM-DDTHH:MM:SS.ssssssZ', null],
    ['2026-03-01T10:00:00+02:00', 'YYYY-MM-DDTHH:MM:SS±HH:MM', '+02:00'],
    ['2026-03-01T10:00:00-03:30', 'YYYY-MM-DDTHH:MM:SS±HH:MM', '-03:30'],
    ['2026-03-01T10:00:00.5+14:00', 'YYYY-MM-DDTHH:MM:SS.s±HH:MM', '+14:00'],
    ['2026-03-01T10:00:00', 'no zone', null],
    ['2026-03-01 10:00:00Z', 'no T between date and time', null],
    ['2026-03-01', 'date only', null],
    ['2026-03-01T10:00Z', 'no seconds', null],
    ['2026-03-01T10:00:00.1234567Z', 'more than six fraction digits', null],
    ['2026-02-30T10:00:00Z', 'no such date or time', null],
    ['1772359200', 'digits only', null],
    ['call Ann on Monday', 'other text', null],
    [1772359200, 'not a text', null],
  ] as const

  test.each(forms)('of the time %s: %s', (sent, form, offset) => {
    for (const [subject, list] of [
      ['response.created_at', responsesOf({ id: 1, created_at: sent })],
      ['response.updated_at', responsesOf({ id: 1, updated_at: sent })],
      ['slot.start_date', responsesOf({ id: 1, slots: [{ start_date: sent }] })],
      ['slot.end_date', responsesOf({ id: 1, slots: [{ end_date: sent }] })],
      ['event.event_at', eventsOf({ id: 'a', event_at: sent })],
    ] as const) {
      expect(observedOf(list, 'time_form')).toEqual({ [`${subject} ${form}`]: 1 })
      expect(observedOf(list, 'time_offset')).toEqual(offset === null ? {} : { [`${subject} ${offset}`]: 1 })
    }
  })

  test.each([
    ['17', 'digits'],
    ['0b9e4bc2-95b4-4a5e-9d3b-0d0a5f7c8e11', 'UUID'],
    ['summer-gala-2026', 'a-z 0-9 -'],
    ['Summer_Gala', 'a-z A-Z 0-9 - _'],
    ['v1.2~b', 'as a path carries it'],
    ['a/b', 'other characters'],
  ])('of the event id %s: %s', (id, form) => {
    expect(observedOf(eventsOf({ id }), 'id_form')).toEqual({ [`event.id ${form}`]: 1 })
  })

  test('a number as text, an amount as a number: taken as meant, and observations', () => {
    const list = responsesIn(
      '[{"id":"1","quantity":"2","amount":1.50,"processing_fee":0.1},{"id":2,"quantity":2,"amount":"1.50"}]',
    )
    expect(observedOf(list, 'sent_as')).toEqual({
      'response.id text': 1,
      'response.quantity text': 1,
      'response.amount number': 1,
      'response.processing_fee number': 1,
    })
    expect(observedOf(responsesOf({ id: 1, quantity: 'two', amount: {} }), 'sent_as')).toEqual({})
    expect(observedOf(eventsOf({ id: 7 }, { id: 'b' }), 'sent_as')).toEqual({ 'event.id number': 1 })
  })
})

describe('keys', () => {
  test('that the specification does not name, at both levels; a field set aside is none', () => {
    const list = responsesOf({
      id: 1,
      diet: 'vegan',
      quantity: 'two',
      slots: [{ name: 'Bar', room: 1, end_date: 5 }],
    })
    expect(observedOf(list, 'unknown_field')).toEqual({ 'response diet': 1, 'slot room': 1 })
    expect(observedOf(eventsOf({ id: 'a', capacity: null }), 'unknown_field')).toEqual({
      'event capacity': 1,
    })
  })

  test('P5 that stand twice in one object, however they are written', () => {
    const list = responsesIn(
      String.raw`[{"id":1,"name":"a","name":"b","slots":[{"room":1},{"room":2,"\u0072oom" : 3}]},{"id":2,"name":"\"x\":{"}]`,
    )
    expect(observedOf(list, 'duplicate_key')).toEqual({ 'response name': 1, 'response room': 1 })
    expect(list.rows[0]?.name).toBe('b')
    expect(observedOf(eventsIn('[{"id":"a","id":"b"}]'), 'duplicate_key')).toEqual({ 'event id': 1 })
    expect(observedOf(responsesIn('[{"id":1,"id":[{"id":2}]},{"id":1}]'), 'duplicate_key')).toEqual({
      'response id': 1,
    })
  })

  test('no text is taken for a key, wherever the part that is looked at ends', () => {
    for (let length = 950; length < 1060; length += 1) {
      const text = `[{"id":1,"message":"${'x'.repeat(length)}\\\\\\"","name":":"},{"id":2,"name":"name"}]`
      expect(observedOf(responsesIn(text), 'duplicate_key')).toEqual({})
    }
  })
})

test('the order of ids, in lists of two and more', () => {
  const order = (...ids: number[]) => observedOf(responsesOf(...ids.map((id) => ({ id }))), 'order')
  expect(order(1, 2, 30)).toEqual({ 'responses ids ascending': 1 })
  expect(order(30, 2, 1)).toEqual({ 'responses ids descending': 1 })
  expect(order(1, 3, 2)).toEqual({ 'responses not by id': 1 })
  expect(order(1)).toEqual({})
  expect(observedOf(eventsOf({ id: 'b' }, { id: 'a' }), 'order')).toEqual({ 'events ids descending': 1 })
})

test('lists are added up', () => {
  const parts = [
    responsesOf({ id: 1, rsvp: 'yes', diet: 1, created_at: '2026-03-01T10:00:00Z' }, { id: 2, amount: '1' }),
    responsesOf({ id: 3, rsvp: 'yes', email: null, diet: 2 }),
  ]
  const sum = new ObservationCounter()
  for (const { observations } of parts) sum.add(observations)
  const whole = responsesOf(
    { id: 1, rsvp: 'yes', diet: 1, created_at: '2026-03-01T10:00:00Z' },
    { id: 2, amount: '1' },
    { id: 3, rsvp: 'yes', email: null, diet: 2 },
  )
  expect(byFact(sum.toObservations())).toEqual(observedIn(whole))
})

test('no name, e-mail address or message is ever among them, nor any text of a value', () => {
  const canary = fc.constantFrom(
    'Canary Jane',
    'canary@example.org',
    'a canary sings',
    'Café Canary',
    'canary',
  )
  const item = fc.record(
    {
      id: fc.integer({ min: 0 }),
      name: canary,
      email: canary,
      message: canary,
      rsvp: canary,
      created_at: canary,
      quantity: canary,
      amount: canary,
      diet: canary,
      slots: fc.array(fc.record({ name: canary, start_date: canary, room: canary }, { requiredKeys: [] })),
    },
    { requiredKeys: ['id', 'name', 'email', 'message'] },
  )
  fc.assert(
    fc.property(fc.array(item, { minLength: 1, maxLength: 5 }), (items) => {
      // A reply that repeats what the respondent wrote elsewhere is theirs; any other is the service's word.
      const sent = items.map(({ rsvp, ...rest }) => ({
        ...rest,
        ...(rsvp === undefined ? {} : { rsvp: rest.name }),
      }))
      const said = JSON.stringify([
        responsesOf(...sent).observations.toObservations(),
        eventsOf(...sent).observations.toObservations(),
      ])
      expect(said.toLowerCase()).not.toContain('canary')
    }),
    { numRuns: 300 },
  )
})

test('whatever the items are, each observation is short and can be stored', () => {
  fc.assert(
    fc.property(fc.array(anyItem, { maxLength: 6 }), (texts) => {
      const { observations } = normaliseResponses(parseList([`[${texts.join(',')}]`], 'GET /x'))
      for (const { path, kind, value, count } of observations.toObservations()) {
        expect(`${path} ${kind} ${value}`).not.toMatch(/[\0@]/)
        expect(value.isWellFormed()).toBe(true)
        expect(value.length).toBeLessThanOrEqual(64)
        expect(count).toBeGreaterThan(0)
      }
    }),
    { numRuns: 300 },
  )
})
