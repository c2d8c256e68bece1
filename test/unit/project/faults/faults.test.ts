import { join } from 'node:path'
import { expect, test } from 'vitest'
import { faults } from '../../../faults/faults.ts'
import { namedTests } from '../../../faults/named-tests.ts'

const named = await namedTests(join(import.meta.dirname, '../../../..'))

test('the list has every fault once, each letter in the order of its numbers', () => {
  const ids = faults.map(({ id }) => id)
  const letters = [...new Set(ids.map(([letter]) => letter))]
  const numbersOf = (letter: string | undefined) =>
    ids.filter((id) => id[0] === letter).map((id) => Number(id.slice(1)))
  const inOrder = letters.flatMap((letter) =>
    [...new Set(numbersOf(letter))].toSorted((a, b) => a - b).map((number) => `${letter}${number}`),
  )
  expect(ids).toEqual(inOrder)
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
