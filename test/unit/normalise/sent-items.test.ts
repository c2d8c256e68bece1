/** Items that are parsed: what is kept of them, and what an error says of a list that is none. */
import { describe, expect, test } from 'vitest'
import { InvalidResponseError } from '../../../src/common/errors.ts'
import { MAX_ITEM_BYTES } from '../../../src/common/json/exact.ts'
import { ItemCollector, readPages } from '../../support/accounts/read-items.ts'
import { nested } from '../../support/accounts/normalising.ts'

function itemsOf(...pages: readonly string[]) {
  const collector = new ItemCollector()
  readPages(pages, collector, 'GET /events')
  return collector.items
}

function faultOf(...pages: readonly string[]): InvalidResponseError {
  try {
    itemsOf(...pages)
  } catch (error) {
    if (error instanceof InvalidResponseError) return error
    throw error
  }
  throw new Error('expected an InvalidResponseError')
}

test('P1 a page that is no list is an error, whichever it is', () => {
  expect(faultOf('[1]', '{"next":2}').message).toMatch(/^GET \/events: the answer is not JSON/)
})

test('the error names the list, the byte, and what to look at; it quotes nothing of the body', () => {
  const fault = faultOf('[{"name":"Zoë"},{"email":"anna@example.org",}]')
  expect(fault.message).toMatch(/ \(at byte \d+\), or not all of it\. Look at/)
  expect(`${fault.message} ${fault.stack} ${String(fault.cause)}`).not.toContain('anna')
  expect(faultOf('[1,2').message).toMatch(/\(at byte 4\)/)
})

test('the index runs over all pages, and a byte order mark is dropped from each', () => {
  const items = itemsOf('\uFEFF["a","b"]', '[]', '\uFEFF ["c"]')
  expect(items.map(({ index, value }) => [index, value])).toEqual([
    [0, 'a'],
    [1, 'b'],
    [2, 'c'],
  ])
})

test('each item has the text that stood in the body, and its length in bytes', () => {
  const items = itemsOf('[ {"id" : 1.0 }, "é" ]', '\n[null ]')
  expect(items.map(({ text }) => text)).toEqual(['{"id" : 1.0 }', '"é"', 'null'])
  const wide = JSON.stringify('é'.repeat(MAX_ITEM_BYTES / 2))
  expect(itemsOf(`[1,${wide}]`).map(({ bytes }) => bytes)).toEqual([1, MAX_ITEM_BYTES + 2])
})

test('P9 numbers beyond a double, and the final zero of an amount, keep their digits', () => {
  const values = itemsOf('[{"id":1},{"id":9007199254740993,"amount":1.50}]').map(({ value }) => value)
  expect(JSON.stringify(values)).toBe('[{"id":1},{"id":9007199254740993,"amount":1.50}]')
})

describe('P2 nesting of 100,000', () => {
  test.each([
    ['plain', '1'],
    ['around an integer that needs its digits', '12345678901234567890'],
    ['around a number out of range', '1e999'],
  ])('%s, is read without a fault', (_, core) => {
    const items = itemsOf(`[{"id":1,"a":${nested(100_000, core)}},{"id":9007199254740993}]`)
    expect(JSON.stringify(items[1]?.value)).toBe('{"id":9007199254740993}')
    expect(items[0]?.text).toHaveLength(200_000 + core.length + '{"id":1,"a":}'.length)
  })

  test('of the list itself', () => {
    expect(itemsOf(nested(100_000, '12345678901234567890'))).toHaveLength(1)
  })
})
