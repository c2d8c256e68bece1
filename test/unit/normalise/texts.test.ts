import { describe, expect, test } from 'vitest'
import {
  event,
  eventsIn,
  eventsOf,
  onlyRow,
  response,
  responsesIn,
  responsesOf,
} from '../../support/accounts/normalising.ts'

const eventTexts = ['title', 'description', 'event_type', 'location']
const responseTexts = ['name', 'email', 'message', 'rsvp']

describe('a text is stored as it came', () => {
  test.each([
    ['empty', ''],
    ['spaces', '  a  '],
    ['composed and decomposed', 'caf\u00E9 cafe\u0301'],
    ['control characters', '\u0001\t\r\n\u001B[31m'],
    ['pairs of surrogates', '😀🏳️‍🌈'],
    ['U+FFFD itself', '\uFFFD'],
    ['SQL', "'; drop table headcount.events; --"],
  ])('%s', (_, text) => {
    for (const field of eventTexts)
      expect(event({ [field]: text })).toMatchObject({ [field]: text, _extra: null })
    for (const field of responseTexts)
      expect(response({ [field]: text })).toMatchObject({ [field]: text, _extra: null })
  })
})

describe('what is no text is set aside from a text column', () => {
  test.each([
    ['a number', 5],
    ['false', false],
    ['an array', ['Anna']],
    ['an object', { first: 'Anna' }],
  ])('%s', (_, value) => {
    for (const field of eventTexts) {
      const list = eventsOf({ id: 'gala', [field]: value })
      expect(list.rows).toMatchObject([{ [field]: null, _extra: { [field]: value } }])
      expect(list).toMatchObject({ setAside: 1, warnings: [expect.stringContaining(`${field} (1)`)] })
    }
    for (const field of responseTexts) {
      const list = responsesOf({ id: 1, [field]: value })
      expect(list.rows).toMatchObject([{ [field]: null, _extra: { [field]: value } }])
      expect(list).toMatchObject({ setAside: 1, warnings: [expect.stringContaining(`${field} (1)`)] })
    }
  })
})

describe.each([
  ['P3 U+0000', '\0'],
  ['P4 the first half of a surrogate pair', '\uD83D'],
  ['P4 the second half of a surrogate pair', '\uDE00'],
])('%s becomes U+FFFD and is counted', (_, broken) => {
  const sent = `a${broken}b${broken}`
  const stored = 'a\uFFFDb\uFFFD'

  test('in every text field', () => {
    for (const field of eventTexts) {
      const list = eventsOf({ id: 'gala', [field]: sent })
      expect(list).toMatchObject({ rows: [{ [field]: stored, _extra: null }], setAside: 1 })
    }
    for (const field of responseTexts) {
      const list = responsesOf({ id: 1, [field]: sent })
      expect(list).toMatchObject({ rows: [{ [field]: stored, _extra: null }], setAside: 1 })
      expect(list.warnings).toEqual([expect.stringMatching(/U\+FFFD stands in their place: 1$/)])
    }
  })

  test('in the name of a slot', () => {
    const list = responsesOf({ id: 1, slots: [{ name: sent }, { name: 'Bar' }] })
    expect(list).toMatchObject({ rows: [{ slots: [{ name: stored }, { name: 'Bar' }] }], setAside: 1 })
  })

  test('in _extra at any depth, each text counted once', () => {
    const list = responsesOf({ id: 1, note: sent, tags: [[sent], { tag: sent, clean: 'c' }] })
    expect(list).toMatchObject({
      rows: [{ _extra: { note: stored, tags: [[stored], { tag: stored, clean: 'c' }] } }],
      setAside: 3,
    })
  })

  test('in a value that is set aside: the field is counted, and the text', () => {
    const list = responsesOf({ id: 1, created_at: sent })
    expect(list).toMatchObject({ rows: [{ created_at: null, _extra: { created_at: stored } }], setAside: 2 })
  })

  test('in keys of _extra, of its objects and of slots', () => {
    const list = responsesOf({ id: 1, [sent]: 1, unknown: { [sent]: 2 }, slots: [{ [sent]: 3 }] })
    expect(list).toMatchObject({
      rows: [{ _extra: { [stored]: 1, unknown: { [stored]: 2 } }, slots: [{ _extra: { [stored]: 3 } }] }],
      setAside: 3,
    })
  })

  test('a name of the spec with it is not this name', () => {
    expect(response({ [`rsvp${broken}`]: 'yes' })).toMatchObject({
      kind: 'bare',
      rsvp: null,
      _extra: { 'rsvp\uFFFD': 'yes' },
    })
  })
})

test('P3 P4 keys that become equal do not swallow each other, whatever their order', () => {
  const pairs: [string, number][] = [
    ['a\0', 1],
    ['a\uD800', 2],
    ['a\uFFFD', 3],
    ['a\uFFFD\uFFFD', 4],
    ['a', 5],
  ]
  const wanted = {
    a: 5,
    'a\uFFFD': 3,
    'a\uFFFD\uFFFD': 4,
    'a\uFFFD\uFFFD\uFFFD': 1,
    'a\uFFFD\uFFFD\uFFFD\uFFFD': 2,
  }
  for (const order of [pairs, pairs.toReversed()]) {
    expect(event(Object.fromEntries(order))._extra).toEqual(wanted)
    expect(event({ deep: [Object.fromEntries(order)] })._extra).toEqual({ deep: [wanted] })
  }
})

test('P6 __proto__ and constructor are keys like any other, at every level', () => {
  const body =
    '"__proto__":{"__proto__":null,"a":1},"constructor":{"prototype":{"b":2}},"toString":3,"hasOwnProperty":4'
  const row = onlyRow(responsesIn(`[{"id":1,${body},"slots":[{${body}}]}]`))
  expect(JSON.stringify(row._extra)).toBe(`{${body}}`)
  expect(JSON.stringify(row.slots[0]?._extra)).toBe(`{${body}}`)
  expect(JSON.stringify(onlyRow(eventsIn(`[{"id":"gala",${body},"n":9007199254740993}]`))._extra)).toBe(
    `{${body},"n":9007199254740993}`,
  )
  expect(Object.hasOwn(Object.prototype, 'a')).toBe(false)
})

test('P12 unknown fields stay in _extra with their values, nulls included', () => {
  const unknown = {
    venue: { city: 'Köln', seats: [1, 2.5, null] },
    tags: [],
    note: null,
    amount: '1.00',
    '': 0,
  }
  expect(event(unknown)._extra).toEqual(unknown)
})

test('a row without anything unknown has no _extra', () => {
  expect(event({ title: 'Gala', location: null })._extra).toBeNull()
  expect(response({ name: 'Anna', rsvp: 'yes', amount: null })._extra).toBeNull()
})

test('absent and null are both NULL', () => {
  const nulls = {
    name: null,
    email: null,
    message: null,
    quantity: null,
    rsvp: null,
    created_at: null,
    updated_at: null,
  }
  expect(response({ ...nulls, amount: null, processing_fee: null, slots: null })).toEqual(response({}))
  expect(response({})).toEqual({ id: '1', kind: 'bare', ...nulls, payment: null, slots: [], _extra: null })
})

test('P5 of a key that stands twice the last counts', () => {
  expect(
    onlyRow(responsesIn('[{"id":1,"name":"Anna","name":"Berta","amount":"1.00","amount":null}]')),
  ).toMatchObject({
    name: 'Berta',
    kind: 'bare',
  })
})
