import { describe, expect, test } from 'vitest'
import type { HeldGroup } from '../../../src/common/schema/tables.ts'
import { decideResponses, holdWarnings } from '../../../src/sync/deletions/deletion-guard.ts'
import { holdEnd } from '../../../src/sync/deletions/hold-clocks.ts'

const HOUR = 3_600_000

/** So many hours on the first of the month. */
function at(hours: number): string {
  return new Date(Date.UTC(2026, 9, 1) + hours * HOUR).toISOString()
}

/** What becomes of a group of a list that lost 20 of 50 rows, decided when the clocks show these hours. */
function decide(group: HeldGroup, database: number, run: number) {
  return decideResponses(
    { absent: group.ids, live: 50, length: 30, unreadableId: false, incomplete: null, held: [group] },
    { now: at(database), runNow: at(run), holdForMs: HOUR, acceptDeletions: false },
    { removed: 0, breakerOpen: false, liveAtStart: 500 },
  )
}

const first: HeldGroup = {
  since: at(10),
  run_since: at(10),
  reason: 'many_missing',
  ids: Array.from({ length: 20 }, (_, place) => String(place)),
}

/** The group as it is held on. */
function heldOn(group: HeldGroup, database: number, run: number): HeldGroup {
  const { remove, held } = decide(group, database, run)
  expect(remove).toEqual([])
  return held[0] ?? first
}

describe('the time to hold', () => {
  test('S18 is over when two later runs have seen that it is', () => {
    const seen = heldOn(first, 11, 11)
    expect(seen).toEqual({ ...first, expired: true })
    expect(decide(seen, 11.25, 11.25)).toMatchObject({ remove: first.ids, held: [] })
  })

  test('S18 is not over before its end, however many runs there are', () => {
    const seen = heldOn(heldOn(heldOn(first, 10.3, 10.3), 10.6, 10.6), 10.9, 10.9)
    expect(seen).toEqual(first)
  })

  test.each([
    ['the database', 24 * 365, 0.25],
    ['the run', 0.25, 24 * 365],
  ])('S18 a clock of %s that jumps ahead does not end it', (_, database, run) => {
    const jumped = heldOn(first, 10 + database, 10 + run)
    expect(jumped).toEqual(first)
    expect(heldOn(jumped, 10.25 + database, 10.25 + run)).toEqual(first)
  })

  test('S18 a jump that was put right between two runs does not count', () => {
    const jumped = heldOn(first, 40, 40)
    const back = heldOn(jumped, 10.5, 10.5)
    expect(back).toEqual(first)
    expect(heldOn(back, 11, 11).expired).toBe(true)
  })

  test.each([
    ['the database', 4, 10.5, { since: at(4), run_since: at(10) }],
    ['the run', 10.5, 4, { since: at(10), run_since: at(4) }],
  ])('S18 O6 a clock of %s that is set back starts anew, and says so', (_, database, run, start) => {
    const decision = decide(first, database, run)
    expect(decision).toMatchObject({ remove: [], held: [{ ...first, ...start }], isSetBack: true })
    expect(holdWarnings('Event gala', decision).join()).toMatch(/a clock was set back/)
    const single = { ...decision, held: [{ ...first, ids: first.ids.slice(0, 1) }] }
    expect(holdWarnings('Event gala', single).join()).toContain('1 deletion is held (')
    const later = heldOn(decision.held[0] ?? first, database + 1, run + 1)
    expect(decide(later, database + 1.25, run + 1.25).remove).toEqual(first.ids)
  })

  test('S18 of a group stored without the clock of the run, that one starts now', () => {
    const { run_since: _, ...stored } = first
    const known = heldOn(stored, 20, 20)
    expect(known).toEqual({ ...first, run_since: at(20) })
    expect(heldOn(known, 20.9, 20.9).expired).toBeUndefined()
    expect(heldOn(known, 21, 21).expired).toBe(true)
  })
})

describe('when a hold ends, as status tells it', () => {
  const end = (group: HeldGroup, database: number, run: number) =>
    holdEnd(group, { now: at(database), runNow: at(run) }, HOUR)

  test.each<[string, HeldGroup, number, number, { after: string; runs: number }]>([
    ['at first', first, 10.5, 10.5, { after: at(11), runs: 2 }],
    ['its time has passed, and no run saw it', first, 12, 12, { after: at(11), runs: 2 }],
    ['one run saw it', { ...first, expired: true }, 12, 12, { after: at(11), runs: 1 }],
    [
      'one run saw it, by a clock that has been put right',
      { ...first, expired: true },
      10.5,
      10.5,
      { after: at(11), runs: 2 },
    ],
    [
      'the later of the two clocks counts',
      { ...first, run_since: at(10.5) },
      12,
      12,
      { after: at(11.5), runs: 2 },
    ],
    ['a clock was set back', first, 4, 10.5, { after: at(11), runs: 2 }],
  ])('%s', (_, group, database, run, expected) => {
    expect(end(group, database, run)).toEqual(expected)
  })

  test('without the clock of the run, it starts with the next run', () => {
    const { run_since: _, ...stored } = first
    expect(end(stored, 20, 20)).toEqual({ after: at(21), runs: 2 })
  })
})
