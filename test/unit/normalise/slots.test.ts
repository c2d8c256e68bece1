import { describe, expect, test } from 'vitest'
import { response, responsesOf } from '../../support/accounts/normalising.ts'

const nothing = {
  name: null,
  start_date: null,
  end_date: null,
  start_local: null,
  end_local: null,
  _extra: null,
}

test('a slot keeps the instant and the wall clock as sent', () => {
  const [slot] = response({
    slots: [
      { name: 'Bar', start_date: '2024-05-01T22:00:00+02:00', end_date: '2024-05-02T00:30:00.123456+02:00' },
    ],
  }).slots
  expect(slot).toEqual({
    name: 'Bar',
    start_date: '2024-05-01T22:00:00+02:00',
    end_date: '2024-05-02T00:30:00.123456+02:00',
    start_local: '2024-05-01T22:00:00',
    end_local: '2024-05-02T00:30:00.123456',
    _extra: null,
  })
})

test('Z is an offset of zero', () => {
  expect(response({ slots: [{ start_date: '2024-05-01T22:00:00.5Z' }] }).slots).toEqual([
    { ...nothing, start_date: '2024-05-01T22:00:00.5Z', start_local: '2024-05-01T22:00:00.5' },
  ])
})

test('slots keep the order in which they were sent', () => {
  const names = ['c', 'a', 'b', 'a']
  expect(response({ slots: names.map((name) => ({ name })) }).slots.map(({ name }) => name)).toEqual(names)
})

test('P16 a slot without dates, or without anything, is a slot', () => {
  expect(response({ slots: [{ name: 'Bar' }, {}, { name: null }] }).slots).toEqual([
    { ...nothing, name: 'Bar' },
    nothing,
    nothing,
  ])
})

test('P16 10,000 slots are 10,000 slots', () => {
  const slots = Array.from({ length: 10_000 }, (_, place) => ({ name: `Slot ${place}` }))
  expect(response({ slots }).slots).toHaveLength(10_000)
})

test('P16 slots null or [] give no slots and nothing set aside', () => {
  for (const slots of [null, []]) {
    const list = responsesOf({ id: 1, slots })
    expect(list.rows).toMatchObject([{ slots: [], _extra: null }])
    expect(list.setAside).toBe(0)
  }
})

describe('P16 slots that are no array of objects are set aside whole', () => {
  test.each([
    ['an object', {}],
    ['a text', 'Bar'],
    ['a number', 5],
    ['false', false],
    ['an element that is null', [{ name: 'Bar' }, null]],
    ['an element that is a text', ['Bar']],
    ['an element that is an array', [[{ name: 'Bar' }]]],
    ['an element that is a large number', [JSON.rawJSON('9007199254740993')]],
  ])('%s', (_, slots) => {
    const list = responsesOf({ id: 1, slots })
    expect(list.rows).toMatchObject([{ kind: 'signup', slots: [] }])
    expect(JSON.stringify(list.rows[0]?._extra)).toBe(JSON.stringify({ slots }))
    expect(list.setAside).toBe(1)
    expect(list.warnings).toEqual([expect.stringContaining('slots (1)')])
  })
})

describe("a slot's field that its column cannot hold stays in the _extra of this slot", () => {
  test.each([
    ['a name that is a number', { name: 5 }],
    ['a date without an offset', { start_date: '2024-05-01T10:00:00' }],
    ['a date that is none', { end_date: '2024-02-30T10:00:00+02:00' }],
    ['a date that is a number', { start_date: 1_714_500_000 }],
  ])('%s', (_, fields) => {
    const list = responsesOf({ id: 1, slots: [{ name: 'Bar' }, fields] })
    expect(list.rows[0]?.slots).toEqual([
      { ...nothing, name: 'Bar' },
      { ...nothing, _extra: fields },
    ])
    expect(list.rows[0]?._extra).toBeNull()
    expect(list.setAside).toBe(1)
    expect(list.warnings).toEqual([expect.stringContaining(`slots.${Object.keys(fields)[0]} (1)`)])
  })
})

test('P12 unknown fields of a slot stay in the _extra of this slot, nulls included', () => {
  expect(response({ slots: [{ name: 'Bar', capacity: 5, id: 7, note: null }] }).slots).toEqual([
    { ...nothing, name: 'Bar', _extra: { capacity: 5, id: 7, note: null } },
  ])
})
