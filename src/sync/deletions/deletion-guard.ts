/**
 * The deletion guard. A service that breaks often looks like one that has become empty; what looks like an outage is
 * held back until it is confirmed. Pure: state and clock come in.
 */
import { timeConfirmsEvents, timeConfirmsResponses } from '../../common/schema/holds.ts'
import type { HeldGroup, HoldReason } from '../../common/schema/tables.ts'
import type { AbsentEvent } from '../../load/diff/live-counts.ts'
import type { FetchedListFacts } from '../fetch/list-facts.ts'
import { readTime, startGroup, type Clocks } from './hold-clocks.ts'

/** Shares and numbers beyond which a loss looks like an outage. Both must be passed. */
const FEW_ROWS = 10
const SMALL_SHARE = 0.1
/** Lengths at which services like to end a page. */
const PAGE_LENGTHS: ReadonlySet<number> = new Set([50, 100, 200, 250, 500, 1000])

/** What a list itself shows for or against deletions. */
export type ListEvidence = Pick<FetchedListFacts, 'length' | 'unreadableId' | 'incomplete'>

/** A complete list beside what the mirror holds of it. */
export interface ListLoss extends ListEvidence {
  /** Live ids that the list no longer has, but for those of rejects whose id can be read. */
  readonly absent: readonly string[]
  /** Live rows before this run. */
  readonly live: number
  /** What was held of this list before. */
  readonly held: readonly HeldGroup[]
  /** The list is empty, and so are most that had responses (emptied-lists.ts). */
  readonly accountEmpty?: boolean
}

export interface Decision {
  readonly remove: readonly string[]
  readonly held: readonly HeldGroup[]
  /** Rows removed that nobody confirmed: they count against the run's budget. */
  readonly unconfirmedCount: number
  /** The run has removed enough: every further loss is held, however small. */
  readonly tripsBreaker: boolean
  /** A clock was set back: what is held starts its time anew. */
  readonly isSetBack: boolean
}

/** Of a list that lost nothing. */
export const NO_LOSS: Decision = {
  remove: [],
  held: [],
  unconfirmedCount: 0,
  tripsBreaker: false,
  isSetBack: false,
}

/** How holds end, besides by the rows coming back. */
export interface HoldPolicy extends Clocks {
  readonly holdForMs: number
  readonly acceptDeletions: boolean
}

/** What a run has removed so far. */
export interface DeletionTotals {
  /** Rows that nobody had confirmed. */
  readonly removed: number
  /** A list of this run was held because the budget was spent: so is every further one. */
  readonly breakerOpen: boolean
}

/** What a run has removed so far, and what it may. */
export interface RemainingBudget extends DeletionTotals {
  /** Live rows of the account (events and responses) when the run began. */
  readonly liveAtStart: number
}

/** Decides one list of responses. */
export function decideResponses(change: ListLoss, policy: HoldPolicy, budget: RemainingBudget): Decision {
  const rows = change.absent.length
  const reason = suspicionReason(change, !isLarge(rows, change.live))
  return decide(change, rows, policy, budget, reason, timeConfirmsResponses)
}

/** Decides the event list; an absent one counts as 1 and its responses. An empty list is never confirmed by time. */
export function decideEvents(
  change: Omit<ListLoss, 'absent'> & { readonly absent: readonly AbsentEvent[] },
  policy: HoldPolicy,
  budget: RemainingBudget,
): Decision {
  const rows = change.absent.reduce(
    (sum, { responses }) => /* guard: weight of an event */ sum + 1 + responses,
    0,
  )
  const few = !isLarge(rows, budget.liveAtStart) && !isLarge(change.absent.length, change.live)
  const list = { ...change, absent: change.absent.map(({ id }) => id) }
  return decide(list, rows, policy, budget, suspicionReason(list, few), timeConfirmsEvents)
}

/** A list that was read twice: evidence against deletions counts although the other reading does not show it. */
export function mergeEvidence(one: ListEvidence, other: ListEvidence): ListEvidence {
  const lengths = [one.length, other.length]
  return {
    length: lengths.find((length) => length === 0) ?? lengths.find(isPageLong) ?? one.length,
    unreadableId: one.unreadableId || other.unreadableId,
    incomplete: one.incomplete ?? other.incomplete,
  }
}

/** What the user should know of deletions on hold; an account that looks empty is reported once, not for each list. */
export function holdWarnings(list: string, { held, isSetBack }: Decision): string[] {
  const count = heldIds(held).length
  if (held.every(({ reason }) => reason === 'account_empty')) return []
  const clocks = isSetBack ? '; a clock was set back, so that their time to be held begins anew' : ''
  return [
    `${list}: ${count} ${count === 1 ? 'deletion is' : 'deletions are'} held (${held.at(-1)?.reason})${clocks}.`,
  ]
}

/** Ids of these groups, in one list. */
export function heldIds(held: readonly HeldGroup[]): string[] {
  return held.flatMap(({ ids }) => ids)
}

function isLarge(lost: number, of: number): boolean {
  return lost > fewRows(of)
}

/** How many of so many live rows may be deleted without confirmation. */
export function fewRows(of: number): number {
  return Math.max(FEW_ROWS, SMALL_SHARE * of)
}

function suspicionReason(change: ListLoss, few: boolean): HoldReason | null {
  if (change.absent.length === 0) return null
  // guard: signs of paging
  if (change.incomplete) return change.incomplete
  // guard: unreadable id
  if (change.unreadableId) return 'unreadable_id'
  // guard: account that looks empty
  if (change.accountEmpty) return 'account_empty'
  // guard: empty list
  if (change.length === 0 && (change.live >= 2 || !few)) return 'list_empty'
  // guard: many missing
  if (!few) return 'many_missing'
  // guard: page length
  if (isPageLong(change.length)) return 'page_length'
  return null
}

function isPageLong(length: number): boolean {
  return PAGE_LENGTHS.has(length)
}

/** The budget: many small losses in one run are a large one. What time or the user confirmed does not count. */
function exceedsBudget(rows: number, { removed, breakerOpen, liveAtStart }: RemainingBudget): boolean {
  return (
    /* guard: brake that stays on */ breakerOpen || /* guard: brake */ removed + rows > fewRows(liveAtStart)
  )
}

/** What an earlier run held because its budget was spent: a new run is no proof, or the budget would be one of each run alone. */
function wasOverBudget({ held, absent }: ListLoss): boolean {
  const missing = new Set(absent)
  return held.some(({ reason, ids }) => reason === 'run_total' && ids.some((id) => missing.has(id)))
}

function decide(
  change: ListLoss,
  rows: number,
  policy: HoldPolicy,
  budget: RemainingBudget,
  sign: HoldReason | null,
  byTime: (reason: HoldReason) => boolean,
): Decision {
  if (rows === 0) return NO_LOSS
  const tripsBreaker = sign === null && exceedsBudget(rows, budget)
  const reason =
    sign ?? (tripsBreaker || /* guard: brake over runs */ wasOverBudget(change) ? 'run_total' : null)
  if (reason === null) return { ...NO_LOSS, remove: change.absent, unconfirmedCount: rows }
  const stillAbsent = new Set(change.absent)
  const remove: string[] = []
  const held: HeldGroup[] = []
  let isSetBack = false
  for (const former of change.held) {
    // guard: rows that came back
    const ids = former.ids.filter((id) => stillAbsent.delete(id))
    if (ids.length === 0) continue
    const group = { ...former, ids }
    if (policy.acceptDeletions) remove.push(...ids)
    else if (reason === 'account_empty') held.push({ ...group, reason })
    else if (!byTime(reason)) held.push(group)
    // Its clock ran under a sign that proves nothing: it starts with the first list that shows none.
    // guard: clock without proof
    else if (!byTime(former.reason)) held.push(startGroup(policy, reason, ids))
    else {
      const time = readTime(group, policy, policy.holdForMs)
      isSetBack ||= time.isSetBack
      if (time.isConfirmed) remove.push(...ids)
      else held.push(time.group)
    }
  }
  if (stillAbsent.size > 0) /* guard: own clock */ held.push(startGroup(policy, reason, [...stillAbsent]))
  return { remove, held, unconfirmedCount: 0, tripsBreaker, isSetBack }
}
