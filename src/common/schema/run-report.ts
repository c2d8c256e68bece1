/** What a run tells of itself: printed by `--json`, stored in `sync_runs.report`, carried by its error. */

import type { IntegerText } from './items.ts'
import type { MirrorTable } from './live-tables.ts'
import type { ReportedHold } from './holds.ts'

export type RunStatus = 'running' | 'succeeded' | 'partial' | 'held' | 'failed' | 'interrupted' | 'abandoned'
export type RunMode = 'sync' | 'backfill'
/** What an account is held for: a run, or a change of the account itself, which is none and has no report. */
export type LeaseMode = RunMode | 'rename' | 'remove' | 'erase' | 'move' | 'backup'

/** How many rows of one table a load wrote. */
export interface RowCounts {
  inserted: number
  updated: number
  deleted: number
}

/** How many rows of each live table a load wrote. */
export type TableCounts = Readonly<Record<MirrorTable, RowCounts>>

/** The report of a run: printed by `--json`, stored in `sync_runs.report`. */
export interface RunReport {
  /** Null of a dry run, which is none. */
  readonly run_id: number | null
  readonly account: string
  readonly mode: RunMode
  readonly status: RunStatus
  /** When the account was taken, by the clock of the database. */
  readonly started_at: string
  readonly finished_at: string
  /** Since the call, by the clock of this process: to open the database and to wait for it counts too. */
  readonly duration_ms: number
  readonly events: {
    readonly listed: number
    readonly due: number
    readonly unchanged: number
    readonly changed: number
    readonly failed: number
    /** Of a run that ended early: due events that were not read, and stay due. */
    readonly not_read?: number
  }
  readonly rows: TableCounts
  /**
   * With the option to forget personal data: how many events were forgotten, live responses of them, and former versions of responses
   * that had personal data.
   */
  readonly forgotten?: { readonly events: number; readonly responses: number; readonly versions: number }
  /** With the option `applyToHistory`: how many former versions changed. */
  readonly rewritten_versions?: number
  readonly rejected: number
  readonly set_aside: number
  readonly held: number
  /** What is held, the oldest first; at most 100. */
  readonly holds: readonly ReportedHold[]
  /** Rows that one reading of a list in several pages lacked: they stay until a second one lacks them too. */
  readonly unconfirmed: number
  readonly requests: number
  readonly retries: number
  readonly not_modified: number
  readonly bytes_received: number
  readonly warnings: readonly string[]
  readonly errors: readonly ReportedError[]
  readonly errors_total: number
  /** Nothing was written: the report is that of the run as it would be. */
  readonly dry_run?: true
  /** Of a dry run: what it would write. */
  readonly plan?: Plan
}

/** What an erasure removed. */
export interface ErasedCounts {
  /** Events with something to erase. */
  readonly events: number
  /** Live responses that had a name, an address, a message or unknown fields. */
  readonly responses: number
  /** Former versions of responses that had. */
  readonly versions: number
  /** Texts of items that cannot be stored. */
  readonly rejects: number
  /** Error messages and reports of runs that named the address. */
  readonly messages: number
}

/** The report of a run of mode `erase`: it names nobody. */
export interface ErasureReport {
  readonly run_id: number
  readonly account: string
  readonly mode: 'erase'
  readonly status: 'succeeded' | 'failed' | 'interrupted'
  readonly started_at: string
  readonly finished_at: string
  readonly duration_ms: number
  /** Whether somebody of them was on the list before. */
  readonly is_repeated: boolean
  /** The numbers of the people on the suppression list. */
  readonly suppressions: readonly number[]
  readonly erased: ErasedCounts
}

/** One thing that went wrong; `event_id` is null when it concerns the whole run. */
export interface ReportedError {
  readonly event_id: string | null
  readonly code: string
  readonly message: string
}

/**
 * Whether every list that was due was applied or found unchanged. Deletions that are held are not applied; items that
 * cannot be stored are on record. The age of the mirror counts from the start of the last such run of the whole account.
 */
export function isGoodRun({ status, held }: Pick<RunReport, 'status' | 'held'>): boolean {
  return status === 'succeeded' || (status === 'held' && /* guard: a held run is no good run */ held === 0)
}

/** How a run ended, in a word for people: `held` stands for rejected items too. */
export function outcomeOf({ status, held }: Pick<RunReport, 'status' | 'held'>): RunStatus | 'rejected' {
  return status === 'held' && held === 0 ? 'rejected' : status
}

/** A row that a run would write, remove or hold back: an event, a response, or a part of one. */
export interface PlannedRow {
  readonly event_id: string
  readonly response_id?: IntegerText
  /** Of a slot: its place among those of its response, from 1. */
  readonly position?: number
  /** For people: the event's title, or the name in the response. Only in a plan that lists a few rows of each kind. */
  readonly label?: string
}

/** `columns`: those that differ; of a response also `payment` and `slots`, whose rows are reported under their own tables. */
export interface PlannedUpdate extends PlannedRow {
  readonly columns: readonly string[]
}

/** The plan for one table. All rows are counted; listed are as many of each kind as were asked for. */
export interface TablePlan {
  readonly counts: { inserted: number; updated: number; deleted: number; held: number }
  /** In how many rows each column would change. */
  readonly columns: Record<string, number>
  readonly inserted: PlannedRow[]
  readonly updated: PlannedUpdate[]
  readonly deleted: PlannedRow[]
  readonly held: PlannedRow[]
}

export type Plan = Readonly<Record<MirrorTable, TablePlan>>
