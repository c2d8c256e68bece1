import { describe, expect, test } from 'vitest'
import { eventsOf, nested, responsesIn, responsesOf } from '../../support/accounts/normalising.ts'

describe('P11 the same id twice in one list is one row', () => {
  test('equal: without a warning', () => {
    const list = responsesOf(
      { id: 1, name: 'Anna', x: { a: '\0' } },
      { x: { a: '\uFFFD' }, name: 'Anna', id: '1', email: null },
    )
    expect(list.rows).toHaveLength(1)
    expect(list.warnings.filter((line) => line.includes('more than once'))).toEqual([])
  })

  test('different: the later item, with a warning', () => {
    const list = responsesOf({ id: 1, name: 'Anna' }, { id: 2 }, { id: 1, name: 'Berta' })
    expect(list.rows).toMatchObject([{ id: '1', name: 'Berta' }, { id: '2' }])
    expect(list.warnings).toEqual([expect.stringMatching(/more than once.*: 1 \(the first is "1"\)$/)])
  })

  test('the later `updated_at` before the later item, as an instant and to the microsecond', () => {
    const winner = (...stamps: (string | null)[]) =>
      responsesOf(...stamps.map((updated_at, place) => ({ id: 1, name: `${place}`, updated_at }))).rows.map(
        ({ name }) => name,
      )
    expect(winner('2024-03-02T00:00:00Z', '2024-03-01T00:00:00Z')).toEqual(['0'])
    expect(winner('2024-03-01T00:00:00Z', '2024-03-02T00:00:00Z')).toEqual(['1'])
    expect(winner('2024-03-01T12:00:00+05:00', '2024-03-01T11:00:00+03:00')).toEqual(['1'])
    expect(winner('2024-03-01T08:00:00+01:00', '2024-03-01T09:00:00+03:00')).toEqual(['0'])
    expect(winner('2024-03-01T00:00:00.000002Z', '2024-03-01T00:00:00.000001Z')).toEqual(['0'])
    expect(winner('2024-03-01T00:00:00Z', '2024-03-01T01:00:00+01:00')).toEqual(['1'])
    expect(winner('2024-03-01T00:00:00Z', null)).toEqual(['0'])
    expect(winner('2024-03-01T00:00:00Z', 'yesterday')).toEqual(['0'])
    expect(winner('2024-03-05T00:00:00Z', null, '2024-03-03T00:00:00Z')).toEqual(['0'])
    expect(winner(null, null, null)).toEqual(['2'])
  })

  test('events have no `updated_at`: the later item', () => {
    const list = eventsOf(
      { id: 'a', title: 'Gala' },
      { id: 'a', title: 'Ball', updated_at: '2000-01-01T00:00:00Z' },
    )
    expect(list.rows).toMatchObject([{ id: 'a', title: 'Ball' }])
  })

  test('what was set aside counts for the row that is stored', () => {
    expect(responsesOf({ id: 1, name: 5 }, { id: 1, name: 'Anna' }).setAside).toBe(0)
    expect(responsesOf({ id: 1, name: 'Anna' }, { id: 1, name: 5 }).setAside).toBe(1)
    expect(responsesOf({ id: 1, name: 5 }, { id: 1, name: 5 }).setAside).toBe(1)
  })

  test('an item and a reject with its id are both there', () => {
    const list = responsesIn(`[{"id":1},{"id":1,"a":${nested(64)}}]`)
    expect(list).toMatchObject({ rows: [{ id: '1' }], rejects: [{ id: '1' }] })
  })
})
