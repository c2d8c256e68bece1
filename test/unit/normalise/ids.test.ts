import { describe, expect, test } from 'vitest'
import {
  eventsIn,
  eventsOf,
  onlyReject,
  onlyRow,
  responsesIn,
  responsesOf,
} from '../../support/accounts/normalising.ts'

const longest = 'e'.repeat(255)

describe('the id of an event', () => {
  test.each([
    ['text', '"gala-2024"', 'gala-2024'],
    ['P7 with a slash', '"a/b"', 'a/b'],
    ['P7 with a question mark', '"?x"', '?x'],
    ['with spaces only', '"  "', '  '],
    ['three dots', '"..."', '...'],
    ['at most 255 characters', `"${longest}"`, longest],
    ['whose 255 characters are two units each', `"${'😀'.repeat(255)}"`, '😀'.repeat(255)],
    ['P8 a number', '17', '17'],
    ['a negative number', '-1', '-1'],
    ['P9 2^53 + 1', '9007199254740993', '9007199254740993'],
    ['P9 2^63', '9223372036854775808', '9223372036854775808'],
    ['1.0', '1.0', '1'],
    ['1e30', '1e30', `1${'0'.repeat(30)}`],
    ['digits as text with zeros in front stay text', '"007"', '007'],
  ])('%s: taken', (_, id, stored) => {
    expect(onlyRow(eventsIn(`[{"id":${id}}]`)).id).toBe(stored)
  })

  test.each([
    ['P7 an object', '{"a":1}'],
    ['an array', '["a"]'],
    ['true', 'true'],
    ['P7 empty', '""'],
    ['P7 a dot', '"."'],
    ['P7 two dots', '".."'],
    ['P7 10 kB', `"${'x'.repeat(10_000)}"`],
    ['256 characters', `"${longest}e"`],
    ['256 characters of two units each', `"${'😀'.repeat(256)}"`],
    ['P3 with U+0000', String.raw`"a\u0000b"`],
    ['P4 with half a surrogate pair', String.raw`"a\ud800"`],
    ['a fraction', '1.5'],
    ['a number of 256 digits', '1e255'],
    ['an exponent beyond all measure', `1e${'9'.repeat(400)}`],
  ])('%s: rejected, and missing rows may be this one', (_, id) => {
    const events = eventsIn(`[{"id":${id}}]`)
    expect(onlyReject(events)).toMatchObject({ reason: 'id_invalid', path: '$[0].id', id: null })
    expect(events.unreadableId).toBe(true)
  })
})

describe('the id of a response', () => {
  test.each([
    ['an integer', '17', '17'],
    ['zero', '0', '0'],
    ['a negative integer', '-1', '-1'],
    ['P8 digits as text', '"17"', '17'],
    ['zero as text', '"0"', '0'],
    ['negative digits as text', '"-17"', '-17'],
    ['P9 2^53 + 1', '9007199254740993', '9007199254740993'],
    ['P9 2^53 + 1 as text', '"9007199254740993"', '9007199254740993'],
    ['P9 the largest', '9223372036854775807', '9223372036854775807'],
    ['the smallest', '-9223372036854775808', '-9223372036854775808'],
    ['1.0', '1.0', '1'],
    ['1e2', '1e2', '100'],
    ['100e-2', '100e-2', '1'],
    ['-0', '-0', '0'],
    ['0e5', '0e5', '0'],
    ['9007199254740993.0', '9007199254740993.0', '9007199254740993'],
  ])('%s: taken', (_, id, stored) => {
    expect(onlyRow(responsesIn(`[{"id":${id}}]`)).id).toBe(stored)
  })

  test.each([
    ['P9 2^63', '9223372036854775808'],
    ['P9 2^63 as text', '"9223372036854775808"'],
    ['below the smallest', '-9223372036854775809'],
    ['1e400', '1e400'],
    ['a fraction', '1.5'],
    ['a fraction that a double cannot tell from 1', '1.00000000000000000001'],
    ['a fraction that a double cannot tell from 0', '1e-400'],
    ['P7 an object', '{"a":1}'],
    ['an array', '[1]'],
    ['true', 'true'],
    ['P7 empty', '""'],
    ['P7 10 kB', `"${'1'.repeat(10_000)}"`],
    ['a zero in front', '"017"'],
    ['a plus', '"+17"'],
    ['minus zero as text', '"-0"'],
    ['a space', '" 17"'],
    ['a line break', String.raw`"17\n"`],
    ['a fraction as text', '"1.0"'],
    ['an exponent as text', '"1e2"'],
    ['digits of another script', '"١٧"'],
    ['words', '"seventeen"'],
  ])('%s: rejected, and missing rows may be this one', (_, id) => {
    const responses = responsesIn(`[{"id":${id}}]`)
    expect(onlyReject(responses)).toMatchObject({ reason: 'id_invalid', path: '$[0].id', id: null })
    expect(responses.unreadableId).toBe(true)
  })
})

test('P7 without an id, or with null, an item is rejected', () => {
  for (const list of [
    eventsOf({ title: 'Gala' }, { id: null }),
    responsesOf({ name: 'Anna' }, { id: null }),
  ]) {
    expect(list.rows).toEqual([])
    expect(list.rejects).toMatchObject([
      { reason: 'id_missing', path: '$[0].id', item_index: 0, id: null },
      { reason: 'id_missing', path: '$[1].id', item_index: 1, id: null },
    ])
    expect(list.unreadableId).toBe(true)
  }
})

test('P6 an id that only stands in __proto__ is none', () => {
  expect(onlyReject(eventsIn('[{"__proto__":{"id":"gala"}}]')).reason).toBe('id_missing')
})

test('P10 ids that differ by case, by composition or by a space at the end are different', () => {
  const ids = ['Gala', 'gala', 'gala ', 'caf\u00E9', 'cafe\u0301']
  expect(new Set(eventsOf(...ids.map((id) => ({ id }))).rows.map(({ id }) => id))).toEqual(new Set(ids))
})

test('P8 the same id as text and as a number is the same response', () => {
  const responses = responsesOf({ id: '17', name: 'Anna' }, { id: 17, name: 'Anna' })
  expect(responses.rows.map(({ id }) => id)).toEqual(['17'])
  expect(responses.warnings).toEqual([])
})

test('events stand in the order of the bytes of their ids, as collation "C" has it', () => {
  const ids = ['b', '\u{1F600}', '\uFFFD', 'a', 'B', 'ab', '\uE000', 'é', '']
  const sorted = ids.filter((id) => id !== '').sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)))
  expect(eventsOf(...ids.map((id) => ({ id }))).rows.map(({ id }) => id)).toEqual(sorted)
})

test('responses stand in the order of their numbers', () => {
  const ids = [
    '10',
    '9',
    '-2',
    '0',
    '9223372036854775807',
    '-10',
    '9007199254740993',
    '9007199254740992',
    '-9223372036854775808',
  ]
  const sorted = [...ids].sort((a, b) => (BigInt(a) < BigInt(b) ? -1 : 1))
  expect(responsesOf(...ids.map((id) => ({ id }))).rows.map(({ id }) => id)).toEqual(sorted)
})
