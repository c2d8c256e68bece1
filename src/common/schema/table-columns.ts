/** The columns of each table: what somebody dropped can be told only by what should be there. A test compares them with the migrations. */
import { LIVE_TABLES, type MirrorTable } from './live-tables.ts'

/** Of each row, and of each version of it. */
const STAMPS = ['_first_seen_at', '_changed_at', '_run_id']

export const TABLE_COLUMNS: Readonly<Record<string, readonly string[]>> = {
  events: [...liveColumns('events'), ...STAMPS],
  responses: [...liveColumns('responses'), ...STAMPS],
  payments: liveColumns('payments'),
  slots: liveColumns('slots'),
  accepted_rejects: words('account_id event_id sha256 accepted_at'),
  accounts: words(`
    id name email base_url _created_at _history_from key_sha256 _removing_since first_listed_run_id
    time_zone field_rules
  `),
  api_keys: words('id account_id sha256 label created_at expires_at last_used_on revoked_at'),
  api_observations: words('account_id path kind value count first_seen_at last_seen_at'),
  deliveries: words(`
    id account_id kind name event_id recipient_sha256 recipient message_key delivered_run_id
    pending_run_id accepted_at failures error_message failed_at next_attempt_at claim claimed_until
    state cause told pending_mirror
  `),
  event_history: words(`
    account_id event_id valid_from valid_to operation document ended_by_run_id begun_by_run_id
    forgotten_at
  `),
  links: words(`
    id account_id sha256 view format event_id with_personal label created_at expires_at
    last_used_on revoked_at
  `),
  moved: words('is_only moved_at moved_to'),
  person_id_secret: words('is_only secret'),
  readers: words('role_name with_personal added_at'),
  rejects: words('account_id event_id item_index reason path payload bytes sha256 run_id seen_at'),
  response_history: words(`
    account_id event_id response_id valid_from valid_to operation document ended_by_run_id
    begun_by_run_id restated_fields
  `),
  rsvp_meanings: words('value meaning'),
  schema_migrations: words('number name applied_at'),
  slot_targets: words('account_id event_id slot_name wanted'),
  suppressed_responses: words('account_id event_id response_id suppression_id'),
  suppressions: words('id account_id email_hash key_check added_at erased_at'),
  sync_runs: words(`
    id account_id mode named_events_only status holder started_at heartbeat_at finished_at report
    backfill_id good
  `),
  sync_state: words(`
    account_id event_id digest normaliser_version etag checked_at next_check_at poll_interval_s
    backfill_id held_deletions held_deletion_count held_deletions_since set_aside error_code
    error_message failed_at last_full_read_at list_version unconfirmed_absences first_listed_run_id
    first_applied_run_id forgotten_at rewrite_due
  `),
}

function words(text: string): readonly string[] {
  return text.trim().split(/\s+/)
}

function liveColumns(table: MirrorTable): readonly string[] {
  const { key, values } = LIVE_TABLES[table]
  return ['account_id', ...Object.keys(key), ...Object.keys(values)]
}
