/** What a run tells of itself: printed by `--json`, stored in `sync_runs.report`, carried by its error. */

export type RunStatus = 'running' | 'succeeded' | 'partial' | 'held' | 'failed' | 'interrupted' | 'abandoned'
export type RunMode = 'sync' | 'backfill'

/** How many rows of one table a load wrote. */
export interface RowCounts {
  inserted: number
  updated: number
  deleted: number
}

/** How many rows of each live table a load wrote. */
export interface TableCounts {
  readonly events: RowCounts
  readonly responses: RowCounts
  readonly payments: RowCounts
  readonly slots: RowCounts
}

/** The report of a run: printed by `--json`, stored in `sync_runs.report`. */
export interface RunReport {
  readonly run_id: number
  readonly account: string
  readonly mode: RunMode
  readonly status: RunStatus
  readonly started_at: string
  readonly finished_at: string
  readonly duration_ms: number
  readonly events: {
    readonly listed: number
    readonly due: number
    readonly unchanged: number
    readonly changed: number
    readonly failed: number
  }
  readonly rows: TableCounts
  readonly rejected: number
  readonly set_aside: number
  readonly held: number
  readonly requests: number
  readonly retries: number
  readonly not_modified: number
  readonly bytes_received: number
  readonly warnings: readonly string[]
  readonly errors: readonly ReportedError[]
  readonly errors_total: number
}

/** One thing that went wrong; `event_id` is null when it concerns the whole run. */
export interface ReportedError {
  readonly event_id: string | null
  readonly code: string
  readonly message: string
}
