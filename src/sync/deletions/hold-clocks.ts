/**
 * How long a group of deletions has been held, by two clocks: the database's and that of the machine of the run. One
 * that jumps ahead confirms nothing, and a second run must see that the time has passed. Pure.
 */
import type { HeldGroup, Timestamp } from '../../common/schema/tables.ts'

/** The moment at which a run began, by both clocks. */
export interface Clocks {
  /** The database's, ISO 8601. */
  readonly now: Timestamp
  /** The run's own, ISO 8601. */
  readonly runNow: Timestamp
}

/** What this run sees of a group's time. */
export interface HeldTime {
  /** What to store of it, should it be held on. */
  readonly group: HeldGroup
  /** The time to hold has passed by both clocks, and an earlier run saw that too. */
  readonly isConfirmed: boolean
  /** A clock shows less than when the group was first seen: it was set back, and starts anew now. */
  readonly isSetBack: boolean
}

/** A group that is first seen now, or whose time starts anew. */
export function startGroup(
  { now, runNow }: Clocks,
  reason: HeldGroup['reason'],
  ids: readonly string[],
): HeldGroup {
  return { since: now, run_since: runNow, reason, ids }
}

/**
 * A group stored by a version that knew one clock starts the other one now. A clock that was set back would otherwise
 * hold the group until it is again where it was; as it is, that costs the time to hold once more.
 */
export function readTime(group: HeldGroup, { now, runNow }: Clocks, holdForMs: number): HeldTime {
  const { expired = false, ...held } = group
  const [since, run_since] = [notAfter(group.since, now), notAfter(group.run_since ?? runNow, runNow)]
  // guard: time to hold
  const hasPassed =
    /* guard: clock of the database */ passed(since, now) >= holdForMs &&
    /* guard: clock of the run */ passed(run_since, runNow) >= holdForMs
  return {
    group: { ...held, since, run_since, ...(hasPassed && { expired: true }) },
    isConfirmed: hasPassed && /* guard: a second run after the hold */ expired,
    isSetBack: since !== group.since || (group.run_since !== undefined && run_since !== group.run_since),
  }
}

/** When a group's time to hold will have passed by both clocks, and how many runs must see that from then on. */
export function holdEnd(
  group: HeldGroup,
  clocks: Clocks,
  holdForMs: number,
): { readonly after: Timestamp; readonly runs: 1 | 2 } {
  const { group: next } = readTime(group, clocks, holdForMs)
  const start = Math.max(Date.parse(next.since), Date.parse(next.run_since ?? next.since))
  return {
    after: new Date(start + holdForMs).toISOString(),
    runs: group.expired === true && next.expired === true ? 1 : 2,
  }
}

function passed(since: Timestamp, now: Timestamp): number {
  return Date.parse(now) - Date.parse(since)
}

function notAfter(since: Timestamp, now: Timestamp): Timestamp {
  // guard: clock that was set back
  return passed(since, now) < 0 ? now : since
}

/** The later of both, in ms since 1970: what was forgotten comes back only by a time that is past neither. */
export function laterClock({ now, runNow }: Clocks): number {
  // guard: both clocks to remember
  return Math.max(Date.parse(now), Date.parse(runNow))
}
