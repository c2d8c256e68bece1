import { DAY } from './living-account.ts'
import type { LivingEvent } from './living-account.ts'
import { requestsForAll, requestsOf } from './ticks.ts'
import type { Tick } from './ticks.ts'

/** What a schedule cost the service, and how late changes came. Times in milliseconds. */
export interface RequestFigures {
  readonly runs: number
  readonly requests: number
  /** Of a schedule that reads every event each time. */
  readonly requestsForAll: number
  readonly active: Staleness
  readonly all: Staleness
  /** Of events that were more than 30 days past when they changed. */
  readonly past: Staleness
}

/** How long changes of the service were not in the mirror yet. */
export interface Staleness {
  readonly changes: number
  /** Changes that no run has read until the end; they count as read then. */
  readonly unread: number
  readonly median: number
  readonly ninth: number
}

interface Late {
  readonly ms: number
  readonly isRead: boolean
  readonly isActive: boolean
}

export function figuresOf(events: readonly LivingEvent[], ticks: readonly Tick[]): RequestFigures {
  const reads = new Map<string, number[]>(events.map(({ id }) => [id, []]))
  for (const { now, read } of ticks) for (const id of read) reads.get(id)?.push(now)
  const end = ticks.at(-1)?.now ?? 0
  const late = events.flatMap((event) => lateness(event, reads.get(event.id) ?? [], end))
  return {
    runs: ticks.length,
    requests: sum(ticks.map(requestsOf)),
    requestsForAll: sum(ticks.map(requestsForAll)),
    active: staleness(late.filter(({ isActive }) => isActive)),
    all: staleness(late),
    past: staleness(late.filter(({ isActive }) => !isActive)),
  }
}

/** Both ascend: one walk over the reads answers for all changes. */
function lateness({ at, changes }: LivingEvent, reads: readonly number[], end: number): readonly Late[] {
  let next = 0
  return changes
    .filter((change) => change <= end)
    .map((change) => {
      while (next < reads.length && (reads[next] ?? end) < change) next += 1
      const read = reads[next]
      return { ms: (read ?? end) - change, isRead: read !== undefined, isActive: at > change - 30 * DAY }
    })
}

function staleness(late: readonly Late[]): Staleness {
  const sorted = late.map(({ ms }) => ms).toSorted((a, b) => a - b)
  const at = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0
  return {
    changes: late.length,
    unread: late.filter(({ isRead }) => !isRead).length,
    median: at(0.5),
    ninth: at(0.9),
  }
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0)
}
