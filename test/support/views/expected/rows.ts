/** What the computation of the views begins with, and what it gives back. */
import type { JsonObject } from '../../../../src/common/json/exact.ts'

export interface AccountRow {
  id: number
  name: string
  time_zone: string
  _history_from: string | null
  first_listed_run_id: string | null
}

export interface RunRow {
  id: string
  account_id: number
  mode: string
  status: string
  started_at: string
  finished_at: string | null
}

export interface StateRow {
  account_id: number
  /** Empty for the event list. */
  event_id: string
  checked_at: string | null
  error_code: string | null
  held_deletion_count: number
  first_listed_run_id: string | null
  first_applied_run_id: string | null
}

export interface EventRow {
  account_id: number
  id: string
  title: string | null
  event_at: string | null
  description: string | null
  event_type: string | null
  location: string | null
  _extra: JsonObject | null
  _first_seen_at: string
  _changed_at: string
  _run_id: string
}

export interface ResponseRow {
  account_id: number
  event_id: string
  id: string
  kind: string
  name: string | null
  email: string | null
  message: string | null
  quantity: string | null
  rsvp: string | null
  created_at: string | null
  updated_at: string | null
  _extra: JsonObject | null
  _first_seen_at: string
  _changed_at: string
  _run_id: string
}

export interface PaymentRow {
  account_id: number
  event_id: string
  response_id: string
  amount: string | null
  processing_fee: string | null
}

export interface SlotRow {
  account_id: number
  event_id: string
  response_id: string
  position: number
  name: string | null
  start_date: string | null
  end_date: string | null
  start_local: string | null
  end_local: string | null
  _extra: JsonObject | null
}

export interface EventVersionRow {
  account_id: number
  event_id: string
  valid_from: string
  valid_to: string
  operation: string
  document: JsonObject
  ended_by_run_id: string | null
  begun_by_run_id: string | null
}

export interface ResponseVersionRow extends EventVersionRow {
  response_id: string
}

export interface RejectRow {
  account_id: number
  /** NULL for the event list. */
  event_id: string | null
  sha256: string
}

export interface MeaningRow {
  value: string
  meaning: string
}

export interface TargetRow {
  account_id: number
  event_id: string | null
  slot_name: string | null
  wanted: number
}

/** All rows of the tables, as `select *` gives them through the program's parsers. */
export interface MirrorRows {
  accounts: readonly AccountRow[]
  sync_runs: readonly RunRow[]
  sync_state: readonly StateRow[]
  events: readonly EventRow[]
  responses: readonly ResponseRow[]
  payments: readonly PaymentRow[]
  slots: readonly SlotRow[]
  event_history: readonly EventVersionRow[]
  response_history: readonly ResponseVersionRow[]
  rejects: readonly RejectRow[]
  accepted_rejects: readonly RejectRow[]
  rsvp_meanings: readonly MeaningRow[]
  slot_targets: readonly TargetRow[]
}

export interface ViewSettings {
  /** ISO 8601 in UTC: the clock of the database. */
  now: string
  account: string | null
  timeZone: string | null
  secret: Uint8Array
}

export const VIEW_NAMES = [
  'event_summary',
  'event_respondents',
  'payment_summary',
  'payments_by_month',
  'slot_summary',
  'thin_slots',
  'respondents',
  'response_pace',
  'similar_events',
  'rsvp_values',
  'event_changes',
  'response_changes',
  'changes',
] as const

export type ViewName = (typeof VIEW_NAMES)[number]
export type ViewRow = Record<string, unknown>
