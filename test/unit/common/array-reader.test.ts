/** The reader of arrays takes what `JSON.parse` takes, wherever the bytes are cut into blocks. */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { ArrayReader } from '../../../src/common/json/array-reader.ts'
import { INCOMPLETE } from '../../../src/common/json/scan.ts'
import { InvalidResponseError } from '../../../src/common/errors.ts'
import { anyItem } from '../../support/accounts/item-texts.ts'
import { examples } from '../../support/seed.ts'

/** Reads an array from blocks of this length; a block that holds no item whole is made longer. */
function read(text: string, blockBytes: number): unknown[] | null {
  const items: unknown[] = []
  const reader = new ArrayReader('GET /list', {
    count: 0,
    containedKey: false,
    tryItem: () => INCOMPLETE,
    item: (bytes, start, end) => {
      try {
        items.push(JSON.parse(Buffer.from(bytes.subarray(start, end)).toString()))
      } catch (cause) {
        throw new InvalidResponseError('not JSON', { cause })
      }
    },
  })
  const body = Buffer.from(text)
  try {
    for (let start = 0, end = 0; start < body.length || end === 0;) {
      end = Math.min(body.length, Math.max(end, start) + blockBytes)
      start += reader.read(body.subarray(start, end), end === body.length)
      if (end === body.length) break
    }
    return items
  } catch (error) {
    if (error instanceof InvalidResponseError) return null
    throw error
  }
}

function parse(text: string): unknown[] | null {
  try {
    const value: unknown = JSON.parse(Buffer.from(text).toString())
    return Array.isArray(value) ? value : null
  } catch {
    return null
  }
}

const space = fc.constantFrom('', '', ' ', '\n', '\t\r', '\f', '\u00a0')
const list = fc
  .tuple(fc.array(fc.tuple(space, anyItem, space), { maxLength: 6 }), space, space)
  .map(([items, before, behind]) => `${before}[${items.map((parts) => parts.join('')).join(',')}]${behind}`)
const blockBytes = fc.integer({ min: 1, max: 400 })

describe('P1 the reader of arrays', () => {
  test('takes every list', () => {
    fc.assert(
      fc.property(list, blockBytes, (text, bytes) => {
        expect(read(text, bytes)).toEqual(parse(text))
      }),
      { numRuns: examples(500) },
    )
  })

  test('refuses whatever is none', () => {
    const broken = fc
      .tuple(
        list,
        fc.nat(),
        fc.constantFrom('', ',', '[', ']', '{', '}', '"', '\\', ':', 'x', '1', ' '),
        fc.boolean(),
      )
      .map(([text, place, piece, isInserted]) => {
        const at = place % (text.length + 1)
        return text.slice(0, at) + piece + text.slice(isInserted ? at : at + 1)
      })
    fc.assert(
      fc.property(broken, blockBytes, (text, bytes) => {
        expect(read(text, bytes)).toEqual(parse(text))
      }),
      { numRuns: examples(1000) },
    )
  })

  test.each([
    '',
    ' ',
    '[',
    ']',
    '[1',
    '[1,',
    '[1,]',
    '[,1]',
    '[1 2]',
    '[1]]',
    '[1],',
    '{}',
    '1',
    '[1}',
    '["a]',
    '[{]}',
    'null',
    '[[]',
    '[nul]',
    '[1]x',
  ])('refuses %j', (text) => {
    for (const bytes of [1, 3, 100]) expect(read(text, bytes)).toBeNull()
  })

  test.each([
    '[]',
    ' [ ] ',
    '[1]',
    '[[],{}]',
    '["a]",{"b":"}"}]',
    '[1,\n2]',
    '[null,true]',
    String.raw`["\"]"]`,
  ])('takes %j', (text) => {
    for (const bytes of [1, 3, 100]) expect(read(text, bytes)).toEqual(JSON.parse(text))
  })
})
