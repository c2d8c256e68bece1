import { assert, constantFrom, integer, record, subarray, array, boolean, property } from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { HeldGroup, HoldReason } from '../../../src/common/schema/tables.ts'
import {
  decideEvents,
  decideResponses,
  heldIds,
  mergeEvidence,
} from '../../../src/sync/deletions/deletion-guard.ts'
import { DeletionBudget } from '../../../src/sync/deletions/budget.ts'
import type { HoldPolicy, ListLoss, RemainingBudget } from '../../../src/sync/deletions/deletion-guard.ts'

const now = '2026-10-18T12:00:00.000000Z'
const hourAgo = '2026-10-18T11:00:00.000000Z'
const almostHourAgo = '2026-10-18T11:00:00.001000Z'
const policy: HoldPolicy = { now, runNow: now, holdForMs: 3_600_000, acceptDeletions: false }
const accepting: HoldPolicy = { ...policy, acceptDeletions: true }
/** Of a decision without anything out of the ordinary. */
const settled = { unconfirmedCount: 0, tripsBreaker: false, isSetBack: false }
const plenty: RemainingBudget = { removed: 0, breakerOpen: false, liveAtStart: 1_000_000 }

function ids(from: number, count: number): string[] {
  return Array.from({ length: count }, (_, place) => String(from + place))
}

/** A list of `live` rows that lost so many of them and has `length` items. */
function losing(lost: number, live: number, more: Partial<ListLoss> = {}): ListLoss {
  return {
    absent: ids(1, lost),
    live,
    length: live - lost,
    unreadableId: false,
    incomplete: null,
    held: [],
    ...more,
  }
}

/** Held since then by both clocks; a run has seen that the time to hold has passed, if it has. */
function held(reason: HoldReason, since: string, groupIds: readonly string[]): HeldGroup {
  const isOld = Date.parse(now) - Date.parse(since) >= policy.holdForMs
  return { since, run_since: since, reason, ids: groupIds, ...(isOld && { expired: true }) }
}

/** The reason of what is held, or `removed`, of a list of responses that lost rows. */
function verdict(change: ListLoss, budget: RemainingBudget = plenty): string {
  const decision = decideResponses(change, policy, budget)
  if (decision.remove.length > 0)
    expect(decision).toEqual({
      remove: change.absent,
      held: [],
      unconfirmedCount: change.absent.length,
      tripsBreaker: false,
      isSetBack: false,
    })
  return decision.held[0]?.reason ?? (decision.remove.length > 0 ? 'removed' : 'nothing')
}

describe('a list of responses that lost rows', () => {
  test.each<[string, number, number, string]>([
    ['nothing lost', 0, 20, 'nothing'],
    ['one of many', 1, 100, 'removed'],
    ['1 row, now empty', 1, 1, 'removed'],
    ['2 rows, now empty', 2, 2, 'list_empty'],
    ['1,000 rows, now empty', 1000, 1000, 'list_empty'],
    ['10 of 11 rows: ten are few, whatever their share', 10, 11, 'removed'],
    ['11 of 12 rows', 11, 12, 'many_missing'],
    ['11 of 110 rows: exactly 10 %', 11, 110, 'removed'],
    ['11 of 109 rows: just above 10 %', 11, 109, 'many_missing'],
    ['100 of 1,001 rows: many, but below 10 %', 100, 1001, 'removed'],
    ['half', 40, 80, 'many_missing'],
  ])('%s', (_, lost, live, expected) => {
    expect(verdict(losing(lost, live))).toBe(expected)
  })

  test.each([50, 100, 200, 250, 500, 1000])('is now exactly %i long: a page?', (length) => {
    expect(verdict(losing(1, length + 1))).toBe('page_length')
    expect(verdict(losing(1, length + 2))).toBe('removed')
    expect(verdict(losing(1, length))).toBe('removed')
    expect(verdict(losing(0, length))).toBe('nothing')
  })

  test.each<[string, Partial<ListLoss>, string]>([
    ['has a reject whose id cannot be read', { unreadableId: true }, 'unreadable_id'],
    ['shows signs of paging', { incomplete: 'paging' }, 'paging'],
    ['has no end mark', { incomplete: 'no_end_mark' }, 'no_end_mark'],
    ['shows signs of paging and is empty', { incomplete: 'paging', length: 0 }, 'paging'],
  ])('%s', (_, more, expected) => {
    expect(verdict(losing(1, 30, more))).toBe(expected)
    expect(verdict(losing(0, 30, more))).toBe('nothing')
  })
})

describe('a list that was read twice', () => {
  const fine = { length: 55, unreadableId: false, incomplete: null }

  test.each<[string, Partial<ListLoss>]>([
    ['empty', { length: 0 }],
    ['a page long', { length: 50 }],
    ['with an unreadable id', { unreadableId: true }],
    ['with signs of paging', { incomplete: 'paging' }],
    ['without an end mark', { incomplete: 'no_end_mark' }],
  ])('%s once counts as such, whichever it was', (_, sign) => {
    expect(mergeEvidence({ ...fine, ...sign }, fine)).toEqual({ ...fine, ...sign })
    expect(mergeEvidence(fine, { ...fine, ...sign })).toEqual({ ...fine, ...sign })
  })
})

describe('the brake over a run', () => {
  test.each<[string, number, number, number, string]>([
    ['10 removals are always allowed', 9, 50, 1, 'removed'],
    ['S16 the list that would pass 10 is held whole', 9, 50, 2, 'run_total'],
    ['10 % of a large account are allowed', 299, 3000, 1, 'removed'],
    ['the list that would pass 10 % is held whole', 299, 3000, 2, 'run_total'],
  ])('%s', (_, removed, liveAtStart, lost, expected) => {
    expect(verdict(losing(lost, 30), { removed, breakerOpen: false, liveAtStart })).toBe(expected)
  })

  test('every further list that lost rows is held too, however few they are', () => {
    const removals = new DeletionBudget()
    const reasons = [85, 10, 3, 0].map((lost) => {
      const decision = decideResponses(losing(lost, 1000), policy, { ...removals.totals, liveAtStart: 900 })
      removals.add(decision)
      return decision.held[0]?.reason ?? `${decision.remove.length} removed`
    })
    expect(reasons).toEqual(['85 removed', 'run_total', 'run_total', '0 removed'])
  })

  test('a decision that was rolled back frees what it took', () => {
    const removals = new DeletionBudget()
    const decide = (lost: number) =>
      decideResponses(losing(lost, 1000), policy, { ...removals.totals, liveAtStart: 900 })
    const [many, more] = [decide(85), decide(85)]
    removals.add(many)
    removals.add(more)
    const braking = decide(85)
    removals.add(braking)
    expect(removals.totals).toEqual({ removed: 170, breakerOpen: true })
    for (const decision of [more, braking]) removals.release(decision)
    expect(removals.totals).toEqual({ removed: 85, breakerOpen: false })
  })

  test('S16 what it held is not let go by the next run, which has a sum of its own', () => {
    const group = held('run_total', almostHourAgo, ids(1, 3))
    const decision = decideResponses(losing(3, 30, { held: [group] }), policy, plenty)
    expect(decision).toMatchObject({ remove: [], held: [group], unconfirmedCount: 0, tripsBreaker: false })
    const back = decideResponses(losing(0, 30, { absent: ids(9, 1), held: [group] }), policy, plenty)
    expect(back).toMatchObject({ remove: ids(9, 1), unconfirmedCount: 1 })
  })

  test('what time or the user confirmed does not count', () => {
    const change = losing(2, 2, { held: [held('list_empty', hourAgo, ids(1, 2))] })
    expect(decideResponses(change, policy, plenty)).toEqual({
      remove: ids(1, 2),
      held: [],
      ...settled,
    })
  })
})

describe('the event list', () => {
  const events = (
    absent: readonly number[],
    live: number,
    liveAtStart: number,
    more: Partial<ListLoss> = {},
  ) => {
    const change = {
      ...losing(absent.length, live, more),
      absent: absent.map((responses, place) => ({ id: `e${place}`, responses })),
    }
    const decision = decideEvents(change, policy, { removed: 0, breakerOpen: false, liveAtStart })
    return decision.held[0]?.reason ?? `removed ${decision.unconfirmedCount}`
  }

  test.each<[string, number[], number, number, string]>([
    ['one event of 9 responses counts as 10 rows: few', [9], 5, 12, 'removed 10'],
    ['one event of 10 responses counts as 11: more than 10 %', [10], 5, 109, 'many_missing'],
    ['the same, exactly 10 % of the account', [10], 5, 110, 'removed 11'],
    ['10 events without responses', Array<number>(10).fill(0), 12, 12, 'removed 10'],
    ['11 events, exactly 10 % of the events', Array<number>(11).fill(0), 110, 100_000, 'removed 11'],
    [
      '11 events, above 10 % of the events, few rows',
      Array<number>(11).fill(0),
      109,
      100_000,
      'many_missing',
    ],
    ['an event that alone passes the brake', [150], 5, 1400, 'many_missing'],
    ['an event of 101 rows below 10 %', [100], 5, 1400, 'removed 101'],
    ['an event that passes 100 rows and 10 % of the rows is many', [100], 50, 900, 'many_missing'],
  ])('%s', (_, absent, live, liveAtStart, expected) => {
    expect(events(absent, live, liveAtStart, { length: 7 })).toBe(expected)
  })

  test('one event, now none: applied; two, now none: held', () => {
    expect(events([3], 1, 4)).toBe('removed 4')
    expect(events([3, 3], 2, 8)).toBe('list_empty')
  })

  test('an empty list is never confirmed by time, only by the user', () => {
    const absent = [1, 2].map((place) => ({ id: `e${place}`, responses: 1 }))
    const change = {
      ...losing(2, 2),
      absent,
      held: [held('list_empty', '2020-01-01T00:00:00Z', ['e1', 'e2'])],
    }
    const budget = { removed: 0, breakerOpen: false, liveAtStart: 4 }
    expect(decideEvents(change, policy, budget)).toMatchObject({ remove: [], held: change.held })
    expect(decideEvents(change, accepting, budget)).toEqual({
      remove: ['e1', 'e2'],
      held: [],
      ...settled,
    })
  })

  test('one event that is a large part of the account, now none: held, and never confirmed by time', () => {
    const absent = [{ id: 'e1', responses: 50 }]
    const group = held('many_missing', '2020-01-01T00:00:00Z', ['e1'])
    const change = { ...losing(1, 1), absent, held: [group] }
    expect(decideEvents(change, policy, { removed: 0, breakerOpen: false, liveAtStart: 51 }).held).toEqual([
      group,
    ])
  })

  test('events held for another reason are not confirmed by time while the list is empty', () => {
    const absent = [1, 2].map((place) => ({ id: `e${place}`, responses: 1 }))
    const group = held('many_missing', '2020-01-01T00:00:00Z', ['e1'])
    const decision = decideEvents({ ...losing(2, 2), absent, held: [group] }, policy, plenty)
    expect(decision).toMatchObject({
      remove: [],
      held: [group, held('list_empty', now, ['e2'])],
    })
  })
})

describe('a hold', () => {
  const group = (since: string) => held('many_missing', since, ids(1, 20))

  test.each<[string, string, number]>([
    ['younger than the time to hold: held on', almostHourAgo, 0],
    ['as old as the time to hold: applied', hourAgo, 20],
  ])('%s', (_, since, removed) => {
    const decision = decideResponses(losing(20, 50, { held: [group(since)] }), policy, plenty)
    expect(decision.remove).toHaveLength(removed)
    expect(heldIds(decision.held)).toHaveLength(20 - removed)
  })

  test('ids newly absent start their own clock: the old ones are applied, the new ones held', () => {
    const change = losing(25, 50, { held: [group(hourAgo)] })
    expect(decideResponses(change, policy, plenty)).toEqual({
      remove: ids(1, 20),
      held: [held('many_missing', now, ids(21, 5))],
      ...settled,
    })
  })

  test('ids that come back leave the hold, and the rest keeps its clock', () => {
    const change = losing(0, 50, { absent: ids(3, 18), held: [group(almostHourAgo)] })
    expect(decideResponses(change, policy, plenty).held).toEqual([
      { ...group(almostHourAgo), ids: ids(3, 18) },
    ])
  })

  test('a list that is whole again forgets it', () => {
    expect(decideResponses(losing(0, 50, { held: [group(hourAgo)] }), policy, plenty)).toEqual({
      remove: [],
      held: [],
      ...settled,
    })
  })

  test.each<[string, Partial<ListLoss>]>([
    ['under signs of paging', { incomplete: 'paging' }],
    ['without an end mark', { incomplete: 'no_end_mark' }],
    ['beside an item whose id cannot be read', { unreadableId: true }],
  ])('%s, time confirms nothing, the user does', (_, sign) => {
    const change = losing(20, 50, { ...sign, held: [group('2020-01-01T00:00:00Z')] })
    expect(decideResponses(change, policy, plenty)).toMatchObject({
      remove: [],
      held: [group('2020-01-01T00:00:00Z')],
    })
    expect(decideResponses(change, accepting, plenty).remove).toEqual(ids(1, 20))
  })

  test('a clock that ran under signs of paging starts anew with the first list that shows none', () => {
    const change = losing(20, 50, { held: [held('paging', '2020-01-01T00:00:00Z', ids(1, 20))] })
    expect(decideResponses(change, policy, plenty)).toMatchObject({ remove: [], held: [group(now)] })
  })

  test('events that went while the list was empty start their clock when it no longer is', () => {
    const absent = ids(1, 20).map((id) => ({ id, responses: 1 }))
    const before = held('list_empty', '2020-01-01T00:00:00Z', ids(1, 20))
    const change = { ...losing(20, 21), absent, held: [before] }
    const decision = decideEvents(change, policy, { ...plenty, liveAtStart: 42 })
    expect(decision).toMatchObject({ remove: [], held: [group(now)] })
  })

  test('--accept-deletions applies the holds on record, not those first seen now', () => {
    const change = losing(25, 50, { held: [group(now)] })
    expect(decideResponses(change, accepting, plenty)).toEqual({
      remove: ids(1, 20),
      held: [held('many_missing', now, ids(21, 5))],
      ...settled,
    })
  })
})

describe('a list that came back empty with most others', () => {
  const emptied = (more: Partial<ListLoss> = {}) => losing(3, 3, { accountEmpty: true, ...more })

  test('S16 is held, also when it had one response or is small', () => {
    expect(verdict(emptied())).toBe('account_empty')
    expect(verdict(losing(1, 1, { accountEmpty: true }))).toBe('account_empty')
  })

  test('S16 what was held of it before is now held for that reason, and time never confirms it', () => {
    const before = held('list_empty', '2020-01-01T00:00:00Z', ids(1, 2))
    const { remove, held: now_held } = decideResponses(emptied({ held: [before] }), policy, plenty)
    expect(remove).toEqual([])
    expect(now_held).toEqual([{ ...before, reason: 'account_empty' }, held('account_empty', now, ids(3, 1))])
    expect(decideResponses(emptied({ held: [before] }), accepting, plenty).remove).toEqual(ids(1, 2))
  })

  test('S16 its clock starts with the first run in which others have responses again', () => {
    const before = held('account_empty', '2020-01-01T00:00:00Z', ids(1, 3))
    const decision = decideResponses(losing(3, 3, { held: [before] }), policy, plenty)
    expect(decision).toMatchObject({ remove: [], held: [held('list_empty', now, ids(1, 3))] })
  })
})

describe('for any list, any holds on record and any policy', () => {
  const pool = ids(1, 60)
  const changes = record({
    absent: subarray(pool),
    length: integer({ min: 0, max: 300 }),
    unreadableId: boolean(),
    incomplete: constantFrom(null, null, 'paging' as const, 'no_end_mark' as const),
    held: array(
      record({
        since: constantFrom('2020-01-01T00:00:00Z', hourAgo, almostHourAgo, now),
        reason: constantFrom<HoldReason>('list_empty', 'many_missing', 'paging', 'run_total'),
        ids: subarray(pool),
      }),
      { maxLength: 3 },
    ).map(disjoint),
  }).chain((change) =>
    integer({ min: change.absent.length, max: 400 }).map((live): ListLoss => ({ ...change, live })),
  )
  const policies = boolean().map((acceptDeletions): HoldPolicy => ({ ...policy, acceptDeletions }))
  const budgets = record({
    removed: integer({ min: 0, max: 200 }),
    breakerOpen: boolean(),
    liveAtStart: integer({ min: 0, max: 3000 }),
  })

  test('each absent id is removed or held, never both, and nothing else is', () => {
    assert(
      property(changes, policies, budgets, (change, policy, budget) => {
        const { remove, held } = decideResponses(change, policy, budget)
        expect([...remove, ...heldIds(held)].toSorted()).toEqual(change.absent.toSorted())
      }),
    )
  })

  test('accepting never removes what was first seen now, when anything is held at all', () => {
    assert(
      property(changes, budgets, (change, budget) => {
        const before = decideResponses(change, policy, budget)
        const accepted = decideResponses(change, accepting, budget)
        const onRecord = new Set(heldIds(change.held))
        if (before.held.length > 0) expect(accepted.remove.every((id) => onRecord.has(id))).toBe(true)
        else expect(accepted.remove).toEqual(before.remove)
      }),
    )
  })

  test('an incomplete list removes nothing by itself', () => {
    assert(
      property(changes, budgets, (change, budget) => {
        const { remove } = decideResponses({ ...change, incomplete: 'paging' }, policy, budget)
        expect(remove).toEqual([])
      }),
    )
  })

  test('a hold keeps the moment of its first sight, or starts anew now', () => {
    assert(
      property(changes, policies, budgets, (change, policy, budget) => {
        const sinceOf = new Map(change.held.flatMap(({ ids, since }) => ids.map((id) => [id, since])))
        for (const { since, ids } of decideResponses(change, policy, budget).held) {
          for (const id of ids) expect([sinceOf.get(id) ?? now, now]).toContain(since)
        }
      }),
    )
  })
})

/** An id stands in one group only. */
function disjoint(groups: readonly HeldGroup[]): HeldGroup[] {
  const seen = new Set<string>()
  return groups.map((group) => ({
    ...group,
    ids: group.ids.filter((id) => !seen.has(id) && seen.add(id)),
  }))
}
