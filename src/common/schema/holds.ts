/** Deletions that are held: how they are stored, how they are reported, and when somebody must decide. */
import type { Timestamp } from './items.ts'

export type HoldReason =
  | 'list_empty'
  | 'account_empty'
  | 'many_missing'
  | 'page_length'
  | 'unreadable_id'
  | 'run_total'
  | 'paging'
  | 'no_end_mark'

/** Deletions of one list that were first seen at the same time, for the same reason, as `sync_state` keeps them. */
export interface HeldGroup {
  /** By the database's clock. */
  readonly since: Timestamp
  /** The same by the clock of the run that saw it; groups that an older version stored have none. */
  readonly run_since?: Timestamp
  /** The last run saw that the time to hold has passed: the next one that sees it too applies them. */
  readonly expired?: boolean
  readonly reason: HoldReason
  readonly ids: readonly string[]
}

/** The same without the ids, with the list. */
export interface ReportedHold {
  /** null: the event list itself, which misses events. */
  readonly event_id: string | null
  /** By the database's clock. */
  readonly since: Timestamp
  readonly reason: HoldReason
  readonly rows: number
}

/** How many rows are held, or unconfirmed, in all these lists. */
export function heldRows(lists: readonly { readonly rows: number }[]): number {
  return lists.reduce((total, { rows }) => total + rows, 0)
}

/** How long deletions are held where nobody says otherwise, in ms. */
export const DEFAULT_HOLD_FOR_MS = 3_600_000

/** An account that is empty proves nothing either. */
export function timeConfirmsEvents(reason: HoldReason): boolean {
  return /* guard: empty account */ reason !== 'list_empty' && timeConfirmsResponses(reason)
}

/** A list that may not be complete, or may have a row under an id that cannot be read, proves nothing, however long it stays so. */
export function timeConfirmsResponses(reason: HoldReason): boolean {
  // guard: account that looks empty, and time
  if (reason === 'account_empty') return false
  // guard: proof by time
  return (
    reason !== 'paging' &&
    reason !== 'no_end_mark' &&
    /* guard: an id without proof */ reason !== 'unreadable_id'
  )
}

/** Whether a hold ends by itself once it is old enough. */
export function timeConfirms({ event_id, reason }: Pick<ReportedHold, 'event_id' | 'reason'>): boolean {
  return event_id === null ? timeConfirmsEvents(reason) : timeConfirmsResponses(reason)
}

/** For how long after `now` (ISO 8601) a hold needs nobody, in ms; 0: somebody must look, for it is too old or time cannot confirm it. */
export function holdTimeLeft(
  hold: Pick<ReportedHold, 'event_id' | 'since' | 'reason'>,
  holdForMs: number,
  now: string,
): number {
  // guard: holds beyond time
  return timeConfirms(hold) ? Math.max(0, Date.parse(hold.since) + holdForMs - Date.parse(now)) : 0
}
