import { identifier } from '../quote.ts'

/** What readers may read. A table or view that stands in none of these lists is for nobody but the owner; a test finds it. */

/** Without names, addresses and messages. */
export const READABLE_WITHOUT_PERSONAL: readonly string[] = [
  'changes_without_personal',
  'event_changes_without_personal',
  'event_respondents_without_personal',
  'event_summary',
  'events_without_personal',
  'list_status_without_personal',
  'payment_summary',
  'payments',
  'payments_by_month',
  'respondents_without_personal',
  'response_changes_without_personal',
  'response_details_without_personal',
  'response_pace',
  'responses_without_personal',
  'rsvp_values',
  'run_summary',
  'similar_events',
  'slot_summary',
  'slots_without_personal',
  'thin_slots',
]

/** Besides, for readers who see names. */
export const READABLE_WITH_PERSONAL: readonly string[] = [
  'changes',
  'event_changes',
  'event_history',
  'event_respondents',
  'events',
  'list_status',
  'respondents',
  'response_changes',
  'response_details',
  'response_documents',
  'response_history',
  'responses',
  'set_aside',
  'slots',
]

/** The zone of the days in the views: a workbook has its times in it. */
export const READABLE_OF_ACCOUNTS: readonly string[] = ['id', 'time_zone']

/** For the owner alone; but see `READABLE_OF_ACCOUNTS`. */
export const READABLE_BY_NOBODY: readonly string[] = [
  'accepted_rejects',
  'accounts',
  'api_keys',
  'api_observations',
  'deliveries',
  'links',
  'moved',
  'person_id_secret',
  'readers',
  'rejects',
  'rsvp_meanings',
  'schema_migrations',
  'slot_targets',
  'suppressed_responses',
  'suppressions',
  'sync_runs',
  'sync_state',
]

/** Of these, what no run reads or writes: docs/operate/permissions.md keeps them from the role that syncs. */
export const UNUSED_BY_RUNS: readonly string[] = ['api_keys', 'person_id_secret', 'readers']

/** Every table and view of the mirror. */
export const RELATIONS: ReadonlySet<string> = new Set([
  ...READABLE_WITHOUT_PERSONAL,
  ...READABLE_WITH_PERSONAL,
  ...READABLE_BY_NOBODY,
])

/** They run with the rights of their owner; the functions of the past call them. */
const FUNCTIONS_OF_THE_PAST = [
  'headcount_internal.account_at(text, timestamptz)',
  'headcount_internal.default_account()',
].join(', ')

/** A reader, as the table `readers` has it. */
export interface StoredReader {
  readonly role_name: string
  readonly with_personal: boolean
}

/** The tables and views that a reader may read. */
export function readableBy({ with_personal }: Pick<StoredReader, 'with_personal'>): readonly string[] {
  return [...READABLE_WITHOUT_PERSONAL, ...(with_personal ? READABLE_WITH_PERSONAL : [])]
}

/**
 * Takes every right on the tables of the schema from the role and grants what it may read, so that a reader of the other kind
 * keeps nothing.
 *
 * @param existing tables and views of the schema: what a later migration makes is granted by that one
 */
export function grantsOf(
  { role_name, with_personal }: StoredReader,
  existing: ReadonlySet<string>,
): readonly string[] {
  const role = identifier(role_name)
  const readable = readableBy({ with_personal })
    .filter((name) => existing.has(name))
    .toSorted()
    .map((name) => `headcount.${name}`)
  return [
    `revoke all on all tables in schema headcount from ${role}`,
    `revoke all on all sequences in schema headcount from ${role}`,
    `revoke create on schema headcount, headcount_internal from ${role}`,
    `grant usage on schema headcount to ${role}`,
    ...(readable.length === 0 ? [] : [`grant select on ${readable.join(', ')} to ${role}`]),
    `grant select (${READABLE_OF_ACCOUNTS.join(', ')}) on headcount.accounts to ${role}`,
    with_personal
      ? `grant execute on function ${FUNCTIONS_OF_THE_PAST} to ${role}`
      : `revoke execute on function ${FUNCTIONS_OF_THE_PAST} from ${role}`,
  ]
}

/** Takes everything from the role that `grantsOf` gave. */
export function revocationsOf(roleName: string): readonly string[] {
  const role = identifier(roleName)
  return [
    `revoke all on all tables in schema headcount from ${role}`,
    `revoke all on all sequences in schema headcount from ${role}`,
    `revoke all on schema headcount from ${role}`,
    `revoke execute on function ${FUNCTIONS_OF_THE_PAST} from ${role}`,
  ]
}
