import { createHash } from 'node:crypto'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { noKeyRemover } from '../../../src/common/json/key-in-items.ts'
import type { IntegerText, Observation, RejectItem, ResponseItem } from '../../../src/common/schema/tables.ts'
import { SortedIds } from '../../../src/normalise/list/id-set.ts'
import { ListNormaliser } from '../../../src/normalise/list/list-normaliser.ts'
import type { ListChunk, ResponseReader } from '../../../src/normalise/list/response-reader.ts'
import type { ResponseBatch } from '../../../src/copy-format/response-batch.ts'
import type { Body } from '../../../src/source/body/receive.ts'
import { readList } from '../../../src/source/list/read-list.ts'
import { anyItem, responseEntries, objectText } from '../../support/accounts/item-texts.ts'
import { type NormalisedList, responsesIn, rowKey } from '../../support/accounts/normalising.ts'
import { examples } from '../../support/seed.ts'

/** Order of integers that are written without leading zeros. */
function compareIntegerTexts(a: IntegerText, b: IntegerText): number {
  const isNegative = a.startsWith('-')
  if (isNegative !== b.startsWith('-')) return isNegative ? -1 : 1
  const bySize = a.length - b.length || Number(a > b) - Number(a < b)
  return isNegative ? -bySize : bySize
}

/** A body in memory, as if it had been received. */
function bodyOf(text: string): Body {
  const all = Buffer.from(text)
  return {
    size: all.length,
    buffer: null,
    digest: createHash('sha256').update(all).digest(),
    isUtf8: true,
    read: async (bytes, place) => void all.copy(bytes, 0, place),
  }
}

interface InBlocks extends NormalisedList<ResponseItem> {
  readonly count: number
  readonly rejected: number
  readonly ids: readonly (readonly string[])[]
}

const itemsOf = (batch: ResponseBatch) => Array.from({ length: batch.count }, (_, place) => batch.item(place))

/** The list as it is read when it is too large for memory, and all its chunks put together. */
async function inBlocks(text: string, blockBytes: number): Promise<InBlocks> {
  const list = new ListNormaliser({ key: rowKey, what: 'GET /x', keyRemover: noKeyRemover })
  async function* read(reader: ResponseReader): AsyncGenerator<ListChunk, void> {
    for await (const _ of readList([bodyOf(text)], blockBytes, 'GET /x', reader)) yield reader.take()
  }
  /** What the first reading gives, up to where it gives nothing any more. */
  const sure: ResponseItem[] = []
  for await (const chunk of read(list.firstReader())) {
    list.add(chunk)
    if (list.isMonotonic) sure.push(...itemsOf(list.batch(chunk)))
  }
  if (list.hasDuplicates) for await (const chunk of read(list.nextReader())) list.resolve(chunk)
  const summary = list.summarise()
  const rows: ResponseItem[] = []
  const rejects: RejectItem[] = []
  for await (const chunk of read(list.nextReader())) {
    const taken = itemsOf(list.batch(chunk))
    expect(taken).toEqual(taken.toSorted((a, b) => compareIntegerTexts(a.id, b.id)))
    rows.push(...taken)
    rejects.push(...chunk.rejects)
  }
  if (list.isMonotonic) expect(sure).toEqual(rows)
  const ids = [list.rowIds, list.rejectIds].map((these) => [...new Set(Array.from(these, String))])
  const sorted = rows.sort((a, b) => compareIntegerTexts(a.id, b.id))
  return { ...summary, rows: sorted, rejects, count: list.count, rejected: list.rejected, ids }
}

function expected(whole: NormalisedList<ResponseItem>): InBlocks {
  const { rows, rejects } = whole
  const idsOf = (items: readonly { readonly id: string | null }[]) =>
    [...new Set(items.flatMap(({ id }) => id ?? []))].sort(compareIntegerTexts)
  return { ...whole, count: rows.length, rejected: rejects.length, ids: [idsOf(rows), idsOf(rejects)] }
}

const tell = ({ observations, ...list }: InBlocks) => ({ ...list, observations: sortedTexts(observations) })

function sortedTexts(observations: readonly Observation[]): readonly string[] {
  return observations.map((one) => JSON.stringify(one)).toSorted()
}

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

test('P11 a list read in blocks is what it is when it is read whole', async () => {
  const check = fc.asyncProperty(items, fc.integer({ min: 1, max: 200 }), async (texts, blockBytes) => {
    const text = `[${texts.join(',')}]`.toWellFormed()
    const whole = expected(responsesIn(text))
    expect(tell(await inBlocks(text, blockBytes))).toEqual(tell(whole))
  })
  await fc.assert(check, { numRuns: examples(150) })
})

test('ids of eight bytes go up to both ends, and are found whatever their order', () => {
  const ends = ['9223372036854775807', '-9223372036854775808', '0', '-1', '9007199254740993']
  const check = fc.property(fc.array(fc.constantFrom(...ends, '5', '6', '7'), { maxLength: 40 }), (ids) => {
    const set = new SortedIds()
    for (const id of ids) set.add(BigInt(id))
    const found = [...ends, '5', '6', '7', '8'].filter((id) => set.has(BigInt(id)))
    expect(new Set(found)).toEqual(new Set(ids))
    const twins = ids.filter((id, place) => ids.indexOf(id) !== place)
    expect(Array.from(set.duplicates(), String)).toEqual([...new Set(twins)].sort(compareIntegerTexts))
  })
  fc.assert(check, { numRuns: examples(100) })
})
