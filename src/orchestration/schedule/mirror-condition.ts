/** How the mirror stands, as its operator is told. */
import type { MirrorState } from '../../common/schema/tables.ts'
import { formatLists, freshness, isAlive, overdueHolds, type WorkerState } from './health.ts'
import { ageOf } from './monotonic-time.ts'

/** A run that shows signs of life may take so long before the mirror is called stale. */
const MAX_RUN_MS = 3_600_000

export interface MirrorCondition {
  readonly state: MirrorState
  /** Of a failed run: the code of its error, so that another error is another reason; else null. */
  readonly cause: string | null
  /** For people, in a sentence without its full stop. */
  readonly reason: string
}

/** Null while there is nothing to say: no run has ended yet. The worst comes first. */
export function conditionOf(state: WorkerState): MirrorCondition | null {
  const { lastEnd, lastFailure, lastErrorCode } = state
  if (lastEnd === 'failed')
    return { state: 'failed', cause: lastErrorCode, reason: `the last run: ${lastFailure ?? 'failed'}` }
  const stale = staleness(state)
  if (stale !== null) return { state: 'stale', cause: null, reason: stale }
  if (lastEnd === null) return null
  if (lastEnd === 'partial')
    return { state: 'partial', cause: null, reason: `the last run: ${lastFailure ?? 'partial'}` }
  const overdue = overdueHolds(state.holds)
  if (overdue.length > 0) return { state: 'held_too_long', cause: null, reason: formatLists(overdue) }
  return { state: 'good', cause: null, reason: 'the last run read all that was due' }
}

/** Also while a run goes on that never ends. */
function staleness(state: WorkerState): string | null {
  const { healthy, reason } = freshness(state)
  const { lastGood, running, began } = state
  const age = ageOf(lastGood?.started ?? began)
  const isOld = age >= (lastGood?.freshMs ?? MAX_RUN_MS)
  // guard: stale while a run hangs
  if (!isOld || (isAlive(running) && age < MAX_RUN_MS)) return null
  return healthy ? `${reason}, and there has been no good run for an hour or more` : reason
}
