import { describe, expect, test } from 'vitest'
import { InvalidResponseError } from '../../../src/common/errors.ts'
import { MAX_ITEM_BYTES } from '../../../src/common/json/exact.ts'
import { parseList, parsePing } from '../../../src/common/json/parse-list.ts'
import { nested } from '../../support/accounts/normalising.ts'

const list = (...pages: string[]) => parseList(pages, 'GET /events').items
const values = (...pages: string[]) => list(...pages).map(({ value }) => value)

function faultOf(read: () => unknown): InvalidResponseError {
  try {
    read()
  } catch (error) {
    if (error instanceof InvalidResponseError) return error
    throw error
  }
  throw new Error('expected a InvalidResponseError')
}

describe('P1 a body that is not one complete JSON array is a contract error', () => {
  test.each([
    ['nothing', ''],
    ['white space', ' \n'],
    ['a cut array', '[{"id":1},{"id":'],
    ['something behind the array', '[{"id":1}][]'],
    ['a comma at the end', '[{"id":1},]'],
    ['NaN', '[NaN]'],
    ['Infinity', '[{"id":Infinity}]'],
    ['a comment', '[/* none */]'],
    ['single quotes', "[{'id':1}]"],
    ['a line break inside a text', '["a\nb"]'],
    ['a byte order mark', '\uFEFF[]'],
    ['HTML', '<!doctype html><title>Log in</title>'],
    ['an object', '{"error":"try later"}'],
    ['null', 'null'],
    ['a text', '"[]"'],
    ['a number', '12345678901234567890'],
  ])('%s', (_, body) => {
    expect(() => list(body)).toThrow(InvalidResponseError)
  })

  test('in any of the pages', () => {
    expect(() => list('[1]', '{"next":2}')).toThrow(InvalidResponseError)
  })
})

test('the error names the list, what is wrong, where, and what to look at', () => {
  expect(faultOf(() => list('[1,2')).message).toMatch(
    /^GET \/events: the answer is not JSON \(at position 4\)/,
  )
  expect(faultOf(() => list('{"error":1}')).message).toMatch(
    /must be one JSON array, but is an object\. Check/,
  )
})

test('the error quotes nothing of the body, which holds personal data', () => {
  const fault = faultOf(() => list('[{"email":"anna@example.org",}]'))
  expect(`${fault.message} ${fault.stack} ${String(fault.cause)}`).not.toContain('anna')
})

test('the index runs over all pages', () => {
  const items = list('["a","b"]', '[]', '["c"]')
  expect(items.map(({ index, value }) => [index, value])).toEqual([
    [0, 'a'],
    [1, 'b'],
    [2, 'c'],
  ])
})

test('each item has the text that stood in the body', () => {
  const items = list('[ {"id" : 1.0 }, "é" ]', '\n[null ]')
  expect(items.map((item) => item.sourceText())).toEqual(['{"id" : 1.0 }', '"é"', 'null'])
})

test('P9 numbers beyond a double keep their digits, in the items that have them', () => {
  const [plain, large] = values('[{"id":1},{"id":9007199254740993,"amount":1.50}]')
  expect(plain).toEqual({ id: 1 })
  expect(JSON.stringify(large)).toBe('{"id":9007199254740993,"amount":1.50}')
})

test('an amount that is a number keeps its final zero', () => {
  expect(JSON.stringify(values('[{"amount":12.50}]'))).toBe('[{"amount":12.50}]')
})

describe('P2 nesting of 100,000', () => {
  test.each([
    ['plain', '1'],
    ['around an integer that needs its digits', '12345678901234567890'],
    ['around a number out of range', '1e999'],
  ])('%s, is read without a fault', (_, core) => {
    const items = list(`[{"id":1,"a":${nested(100_000, core)}},{"id":9007199254740993}]`)
    expect(items).toHaveLength(2)
    expect(JSON.stringify(items[1]?.value)).toBe('{"id":9007199254740993}')
    expect(items[0]?.sourceText()).toHaveLength(200_000 + core.length + '{"id":1,"a":}'.length)
  })

  test('of the list itself', () => {
    expect(list(nested(100_000, '12345678901234567890'))).toHaveLength(1)
  })

  test('of an answer to the ping', () => {
    expect(parsePing(`{"email":"a@b.example","x":${nested(100_000, '12345678901234567890')}}`)).toEqual({
      email: 'a@b.example',
    })
  })
})

test('the size of an item is known, in bytes, wherever one can be above the limit', () => {
  const wide = JSON.stringify('é'.repeat(MAX_ITEM_BYTES / 2))
  expect(list(`[1,${wide}]`).map(({ bytes }) => bytes)).toEqual([1, MAX_ITEM_BYTES + 2])
  const narrow = JSON.stringify('e'.repeat(MAX_ITEM_BYTES / 2))
  expect(list(`[1,${narrow}]`).map(({ bytes }) => bytes)).toEqual([0, 0])
})

describe('the answer to the ping', () => {
  test('gives the e-mail address', () => {
    expect(parsePing('{"email":"anna@example.org","id":9007199254740993}')).toEqual({
      email: 'anna@example.org',
    })
  })

  test.each([
    '{}',
    '{"email":null}',
    '{"email":""}',
    '{"email":5}',
    String.raw`{"email":"a\u0000"}`,
    String.raw`{"email":"\ud800"}`,
  ])('%s has no e-mail address', (body) => {
    expect(parsePing(body)).toEqual({ email: null })
  })

  test.each(['', '[]', 'null', '"pong"', '{"email":', '<html>'])('%j is a contract error', (body) => {
    expect(() => parsePing(body)).toThrow(InvalidResponseError)
  })
})
