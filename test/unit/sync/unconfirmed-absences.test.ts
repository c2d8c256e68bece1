import { describe, expect, test } from 'vitest'
import {
  chooseRereads,
  confirmAbsences,
  isWorthRereading,
  rereadBudget,
} from '../../../src/sync/deletions/unconfirmed-absences.ts'

const paged = { pages: 2, digestMatch: 'other' } as const
const nothingKnown = { unconfirmed_absences: [], held_deletions: [] }
const since = '2026-11-22T00:00:00Z'

describe('P20 what a list lacks that came in several pages', () => {
  test('is unconfirmed at first, also of a list that was never read', () => {
    const unconfirmed = { confirmed: [], unconfirmed: ['1', '2'] }
    expect(confirmAbsences(['1', '2'], paged, nothingKnown)).toEqual(unconfirmed)
    expect(confirmAbsences(['1', '2'], paged, undefined)).toEqual(unconfirmed)
  })

  test('is confirmed by a second reading that lacks it too; what only this one lacks waits for another', () => {
    expect(
      confirmAbsences(['1', '2'], paged, { unconfirmed_absences: ['2', '3'], held_deletions: [] }),
    ).toEqual({
      confirmed: ['2'],
      unconfirmed: ['1'],
    })
  })

  test('is confirmed when it is held: an earlier reading lacked it', () => {
    const held = [{ since, reason: 'many_missing', ids: ['2'] }] as const
    expect(confirmAbsences(['1', '2'], paged, { unconfirmed_absences: [], held_deletions: held })).toEqual({
      confirmed: ['2'],
      unconfirmed: ['1'],
    })
  })

  test.each(['same', 'renormalised'] as const)(
    'is confirmed by an equal list (%s), which lacked it before',
    (digestMatch) => {
      const all = { confirmed: ['1'], unconfirmed: [] }
      expect(confirmAbsences(['1'], { pages: 2, digestMatch }, nothingKnown)).toEqual(all)
    },
  )
})

test('P20 what a list of one page lacks is absent at once: it is of one moment', () => {
  const all = { confirmed: ['1'], unconfirmed: [] }
  expect(confirmAbsences(['1'], { pages: 1, digestMatch: 'other' }, nothingKnown)).toEqual(all)
})

describe('P20 second readings in the same run', () => {
  test('are of lists with one to ten unconfirmed absences', () => {
    expect([0, 1, 10, 11].map(isWorthRereading)).toEqual([false, true, true, false])
  })

  test('take three requests, or a twentieth of those of the run', () => {
    expect([1, 60, 79, 80, 1000].map(rereadBudget)).toEqual([3, 3, 3, 4, 50])
  })

  test('begin with the short lists, and pass over those that do not fit', () => {
    const list = (event_id: string, pages: number, absences = 1) => ({ event_id, pages, absences })
    const lists = [list('d', 2), list('c', 5), list('b', 2), list('a', 3), list('e', 2, 11)]
    const chosen = (budget: number) => chooseRereads(lists, budget).map(({ event_id }) => event_id)
    expect(chosen(3)).toEqual(['b'])
    expect(chosen(9)).toEqual(['b', 'd', 'a'])
    expect(chosen(12)).toEqual(['b', 'd', 'a', 'c'])
  })
})
