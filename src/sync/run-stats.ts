import type { ReportedError, RowCounts, RunStatus } from '../common/schema/tables.ts'
import type { HeadcountError } from '../common/errors.ts'
import type { LiveCounts } from '../load/diff/live-counts.ts'
import { noneForgotten, type ForgottenCounts } from '../load/write/forget.ts'
import { noCounts } from '../load/statements.ts'
import type { Progress } from './options.ts'

/** At most this many errors, and as many warnings, are listed; the rest is counted. */
const MAX_LISTED = 100

/** What a run has counted so far. */
export class RunStats {
  /** Monotonic clock at the start, in milliseconds. */
  readonly startedMs = performance.now()
  phase: Progress['phase'] = 'events'
  readonly events = {
    listed: 0,
    due: 0,
    /** Read already by the backfill which this run continues. */
    skipped: 0,
    unchanged: 0,
    changed: 0,
    /** Read to the end, whatever came of them. */
    done: 0,
    /** Due events that a run which ended early did not come to, or not to the end of: they stay due. */
    notRead: 0,
  }
  responsesRead = 0
  readonly rows = noCounts()
  readonly forgotten = noneForgotten()
  /** Former versions that were brought into line with fields that are left out. */
  rewrittenVersions = 0
  /** Of a verification: what it found until now. */
  differences = 0
  readonly errors: ReportedError[] = []
  readonly #warnings = new Set<string>()
  readonly #onReport: () => void

  /** @param onReport called when there is something new to report */
  constructor(onReport: () => void) {
    this.#onReport = onReport
  }

  addForgotten({ events, responses, versions }: ForgottenCounts): void {
    this.forgotten.events += events
    this.forgotten.responses += responses
    this.forgotten.versions += versions
  }

  report(phase: Progress['phase'] = this.phase): void {
    this.phase = phase
    this.#onReport()
  }

  warn(warning: string): void {
    this.#warnings.add(warning)
  }

  fail(event_id: string | null, error: { readonly code: string; readonly message: string }): void {
    this.errors.push({ event_id, code: error.code, message: error.message })
  }

  get failed(): number {
    return this.errors.filter(({ event_id }) => event_id !== null).length
  }

  /** Counts as they were before this run, from counts as they are now. */
  countsBefore(now: LiveCounts): LiveCounts {
    const { events, responses } = this.rows
    const grownBy = (rows: RowCounts) => rows.inserted - rows.deleted
    return {
      events: now.events - grownBy(events),
      total: now.total - grownBy(events) - grownBy(responses),
    }
  }

  /** Rows written, or differences found. */
  get changedRows(): number {
    return Object.values(this.rows).reduce(
      (sum, row) => sum + row.inserted + row.updated + row.deleted,
      this.differences,
    )
  }

  get warnings(): readonly string[] {
    const all = [...this.#warnings]
    const more = all.length - MAX_LISTED
    return more > 0 ? [...all.slice(0, MAX_LISTED), `… and ${more} more warnings`] : all
  }

  get listedErrors(): readonly ReportedError[] {
    return this.errors.slice(0, MAX_LISTED)
  }
}

/** How a run can end. */
export type FinalStatus = Exclude<RunStatus, 'running' | 'abandoned'>

/** `succeeded` only if every due event is mirrored and nothing is held or rejected. */
export function finalStatus(
  stats: RunStats,
  open: { readonly rejected: number; readonly held: number },
): FinalStatus {
  // guard: status partial
  if (stats.errors.length > 0) return 'partial'
  // guard: status held
  return open.rejected > 0 || open.held > 0 ? 'held' : 'succeeded'
}

/** The status of a run that a fatal cause ended. */
export function statusAfterError(cause: HeadcountError | null): FinalStatus {
  return cause?.code === 'interrupted' ? 'interrupted' : 'failed'
}
