/**
 * The tables of the mirror as Kysely sees them, and the entry point to the types that all modules share.
 *
 * Both drivers are set up (db/type-parsers.ts) so that bigint and numeric arrive as strings of digits, time stamps as
 * ISO 8601 text in UTC, and json as parsed values: nothing is rounded on the way.
 */
import type { ColumnType, Generated, GeneratedAlways } from 'kysely'
import type { JsonObject, JsonValue } from '../json/exact.ts'
import type { IntegerText, ResponseKind, Timestamp, ValueTypes } from './items.ts'
import type { LinkFormat } from './link-formats.ts'
import type { LiveTables, SqlType } from './live-tables.ts'
import type { HeldGroup } from './holds.ts'
import type { ErasureReport, LeaseMode, RunReport, RunStatus } from './run-report.ts'

export type * from './holds.ts'
export type * from './items.ts'
export type * from './link-formats.ts'
export type * from './live-tables.ts'
export type * from './run-report.ts'

type Json<T = JsonValue> = ColumnType<T | null, string | null, string | null>

interface AccountsTable {
  id: GeneratedAlways<number>
  name: string
  email: string | null
  base_url: string | null
  /** Of the key that it was last built with, in hexadecimal digits. */
  key_sha256: string | null
  _created_at: Generated<Timestamp>
  /** Fields that are left out or pseudonyms, as set for the last run. */
  field_rules: Generated<string>
  /** Former versions that ended before this moment were pruned. */
  _history_from: Timestamp | null
  /** Its removal began then, and is to be finished. */
  _removing_since: Timestamp | null
  first_listed_run_id: IntegerText | null
  /** Of days and months in the views. */
  time_zone: Generated<string>
}

interface Provenance {
  _first_seen_at: Generated<Timestamp>
  _changed_at: Generated<Timestamp>
  _run_id: IntegerText
}

/** The columns of a live table that hold what the service sends, and its key. */
type Columns<Table extends keyof LiveTables> = { account_id: number } & {
  [Column in keyof LiveTables[Table]['key']]: ColumnOf<LiveTables[Table]['key'][Column]>
} & { [Column in keyof LiveTables[Table]['values']]: ColumnOf<LiveTables[Table]['values'][Column]> | null }

type ColumnOf<Type> = Type extends 'jsonb'
  ? Json<JsonObject>
  : Type extends SqlType
    ? ValueTypes[Type]
    : never

type EventsTable = Columns<'events'> & Provenance
type ResponsesTable = Omit<Columns<'responses'>, 'kind'> & Provenance & { kind: ResponseKind }
type PaymentsTable = Columns<'payments'>
type SlotsTable = Columns<'slots'>

interface HistorySpan {
  valid_from: Timestamp
  valid_to: Timestamp
  operation: 'update' | 'delete'
  document: Json<JsonObject>
  ended_by_run_id: IntegerText
  begun_by_run_id: IntegerText | null
}

interface EventHistoryTable extends HistorySpan {
  account_id: number
  event_id: string
  forgotten_at: Timestamp | null
}

interface ResponseHistoryTable extends HistorySpan {
  account_id: number
  event_id: string
  response_id: IntegerText
  restated_fields: readonly string[] | null
}

interface RejectsTable {
  account_id: number
  event_id: string | null
  item_index: number
  reason: string
  path: string
  payload: string | null
  bytes: number
  sha256: string
  run_id: IntegerText
  seen_at: Generated<Timestamp>
}

interface AcceptedRejectsTable {
  account_id: number
  event_id: string | null
  sha256: string
  accepted_at: Generated<Timestamp>
}

interface SyncRunsTable {
  id: GeneratedAlways<IntegerText>
  account_id: number
  mode: LeaseMode
  named_events_only: Generated<boolean>
  /** Of a backfill of the whole account: the first run of the chain that it continues, or itself. */
  backfill_id: IntegerText | null
  status: RunStatus
  /** See `isGoodRun` of run-report.ts. */
  good: Generated<boolean>
  holder: Json<JsonObject>
  started_at: Generated<Timestamp>
  heartbeat_at: Generated<Timestamp>
  finished_at: Timestamp | null
  report: Json<RunReport | ErasureReport>
}

interface SyncStateTable {
  account_id: number
  /** The event's id; '' is the event list itself. */
  event_id: string
  /** Bytes; as Postgres writes them when they are selected as they are: `\x` and hexadecimal digits. */
  digest: string | null
  normaliser_version: number | null
  etag: string | null
  checked_at: Timestamp | null
  /** When the body was last read whole; a 304 does not move it. */
  last_full_read_at: Timestamp | null
  next_check_at: Timestamp | null
  /** Seconds that an unchanged older event waits; doubles while nothing changes. */
  poll_interval_s: number | null
  backfill_id: IntegerText | null
  held_deletions: Json<HeldGroup[]>
  held_deletion_count: Generated<number>
  held_deletions_since: Timestamp | null
  set_aside: Generated<number>
  /** Ids that the last reading lacked, of a list in several pages. */
  unconfirmed_absences: Json<string[]>
  error_code: string | null
  error_message: string | null
  failed_at: Timestamp | null
  /** A random UUID: another one whenever rows that are served of the list are written. */
  list_version: Generated<string>
  first_listed_run_id: IntegerText | null
  first_applied_run_id: IntegerText | null
  forgotten_at: Timestamp | null
  /** The rows are made anew at the next reading. */
  rewrite_due: Generated<boolean>
}

interface SuppressionsTable {
  id: GeneratedAlways<IntegerText>
  account_id: number
  /** Bytes: HMAC-SHA-256 of an e-mail key; null when the key is lost. */
  email_hash: string | null
  key_check: string
  added_at: Generated<Timestamp>
  erased_at: Timestamp | null
}

interface SuppressedResponsesTable {
  account_id: number
  event_id: string
  response_id: IntegerText
  suppression_id: IntegerText
}

interface ApiObservationsTable {
  account_id: number
  path: string
  kind: string
  value: string
  count: IntegerText
  first_seen_at: Generated<Timestamp>
  last_seen_at: Generated<Timestamp>
}

interface ApiKeysTable {
  id: GeneratedAlways<IntegerText>
  account_id: number
  sha256: string
  label: string | null
  created_at: Generated<Timestamp>
  expires_at: Timestamp | null
  last_used_on: string | null
  revoked_at: Timestamp | null
}

interface LinksTable extends ApiKeysTable {
  view: string
  format: LinkFormat
  event_id: string | null
  with_personal: boolean
}

/** How a mirror stands, as its operator is told. */
export type MirrorState = 'good' | 'failed' | 'partial' | 'held_too_long' | 'stale'

interface DeliveriesTable {
  id: GeneratedAlways<IntegerText>
  account_id: number
  kind: 'digest' | 'notice'
  name: string
  event_id: string | null
  recipient_sha256: string
  /** As it may be shown. */
  recipient: string
  message_key: Generated<string>
  delivered_run_id: IntegerText | null
  pending_run_id: IntegerText | null
  /** Of a notice: what the message told that may have been accepted. */
  pending_mirror: ColumnType<JsonObject | null, string | null | undefined, string | null>
  accepted_at: Timestamp | null
  failures: Generated<number>
  error_message: string | null
  failed_at: Timestamp | null
  next_attempt_at: Timestamp | null
  claim: string | null
  claimed_until: Timestamp | null
  /** Of a notice. */
  state: MirrorState | null
  cause: string | null
  told: ColumnType<JsonObject, string | undefined, string>
}

/** What a reply means to those who plan an event. */
export type RsvpMeaning = 'coming' | 'maybe' | 'not_coming'

interface RsvpMeaningsTable {
  /** As in `responses.rsvp`. */
  value: string
  meaning: RsvpMeaning
}

interface SlotTargetsTable {
  account_id: number
  /** null: every event. */
  event_id: string | null
  /** null: every slot. */
  slot_name: string | null
  wanted: number
}

interface PersonIdSecretTable {
  is_only: Generated<boolean>
  /** Bytes. */
  secret: string
}

interface ReadersTable {
  role_name: string
  with_personal: boolean
  added_at: Generated<Timestamp>
}

interface MovedTable {
  is_only: Generated<boolean>
  moved_at: Generated<Timestamp>
  /** The database that has the copy, without user and password. */
  moved_to: string
}

interface SchemaMigrationsTable {
  number: number
  name: string
  applied_at: Generated<Timestamp>
}

/** Every table, by its full name: statements never depend on a search path. */
export interface Tables {
  'headcount.accounts': AccountsTable
  'headcount.events': EventsTable
  'headcount.responses': ResponsesTable
  'headcount.payments': PaymentsTable
  'headcount.slots': SlotsTable
  'headcount.event_history': EventHistoryTable
  'headcount.response_history': ResponseHistoryTable
  'headcount.rejects': RejectsTable
  'headcount.accepted_rejects': AcceptedRejectsTable
  'headcount.sync_runs': SyncRunsTable
  'headcount.sync_state': SyncStateTable
  'headcount.suppressions': SuppressionsTable
  'headcount.suppressed_responses': SuppressedResponsesTable
  'headcount.api_observations': ApiObservationsTable
  'headcount.api_keys': ApiKeysTable
  'headcount.links': LinksTable
  'headcount.deliveries': DeliveriesTable
  'headcount.rsvp_meanings': RsvpMeaningsTable
  'headcount.slot_targets': SlotTargetsTable
  'headcount.person_id_secret': PersonIdSecretTable
  'headcount.readers': ReadersTable
  'headcount.moved': MovedTable
  'headcount.schema_migrations': SchemaMigrationsTable
}
