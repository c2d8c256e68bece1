/**
 * Which columns hold personal data: names, addresses and messages of people who answered an event, and whatever may quote them.
 * Everything that shows less, or forgets, asks here. Titles, descriptions, locations and names of slots may contain a name; they
 * are what an event says of itself, and count as no personal data.
 */
import { EVENT_FIELDS, RESPONSE_FIELDS, SLOT_FIELDS } from './field-names.ts'
import type { ResponseItem } from './items.ts'
import { LIVE_TABLES, type MirrorTable, type SqlType } from './live-tables.ts'

/** Columns that hold personal data wherever they stand. */
const personalAnywhere: readonly string[] = [
  '_extra',
  'document',
  'email',
  'email_key',
  'error_message',
  'former',
  'message',
  'messages',
  'names',
  'new_value',
  'old_value',
  'payload',
  'recipient',
  'recipient_sha256',
  'record',
  'report',
]

/** Columns of some tables and views that hold personal data there, and none elsewhere. */
const personalIn: Readonly<Record<string, readonly string[]>> = {
  event_respondents: ['name'],
  respondents: ['name'],
  response_changes: ['name'],
  response_details: ['name'],
  responses: ['name'],
  set_aside: ['value'],
}

/** All other columns. One that stands nowhere is not classified, and a test fails. */
const plain: readonly string[] = [
  '_changed_at',
  '_created_at',
  '_first_seen_at',
  '_history_from',
  '_removing_since',
  '_run_id',
  'accepted',
  'accepted_at',
  'account',
  'account_id',
  'added_at',
  'amount',
  'amount_after_fee',
  'applied_at',
  'backfill_id',
  'base_url',
  'begun_by_run_id',
  'bytes',
  'change',
  'changed_at',
  'checked_at',
  'claim',
  'claimed_until',
  'coming',
  'complete',
  'count',
  'created_at',
  'day',
  'days_before',
  'days_until',
  'delivered_run_id',
  'description',
  'digest',
  'edited_7d',
  'email_hash',
  'emptied_at',
  'end_date',
  'end_local',
  'ended_by_run_id',
  'entity',
  'erased_at',
  'error_code',
  'etag',
  'event_at',
  'event_day',
  'event_id',
  'event_title',
  'event_type',
  'events',
  'events_changed',
  'events_coming',
  'events_due',
  'events_failed',
  'events_listed',
  'expected',
  'expires_at',
  'failed_at',
  'failing',
  'failures',
  'field',
  'field_rules',
  'fields',
  'finished_at',
  'first_applied_run_id',
  'first_listed_run_id',
  'first_payment_at',
  'first_response_at',
  'first_seen_at',
  'forgotten_at',
  'format',
  'good',
  'heartbeat_at',
  'held',
  'held_deletion_count',
  'held_deletions',
  'held_deletions_since',
  'held_since',
  'holder',
  'id',
  'initial',
  'is_only',
  'is_upcoming',
  'item_index',
  'key_check',
  'key_sha256',
  'kind',
  'known_since',
  'label',
  'largest_amount',
  'last_full_read_at',
  'last_payment_at',
  'last_response_at',
  'last_seen_at',
  'last_sign_up_at',
  'last_used_on',
  'list_version',
  'location',
  'maybe',
  'meaning',
  'message_key',
  'missing',
  'mode',
  'month',
  'moved_at',
  'moved_to',
  'name',
  'named_events_only',
  'negative',
  'new_7d',
  'new_people',
  'new_responses',
  'next_attempt_at',
  'next_check_at',
  'normaliser_version',
  'not_coming',
  'number',
  'operation',
  'path',
  'payers',
  'payments',
  'pending_mirror',
  'pending_run_id',
  'people',
  'people_so_far',
  'person_id',
  'poll_interval_s',
  'position',
  'processing_fee',
  'quantity',
  'rank',
  'reason',
  'rejected',
  'replies',
  'respondents',
  'response_id',
  'responses',
  'responses_deleted',
  'responses_inserted',
  'responses_so_far',
  'responses_updated',
  'restated_fields',
  'revoked_at',
  'rewrite_due',
  'role_name',
  'rsvp',
  'run_finished_at',
  'run_id',
  'secret',
  'seen_at',
  'set_aside',
  'sha256',
  'sign_ups',
  'similar_event_at',
  'similar_event_id',
  'similar_event_title',
  'slot_count',
  'slot_name',
  'slots',
  'smallest_amount',
  'start_date',
  'start_local',
  'started_at',
  'state',
  'status',
  'suppression_id',
  'time_zone',
  'title',
  'told',
  'cause',
  'unconfirmed_absences',
  'unknown',
  'updated_at',
  'valid_from',
  'valid_to',
  'value',
  'view',
  'wanted',
  'what',
  'with_personal',
  'withdrawn_7d',
  'withdrawn_people',
  'withdrawn_responses',
  'without_amount',
  'without_email',
]

/** Twins for readers who must not see personal data: what is left of such a column there holds none. */
export const TWIN = /_without_personal$/

/**
 * Whether a column of a table or view in the schema `headcount` holds personal data.
 *
 * @throws RangeError when the column is not classified here
 */
export function isPersonal(relation: string, column: string): boolean {
  if (TWIN.test(relation)) return false
  if (personalAnywhere.includes(column) || (personalIn[relation] ?? []).includes(column)) return true
  if (plain.includes(column)) return false
  throw new RangeError(`whether ${relation}.${column} is personal is to be said in ${import.meta.filename}`)
}

/** Columns outside the key that hold no personal data, with their types. */
export function plainValues(table: MirrorTable): readonly (readonly [name: string, type: SqlType])[] {
  return Object.entries<SqlType>(LIVE_TABLES[table].values).filter(([column]) => !isPersonal(table, column))
}

function plainFields(
  sent: readonly string[],
  ...tables: readonly MirrorTable[]
): ReadonlyMap<string, SqlType> {
  return new Map(tables.flatMap(plainValues).filter(([name]) => sent.includes(name)))
}

/**
 * Fields that the specification names and that hold no personal data, with the types of their columns. The number of an item is not among
 * them, nor the slots of a response: each slot has its own fields.
 */
export const PLAIN_FIELDS = {
  event: plainFields(EVENT_FIELDS, 'events'),
  response: plainFields(RESPONSE_FIELDS, 'responses', 'payments'),
  slot: plainFields(SLOT_FIELDS, 'slots'),
}

/** The row as it is stored where personal data are forgotten: as `forgetEvents` leaves one that was stored before. */
export function withoutPersonal(row: ResponseItem): ResponseItem {
  const slots = row.slots.map((slot) => ({ ...slot, _extra: null }))
  return { ...row, name: null, email: null, message: null, slots, _extra: null }
}
