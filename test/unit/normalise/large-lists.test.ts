import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { RejectItem, ResponseItem } from '../../../src/common/schema/tables.ts'
import { normaliseResponses, largeResponses } from '../../../src/normalise/items/responses.ts'
import type { NormalisedList } from '../../../src/normalise/list/list.ts'
import { compareIntegerTexts } from '../../../src/normalise/values/collation.ts'
import { fileChunks } from '../../../src/source/list/list-chunks.ts'
import { parseList } from '../../../src/common/json/parse-list.ts'
import { bodyOf } from '../../support/http/body.ts'
import { anyItem, responseEntries, objectText } from '../../support/accounts/item-texts.ts'

interface InPieces extends NormalisedList<ResponseItem> {
  readonly count: number
  readonly rejected: number
  readonly ids: readonly (readonly string[])[]
}

/** The list as it is read when it is too large for memory, and all its pieces put together. */
async function inPieces(text: string, pieceBytes: number): Promise<InPieces> {
  const pieces = fileChunks([bodyOf(text)], pieceBytes, 'GET /x')
  const list = largeResponses()
  const given: (readonly ResponseItem[] | null)[] = []
  for await (const piece of pieces()) given.push(list.add(piece))
  if (list.hasDuplicates) for await (const piece of pieces()) list.resolve(piece)
  const facts = list.summarise()
  const rows: ResponseItem[] = []
  const rejects: RejectItem[] = []
  for await (const piece of pieces()) {
    const taken = list.rowsOf(piece)
    expect(taken.rows).toEqual(taken.rows.toSorted((a, b) => compareIntegerTexts(a.id, b.id)))
    rows.push(...taken.rows)
    rejects.push(...taken.rejects)
  }
  // What the first reading gives is what is taken, up to where it gives nothing any more.
  const sure = given.slice(0, given.includes(null) ? given.indexOf(null) : given.length)
  if (sure.length === given.length) expect(sure.flat()).toEqual(rows)
  const ids = [list.rowIds, list.rejectIds].map((these) => [...new Set(these)])
  const sorted = rows.sort((a, b) => compareIntegerTexts(a.id, b.id))
  return { ...facts, rows: sorted, rejects, count: list.count, rejected: list.rejected, ids }
}

function expected(whole: NormalisedList<ResponseItem>): InPieces {
  const { rows, rejects } = whole
  const idsOf = (items: readonly { readonly id: string | null }[]) =>
    [...new Set(items.flatMap(({ id }) => id ?? []))].sort(compareIntegerTexts)
  return { ...whole, count: rows.length, rejected: rejects.length, ids: [idsOf(rows), idsOf(rejects)] }
}

const tell = ({ observations, ...list }: InPieces) => ({
  ...list,
  observations: observations.map((one) => JSON.stringify(one)).toSorted(),
})

const items = fc.oneof(
  fc.array(
    fc.oneof({ arbitrary: responseEntries.map(objectText), weight: 4 }, { arbitrary: anyItem, weight: 1 }),
    {
      maxLength: 12,
    },
  ),
  // Few ids, few stamps: most items are duplicates.
  fc.array(
    fc
      .tuple(
        fc.constantFrom('1', '2', '"2"', '-3', '9007199254740993'),
        fc.constantFrom('null', '"2024-03-01T10:00:00Z"', '"2024-03-02T10:00:00Z"', '5'),
        fc.constantFrom('"Anna"', '"Berta"', '7'),
      )
      .map(([id, at, name]) => `{"id":${id},"updated_at":${at},"name":${name}}`),
    { maxLength: 12 },
  ),
)

test('P11 a list read in pieces is what it is when it is read whole', async () => {
  const check = fc.asyncProperty(items, fc.integer({ min: 1, max: 200 }), async (texts, pieceBytes) => {
    const text = `[${texts.join(',')}]`.toWellFormed()
    const whole = expected(normaliseResponses(parseList([text], 'GET /x')))
    expect(tell(await inPieces(text, pieceBytes))).toEqual(tell(whole))
  })
  await fc.assert(check, { numRuns: 500 })
})

test('ids of eight bytes go up to both ends, and are found whatever their order', () => {
  const ends = ['9223372036854775807', '-9223372036854775808', '0', '-1', '9007199254740993']
  const check = fc.property(fc.array(fc.constantFrom(...ends, '5', '6', '7'), { maxLength: 40 }), (ids) => {
    const list = largeResponses()
    for (const id of ids) list.rowIds.add(id)
    const found = [...ends, '5', '6', '7', '8'].filter((id) => list.rowIds.has(id))
    expect(new Set(found)).toEqual(new Set(ids))
    const twins = ids.filter((id, place) => ids.indexOf(id) !== place)
    expect([...list.rowIds.duplicates()]).toEqual([...new Set(twins)].sort(compareIntegerTexts))
  })
  fc.assert(check, { numRuns: 300 })
})
