import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { BodyTooLargeError, InvalidResponseError } from '../../../src/common/errors.ts'
import { concatChunks, fileChunks } from '../../../src/source/list/list-chunks.ts'
import { parseList } from '../../../src/common/json/parse-list.ts'
import type { ListPayload } from '../../../src/common/json/parse-list.ts'
import { bodyOf } from '../../support/http/body.ts'
import { anyItem } from '../../support/accounts/item-texts.ts'
import { nested } from '../../support/accounts/normalising.ts'
import { errorOf } from '../../support/http/reading.ts'

const WHAT = 'GET /events/x/responses'
const inPieces = (pages: readonly string[], pieceBytes: number) =>
  fileChunks(pages.map(bodyOf), pieceBytes, WHAT)

/** What can be told of a list. */
const canonicalJson = ({ items, duplicateKeys }: ListPayload) => ({
  items: items.map((item) => [item.index, JSON.stringify(item.value), item.sourceText()]),
  duplicateKeys,
})

const space = fc.stringMatching(/^[ \t\n\r]{0,3}$/)
const item = fc.oneof(
  anyItem.map((text) => text.toWellFormed()),
  fc.json({ maxDepth: 4, stringUnit: 'binary' }).map((text) => text.toWellFormed()),
  fc.json({ maxDepth: 3 }).map((text) => JSON.stringify(JSON.parse(text), null, 2)),
  fc.constantFrom('"\\\\"', '"\\""', '"],["', '"\\\\\\"{,"', '"é,😀,"', '{"a":"}","b":[",",{"]":"["}]}'),
)
const page = fc
  .tuple(fc.array(fc.tuple(space, item, space), { maxLength: 8 }), space, space)
  .map(([items, before, after]) => `${before}[${items.map((parts) => parts.join('')).join(',')}]${after}`)
/** Cuts fall everywhere: inside texts, behind a backslash, inside a character, between brackets. */
const pieceBytes = fc.integer({ min: 1, max: 40 })

test('a list that is cut has the items that it has whole, in a first reading and in a second', async () => {
  const check = fc.asyncProperty(
    fc.array(page, { minLength: 1, maxLength: 3 }),
    pieceBytes,
    async (pages, bytes) => {
      const whole = canonicalJson(parseList(pages, WHAT))
      const list = inPieces(pages, bytes)
      expect(canonicalJson(await concatChunks(list()))).toEqual(whole)
      expect(canonicalJson(await concatChunks(list()))).toEqual(whole)
    },
  )
  await fc.assert(check, { numRuns: 600 })
})

/** A list with a fault in it, or one that only looks so: a character more, one less, or another one. */
const mended = fc
  .tuple(page, fc.nat(), fc.nat(2), fc.constantFrom(...Array.from('[]{},:"\\ 1x\n\u00A0é')))
  .map(([text, at, removed, added]) => {
    const characters = Array.from(text)
    characters.splice(at % (characters.length + 1), removed, added)
    return characters.join('')
  })

test('P1 broken JSON is refused in pieces exactly when it is refused whole', async () => {
  const check = fc.asyncProperty(fc.oneof(mended, page), pieceBytes, async (text, bytes) => {
    const whole = await resultOf(async () => parseList([text], WHAT))
    expect(await resultOf(() => concatChunks(inPieces([text], bytes)()))).toEqual(whole)
  })
  await fc.assert(check, { numRuns: 2000 })
})

async function resultOf(read: () => Promise<ListPayload>): Promise<unknown> {
  try {
    return canonicalJson(await read())
  } catch (error) {
    if (error instanceof InvalidResponseError) return 'refused'
    throw error
  }
}

test.each([
  '[,]',
  '[,1]',
  '[1,]',
  '[1,,2]',
  '[1, ,2]',
  '[1}',
  '[1)',
  '[{]}',
  '[1]]',
  '[1][2]',
  '[1] x',
  '[1',
  '["a',
  '["a\\',
  '["\\',
  '[1,"\\x"]',
  '\u00A0[1]',
])('P1 %s is no list, wherever it is cut', async (text) => {
  for (const bytes of [1, 2, 3, 5, 100]) {
    expect(await errorOf(concatChunks(inPieces([text], bytes)()))).toBeInstanceOf(InvalidResponseError)
  }
})

test('the error names the list and the byte, and quotes nothing', async () => {
  const error = await errorOf(
    concatChunks(inPieces(['[{"name":"Zoë"},{"email":"anna@example.org",}]'], 20)()),
  )
  expect(error.message).toMatch(/^GET \/events\/x\/responses: the answer is not JSON \(at byte 45\)/)
  expect(`${error.stack}`).not.toContain('anna')
})

test('a byte order mark is dropped, from every page', async () => {
  const { items } = await concatChunks(inPieces(['\uFEFF[1,2]', '\uFEFF []'], 2)())
  expect(items.map(({ value }) => value)).toEqual([1, 2])
})

test('P2 nesting of 100,000, over many pieces', async () => {
  const { items } = await concatChunks(inPieces([`[1,${nested(100_000)},2]`], 1000)())
  expect(items).toHaveLength(3)
})

describe('the size of the pieces', () => {
  test('is about what was asked for; one with a longer item is longer', async () => {
    const long = `"${'x'.repeat(500)}"`
    const list = inPieces([`[${[...Array<string>(100).fill('12345'), long, '1', '2'].join(',')}]`], 100)
    const lengths: number[] = []
    for await (const { items } of list()) lengths.push(items.length)
    expect(Math.max(...lengths)).toBeLessThanOrEqual(100 / 6 + 1)
    expect(lengths.reduce((sum, length) => sum + length, 0)).toBe(103)
  })

  test('ends where no item may be longer', async () => {
    const megabytes = 65
    const endless = {
      ...bodyOf(''),
      size: megabytes * 1024 ** 2,
      read: async (bytes: Buffer, place: number) => {
        bytes.fill('x')
        bytes.write('[1,"'.slice(place))
      },
    }
    const error = await errorOf(concatChunks(fileChunks([endless], 1_000_000, WHAT)()))
    expect(error).toBeInstanceOf(BodyTooLargeError)
    expect(error.message).toMatch(/the item that begins at byte 3 is longer than 64 MB/)
  })
})
