import { expect, test } from 'vitest'
import { chunkRows } from '../../../src/load/statements.ts'

const sizes = (rows: readonly unknown[]) => [...chunkRows(rows)].map((piece) => piece.length)

test('small rows are cut at 5,000', () => {
  expect(sizes(Array.from({ length: 10_001 }, (_, id) => ({ id: String(id) })))).toEqual([5000, 5000, 1])
  expect(sizes([])).toEqual([])
})

test('long rows are cut at 4 MB, wherever their content stands', () => {
  const long = 'm'.repeat(60_000)
  for (const row of [{ message: long }, { response: { _extra: { notes: [long] } } }, { [long]: 1 }]) {
    const cut = sizes(Array.from({ length: 200 }, () => row))
    expect(cut).toEqual([66, 66, 66, 2])
  }
})

test('a row longer than a piece goes alone', () => {
  const [short, long] = [{ message: 'm' }, { message: 'm'.repeat(5_000_000) }]
  expect([...chunkRows([short, long, long, short])]).toEqual([[short], [long], [long], [short]])
})
