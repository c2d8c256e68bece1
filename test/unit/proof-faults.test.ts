import { join } from 'node:path'
import { expect, test } from 'vitest'
import { faults } from '../proof/faults.ts'
import { namedTests } from '../proof/named-tests.ts'

const named = await namedTests(join(import.meta.dirname, '../..'))
const counts = { N: 12, H: 24, P: 19, S: 15, D: 17, O: 10, X: 7 }

test('the list has every fault once, in order', () => {
  const all = Object.entries(counts).flatMap(([letter, count]) =>
    Array.from({ length: count }, (_, place) => `${letter}${place + 1}`),
  )
  expect(faults.map(({ id }) => id)).toEqual(all)
})

test('every fault has a test that bears its id, or the list says why it has none; never both', () => {
  const tested = new Set(named.flatMap(({ ids }) => ids))
  const wrong = faults.filter(({ id, missing }) => tested.has(id) !== (missing === undefined))
  expect(wrong.map(({ id }) => id)).toEqual([])
})

test('every id in the name of a test is one of the list', () => {
  const known = new Set(faults.map(({ id }) => id))
  const unknown = named.filter(({ ids }) => ids.some((id) => !known.has(id)))
  expect(unknown).toEqual([])
})
