/** What lists show of what the specification leaves open. */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Observation } from '../../../src/common/schema/tables.ts'
import type { ListSummary } from '../../../src/normalise/list/list-summary.ts'
import { anyItem } from '../../support/accounts/item-texts.ts'
import { eventsIn, eventsOf, responsesIn, responsesOf } from '../../support/accounts/normalising.ts'
import { examples } from '../../support/seed.ts'

/** What a list showed of one kind, as `path value`, sorted. */
function observedOf(list: ListSummary, kind: string): readonly string[] {
  const ofKind = ({ path, kind: its, value }: Observation) => (its === kind ? [`${path} ${value}`] : [])
  return list.observations.flatMap(ofKind).toSorted()
}

describe('fields of each shape', () => {
  test('had a value, were null or absent; a field of another shape is not missed', () => {
    const list = responsesOf(
      { id: 1, name: 'Ann', email: null, rsvp: 'yes', quantity: 2 },
      { id: 2, name: 'Ben', rsvp: 'no' },
      { id: 3, amount: '1.00', name: null },
    )
    const sent = observedOf(list, 'sent')
    expect(sent.filter((key) => /id|name|email|quantity|fee/.test(key))).toEqual([
      'payment.email absent',
      'payment.id value',
      'payment.name null',
      'payment.processing_fee absent',
      'reply.email absent',
      'reply.email null',
      'reply.id value',
      'reply.name value',
      'reply.quantity absent',
      'reply.quantity value',
    ])
    expect(sent.filter((key) => /reply\.amount|payment\.rsvp|signup|slot/.test(key))).toEqual([])
  })

  test('of events and slots too', () => {
    const events = eventsOf({ id: 'a', title: 'A' }, { id: 'b', location: null })
    expect(observedOf(events, 'sent')).toEqual([
      'event.description absent',
      'event.event_at absent',
      'event.event_type absent',
      'event.id value',
      'event.location absent',
      'event.location null',
      'event.title absent',
      'event.title value',
    ])
    const slots = observedOf(responsesOf({ id: 1, slots: [{ name: 'Bar' }, { name: null }] }), 'sent')
    expect(slots.filter((key) => key.startsWith('slot.'))).toEqual([
      'slot.end_date absent',
      'slot.name null',
      'slot.name value',
      'slot.start_date absent',
    ])
  })
})

describe('values', () => {
  test('of rsvp and event_type are noted', () => {
    const replies = ['yes', 'no', 'yes', 'waitlist'].map((rsvp, id) => ({ id, rsvp }))
    expect(observedOf(responsesOf(...replies), 'value')).toEqual([
      'response.rsvp no',
      'response.rsvp waitlist',
      'response.rsvp yes',
    ])
    expect(observedOf(eventsOf({ id: 'a', event_type: 'raffle' }), 'value')).toEqual([
      'event.event_type raffle',
    ])
  })

  test('are kept when they may be words of the service, and not when they are long or may be personal', () => {
    const own = { name: 'Ann Miller', message: 'gladly' }
    const personal = ['x'.repeat(65), 'ann@example.org', '+49 170 1234567', 'Ann Miller', 'gladly']
    for (const rsvp of personal) {
      expect(observedOf(responsesOf({ id: 1, rsvp, ...own }), 'value')).toEqual(['response.rsvp (not kept)'])
    }
    const list = responsesOf(...[...personal, 'with-guest'].map((rsvp, id) => ({ id, rsvp, ...own })))
    expect(observedOf(list, 'value')).toEqual(['response.rsvp (not kept)', 'response.rsvp with-guest'])
  })

  test('beyond the first hundred are one', () => {
    const items = Array.from({ length: 150 }, (_, id) => ({ id, rsvp: `v${id}`, [`k${id}`]: 1 }))
    for (const kind of ['value', 'unknown_field']) {
      const values = observedOf(responsesOf(...items), kind)
      expect(values).toHaveLength(101)
      expect(values.filter((value) => value.endsWith('(others)'))).toHaveLength(1)
    }
  })
})

describe('forms', () => {
  const forms = [
    ['2026-03-01T10:00:00Z', 'YYYY-MM-DDTHH:MM:SSZ'],
    ['2026-03-01T10:00:00.123Z', 'YYYY-MM-DDTHH:MM:SS.sssZ'],
    ['2026-03-01T10:00:00.123456Z', 'YYYY-MM-DDTHH:MM:SS.ssssssZ'],
    ['2026-03-01T10:00:00+02:00', 'YYYY-MM-DDTHH:MM:SS±HH:MM'],
    ['2026-03-01T10:00:00.12345Z', 'YYYY-MM-DDTHH:MM:SS.sssssZ'],
    ['2026-03-01T10:00:00-03:30', 'YYYY-MM-DDTHH:MM:SS±HH:MM'],
    ['2026-03-01T10:00:00.5+14:00', 'YYYY-MM-DDTHH:MM:SS.s±HH:MM'],
    ['2026-03-01T10:00:00', '####-##-##T##:##:##'],
    ['2026-03-01 10:00:00Z', '####-##-## ##:##:##Z'],
    ['2026-03-01', '####-##-##'],
    ['2026-02-30T10:00:00Z', '####-##-##T##:##:##Z'],
    ['1772359200', '##########'],
    ['call Ann on Monday', 'other text'],
    [1772359200, 'not a text'],
  ] as const

  test.each(forms)('of the time %s: %s', (sent, form) => {
    for (const [subject, list] of [
      ['response.created_at', responsesOf({ id: 1, created_at: sent })],
      ['response.updated_at', responsesOf({ id: 1, updated_at: sent })],
      ['slot.start_date', responsesOf({ id: 1, slots: [{ start_date: sent }] })],
      ['slot.end_date', responsesOf({ id: 1, slots: [{ end_date: sent }] })],
      ['event.event_at', eventsOf({ id: 'a', event_at: sent })],
    ] as const) {
      expect(observedOf(list, 'time_form')).toEqual([`${subject} ${form}`])
    }
  })

  test('of several times in one list are each noted once', () => {
    const times = forms.flatMap(([sent]) => [sent, sent]).map((created_at, id) => ({ id, created_at }))
    const list = responsesOf(...times, ...times)
    const expected = new Set(forms.map(([, form]) => `response.created_at ${form}`))
    expect(observedOf(list, 'time_form')).toEqual([...expected].toSorted())
  })

  test('a number as text, an amount as a number: taken as meant, and observations', () => {
    const list = responsesIn(
      '[{"id":"1","quantity":"2","amount":1.50,"processing_fee":0.1},{"id":2,"quantity":2,"amount":"1.50"}]',
    )
    expect(observedOf(list, 'sent_as')).toEqual([
      'response.amount number',
      'response.id text',
      'response.processing_fee number',
      'response.quantity text',
    ])
    expect(observedOf(responsesOf({ id: 1, quantity: 'two', amount: {} }), 'sent_as')).toEqual([])
    expect(observedOf(eventsOf({ id: 7 }, { id: 'b' }), 'sent_as')).toEqual(['event.id number'])
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
    expect(observedOf(list, 'unknown_field')).toEqual(['response diet', 'slot room'])
    expect(observedOf(eventsOf({ id: 'a', capacity: null }), 'unknown_field')).toEqual(['event capacity'])
  })

  test('P5 that stand twice in one object, however they are written', () => {
    const list = responsesIn(
      String.raw`[{"id":1,"name":"a","name":"b","slots":[{"room":1},{"room":2,"\u0072oom" : 3}]},{"id":2,"name":"\"x\":{"}]`,
    )
    expect(observedOf(list, 'duplicate_key')).toEqual(['response name', 'response room'])
    expect(list.rows[0]?.name).toBe('b')
    expect(observedOf(eventsIn('[{"id":"a","id":"b"}]'), 'duplicate_key')).toEqual(['event id'])
    expect(observedOf(responsesIn('[{"id":1,"id":[{"id":2}]},{"id":1}]'), 'duplicate_key')).toEqual([
      'response id',
    ])
  })

  test('no text is taken for a key, wherever the part that is looked at ends', () => {
    for (let length = 950; length < 1060; length += 1) {
      const text = `[{"id":1,"message":"${'x'.repeat(length)}\\\\\\"","name":":"},{"id":2,"name":"name"}]`
      expect(observedOf(responsesIn(text), 'duplicate_key')).toEqual([])
    }
  })
})

test('the order of ids, in lists of two and more', () => {
  const order = (...ids: number[]) => observedOf(responsesOf(...ids.map((id) => ({ id }))), 'order')
  expect(order(1, 2, 30)).toEqual(['responses ids ascending'])
  expect(order(30, 2, 1)).toEqual(['responses ids descending'])
  expect(order(1, 3, 2)).toEqual(['responses not by id'])
  expect(order(1)).toEqual([])
  expect(observedOf(eventsOf({ id: 'b' }, { id: 'a' }), 'order')).toEqual(['events ids descending'])
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
      const said = JSON.stringify([responsesOf(...sent).observations, eventsOf(...sent).observations])
      expect(said.toLowerCase()).not.toContain('canary')
    }),
    { numRuns: examples(100) },
  )
})

test('whatever the items are, each observation is short and can be stored', () => {
  fc.assert(
    fc.property(fc.array(anyItem, { maxLength: 6 }), (texts) => {
      const { observations } = responsesIn(`[${texts.join(',')}]`)
      for (const { path, kind, value } of observations) {
        expect(`${path} ${kind} ${value}`).not.toMatch(/[\0@]/)
        expect(value.isWellFormed()).toBe(true)
        expect(value.length).toBeLessThanOrEqual(64)
      }
    }),
    { numRuns: examples(100) },
  )
})
