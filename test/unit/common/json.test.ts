import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { isObject, isRawNumber, needsSourceText, parseJson } from '../../../src/common/json/exact.ts'

const roundTrip = (text: string): string => JSON.stringify(parseJson(text))

describe('numbers that a double cannot hold keep their source text', () => {
  test.each([
    '{"id":9007199254740993}',
    '{"id":-9223372036854775808}',
    '[18446744073709551616]',
    '12345678901234567890',
    '{"a":{"b":[1,{"c":9007199254740993}]}}',
    '{"large":1e400}',
    '{"large":1e23}',
    '{"almost":1.00000000000000000001}',
    '{"almost":1234567890.0000000001}',
    '{"tiny":1e-400}',
    '{"amount":12.50,"processing_fee":0.10}',
  ])('%s', (text) => {
    expect(roundTrip(text)).toBe(text)
  })

  test('with white space and line breaks around them', () => {
    expect(roundTrip('\n 12345678901234567890 ')).toBe('12345678901234567890')
    expect(roundTrip('{"id" :\r\n\t9007199254740993 }')).toBe('{"id":9007199254740993}')
    expect(roundTrip('[1 ,\n -9007199254740993]')).toBe('[1,-9007199254740993]')
    expect(roundTrip('{ "amount" : 1.50 }')).toBe('{"amount":1.50}')
  })
})

test('ordinary numbers are numbers, also beside one that is not', () => {
  expect(parseJson('{"a":1,"b":0.5,"id":9007199254740993}')).toMatchObject({ a: 1, b: 0.5 })
})

test('the quick parse is taken where digits stand in words', () => {
  for (const text of [
    '{"token":"4e5f-1234567890123456789"}',
    '{"at":"2024-03-01T10:00:00.123456Z","n":17}',
  ]) {
    expect(needsSourceText(text)).toBe(false)
  }
})

test('an amount as a number needs its source text, an amount as text does not', () => {
  expect(needsSourceText('[{"amount":12.5}]')).toBe(true)
  expect(needsSourceText('[{"amount":"12.5"}]')).toBe(false)
})

test.each([
  '{"\\u0061mount":1.10}',
  '{"processing\\u005Ffee" : -0.10}',
  '{"name":"Caf\\u00e9","amoun\\u0074":\n7.00}',
  '[{"\\u0070\\u0072ocessing_f\\u0065\\u0065":1.50}]',
])('an amount is exact however its name is written: %s', (text) => {
  expect(needsSourceText(text)).toBe(true)
  const [digits] = /-?\d+\.\d+/.exec(text) ?? []
  expect(roundTrip(text)).toMatch(new RegExp(`"(?:amount|processing_fee)":${digits}\\}`))
})

test('other escapes do not need source text', () => {
  for (const text of [
    '{"name":"\\u0061mount","n":1.5}',
    '{"\\u00e9t\\u00e9":1.5}',
    '{"\\u0061mount":"1.10"}',
  ])
    expect(needsSourceText(text)).toBe(false)
})

test('P6 __proto__ is a key like any other, with and without source text', () => {
  for (const text of ['{"__proto__":{"a":1}}', '{"__proto__":{"a":9007199254740993}}']) {
    expect(roundTrip(text)).toBe(text)
  }
})

test('P5 of a key that stands twice the last counts, with its own source text', () => {
  expect(roundTrip('{"a":1,"a":9007199254740993}')).toBe('{"a":9007199254740993}')
  expect(roundTrip('{"a":9007199254740993,"a":9007199254740995}')).toBe('{"a":9007199254740995}')
})

test('an object that looks like a raw number is an object', () => {
  const value = parseJson('{"rawJSON":"1"}')
  expect(isRawNumber(value)).toBe(false)
  expect(isObject(value)).toBe(true)
  expect(isObject(parseJson('9007199254740993'))).toBe(false)
})

test('a number that may lose digits is seen wherever it stands', () => {
  const numbers = fc.stringMatching(/^-?(?:0|[1-9]\d{0,25})(?:\.\d{1,25})?(?:[eE][-+]?\d{1,3})?$/)
  const neighbours = fc.stringMatching(/^[\d. a-z-]{0,40}$/)
  fc.assert(
    fc.property(numbers, neighbours, neighbours, (number, text, key) => {
      fc.pre(/^-?(?:\d{16}|[\d.]{17}|[\d.]+[eE])/.test(number))
      expect(needsSourceText(`{"text":"${text}", "list":[${number},1]}`)).toBe(true)
      expect(needsSourceText(`{"text":"${text}" ,"${key}":\n${number}}`)).toBe(true)
    }),
  )
})
