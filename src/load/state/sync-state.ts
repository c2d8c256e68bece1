import { sql } from 'kysely'
import type { Kysely, RawBuilder } from 'kysely'
import type { HeldGroup, ReportedHold, Tables } from '../../common/schema/tables.ts'
import type { Transaction } from '../../db/transaction.ts'
import { rejectCounts } from './rejects.ts'
import { onlyRow, pieces, requireCount } from '../statements.ts'

/** The name under which `sync_state` keeps the list of events itself; no event has an empty id. */
export const EVENTS_LIST = ''

/** What is known of a list before it is read. */
export interface ListState {
  readonly event_id: string
  readonly digest: string | null
  readonly normaliser_version: number | null
  readonly etag: string | null
  readonly last_full_read_at: string | null
  readonly checked_at: string | null
  readonly next_check_at: string | null
  readonly poll_interval_s: number | null
  readonly backfill_id: string | null
  readonly held_deletions: readonly HeldGroup[]
  /** Ids that the last reading lacked, of a list in several pages: a second one will tell. */
  readonly unconfirmed_absences: readonly string[]
  readonly error_code: string | null
}

/** What is known of a list that was read and applied, but for what is held of it. */
export interface ReadState {
  readonly event_id: string
  /** NULL while rows are live that the list lacks, held or unconfirmed: no digest without rows. */
  readonly digest: string | null
  readonly normaliser_version: number
  /** The service's validator of this list; NULL as the digest. */
  readonly etag: string | null
  readonly held_deletions: readonly HeldGroup[]
  readonly unconfirmed_absences: readonly string[]
  readonly set_aside: number
  /** Seconds until the list is due again; null: at the next run. */
  readonly poll_interval_s: number | null
  /** Rows that are served of the list were written or removed: what is served gets another version. */
  readonly has_changed: boolean
}

/**
 * What a transaction wrote to the records of events, which the list of events shows. `renormalised`: only our own version reads
 * the same list differently.
 */
export type RecordsChange = 'none' | 'renormalised' | 'changed'

/** A list that is still as it was when it was last applied. */
export interface UnchangedState {
  readonly event_id: string
  readonly poll_interval_s: number | null
  /** The validator that came with it last. */
  readonly etag: string | null
  /** Its body was read; false when the service said "not modified". */
  readonly read_whole: boolean
}

/** A list that could not be read; its rows stay as they are and it is due at the next run. */
export interface FailedState {
  readonly event_id: string
  readonly error_code: string
  readonly error_message: string
}

/** As a digest is compared. */
export const digestInHexadecimal = sql<string | null>`encode(digest, 'hex')`.as('digest')

export async function readStates(
  kysely: Kysely<Tables>,
  account: number,
): Promise<ReadonlyMap<string, ListState>> {
  const rows = await kysely
    .selectFrom('headcount.sync_state')
    .select([
      'event_id',
      'normaliser_version',
      'etag',
      'last_full_read_at',
      'checked_at',
      'next_check_at',
      'poll_interval_s',
      'backfill_id',
      'held_deletions',
      'unconfirmed_absences',
    ])
    .select('error_code')
    .select(digestInHexadecimal)
    .where('account_id', '=', account)
    .execute()
  return new Map(
    rows.map((row) => [
      row.event_id,
      {
        ...row,
        held_deletions: row.held_deletions ?? [],
        unconfirmed_absences: row.unconfirmed_absences ?? [],
      },
    ]),
  )
}

/**
 * Gives the list of events another version, as SQL. Records of another list also end what the former digest vouches for:
 * should this run not live to store its own, and the service go back to the former list, it would vouch for these.
 */
export function newEventsVersion(
  account: number,
  records: Exclude<RecordsChange, 'none'>,
): RawBuilder<unknown> {
  const digest = records === 'changed' ? sql`null` : sql`digest`
  return sql`
    update headcount.sync_state set list_version = gen_random_uuid(), digest = ${digest}
     where account_id = ${account} and event_id = ${EVENTS_LIST}`
}

/**
 * Stores the state of lists in the transaction that writes their rows, as its last statement: it may give the list of events
 * another version, and two transactions that both do so wait for each other from there on.
 *
 * @param records what the transaction wrote to records of events; `none` when the list of events is among the states
 */
export async function recordRead(
  trx: Transaction,
  account: number,
  backfill: string | null,
  states: readonly ReadState[],
  records: RecordsChange,
): Promise<void> {
  const changed = states.filter(({ has_changed }) => has_changed).map(({ event_id }) => event_id)
  const rows = states.map(({ held_deletions: holds, unconfirmed_absences, has_changed: _, ...state }) => ({
    ...state,
    unconfirmed_absences: unconfirmed_absences.length === 0 ? null : unconfirmed_absences,
    held_deletions: holds.length === 0 ? null : holds,
    held_deletion_count: holds.reduce((sum, { ids }) => sum + ids.length, 0),
    held_deletions_since: holds.map(({ since }) => since).toSorted()[0] ?? null,
  }))
  const events = records === 'none' ? sql`` : sql`with events as (${newEventsVersion(account, records)})`
  const result = await sql`
    ${events}
    insert into headcount.sync_state as state
           (account_id, event_id, digest, normaliser_version, etag, checked_at, last_full_read_at, next_check_at,
            poll_interval_s, backfill_id, held_deletions, held_deletion_count, held_deletions_since, set_aside,
            unconfirmed_absences)
    select ${account}, event_id, decode(digest, 'hex'), normaliser_version, etag, now(), now(),
           now() + poll_interval_s * interval '1 second', poll_interval_s, ${backfill}::bigint,
           held_deletions, held_deletion_count, held_deletions_since, set_aside, unconfirmed_absences
      from json_to_recordset(${JSON.stringify(rows)}::json) as item(
        event_id text, digest text, normaliser_version int, etag text, poll_interval_s int, held_deletions jsonb,
        held_deletion_count int, held_deletions_since timestamptz, set_aside int, unconfirmed_absences jsonb)
     order by event_id
        on conflict (account_id, event_id) do update
       set digest = excluded.digest, normaliser_version = excluded.normaliser_version, etag = excluded.etag,
           checked_at = excluded.checked_at, last_full_read_at = excluded.last_full_read_at,
           next_check_at = excluded.next_check_at, poll_interval_s = excluded.poll_interval_s,
           backfill_id = coalesce(excluded.backfill_id, state.backfill_id),
           held_deletions = excluded.held_deletions, held_deletion_count = excluded.held_deletion_count,
           held_deletions_since = excluded.held_deletions_since, set_aside = excluded.set_aside,
           unconfirmed_absences = excluded.unconfirmed_absences,
           error_code = null, error_message = null, failed_at = null,
           list_version = case when excluded.event_id = any (${changed}::text[])
                               then excluded.list_version else state.list_version end`.execute(trx.kysely)
  requireCount('headcount.sync_state, read', rows.length, result)
}

/** Stamps lists that are still as they were stored: one statement for thousands of them. */
export async function recordUnchanged(
  trx: Transaction,
  account: number,
  lists: readonly UnchangedState[],
): Promise<void> {
  for (const piece of pieces(lists)) {
    await sql`
      update headcount.sync_state state
         set checked_at = now(), etag = i.etag,
             last_full_read_at = case when i.read_whole then now() else state.last_full_read_at end,
             poll_interval_s = i.poll_interval_s, next_check_at = now() + i.poll_interval_s * interval '1 second',
             error_code = null, error_message = null, failed_at = null
        from json_to_recordset(${JSON.stringify(piece)}::json) as i(
          event_id text, poll_interval_s int, etag text, read_whole boolean)
       where state.account_id = ${account} and state.event_id = i.event_id`.execute(trx.kysely)
  }
}

/** Notes that lists could not be read. */
export async function recordFailed(
  trx: Transaction,
  account: number,
  failures: readonly FailedState[],
): Promise<void> {
  for (const piece of pieces(failures)) {
    const result = await sql`
      insert into headcount.sync_state (account_id, event_id, error_code, error_message, failed_at)
      select ${account}, event_id, error_code, error_message, now()
        from json_to_recordset(${JSON.stringify(piece)}::json) as i(
          event_id text, error_code text, error_message text)
          on conflict (account_id, event_id) do update
         set error_code = excluded.error_code, error_message = excluded.error_message,
             failed_at = excluded.failed_at`.execute(trx.kysely)
    requireCount('headcount.sync_state, failed', piece.length, result)
  }
}

/** Forgets what was known of lists that are neither listed by the service nor in the mirror. */
export async function forgetUnlisted(
  trx: Transaction,
  account: number,
  listed: readonly string[],
): Promise<void> {
  const gone = sql`
    account_id = ${account} and event_id <> ''
      and event_id <> all (${listed}::text[])
      and not exists (select 1 from headcount.events e where e.account_id = ${account} and e.id = event_id)`
  await sql`delete from headcount.rejects where event_id is not null and ${gone}`.execute(trx.kysely)
  await sql`delete from headcount.sync_state where ${gone}`.execute(trx.kysely)
}

/** The holds of an account that are listed one by one, the oldest first. */
export const MAX_REPORTED_HOLDS = 100

/** What the mirror of an account holds back or could not store, and the database's clock. */
export interface OpenMatters {
  /** Without those that the owner accepted. */
  readonly rejected: number
  readonly held: number
  /** Absences that a second reading of their list will confirm or not. */
  readonly unconfirmed: number
  readonly set_aside: number
  /** At most {@link MAX_REPORTED_HOLDS}. */
  readonly holds: readonly ReportedHold[]
  readonly now: string
}

export async function countOpenMatters(trx: Transaction, account: number): Promise<OpenMatters> {
  const { rows } = await sql<OpenMatters>`
    select rejected, held, unconfirmed, set_aside, holds, now() as now
      from (${rejectCounts(account, null)}) rejects
     cross join (
       select coalesce(sum(held_deletion_count), 0)::int as held, coalesce(sum(set_aside), 0)::int as set_aside,
              coalesce(sum(jsonb_array_length(unconfirmed_absences)), 0)::int as unconfirmed
         from headcount.sync_state
        where account_id = ${account}
     ) states
     cross join (
       select coalesce(jsonb_agg(to_jsonb(hold) order by since, event_id), '[]') as holds
         from (
           select nullif(event_id, '') as event_id, part->>'since' as since, part->>'reason' as reason,
                  jsonb_array_length(part->'ids') as rows
             from headcount.sync_state state
            cross join jsonb_array_elements(state.held_deletions) as part
            where account_id = ${account} and held_deletion_count > 0
            order by since, event_id
            limit ${MAX_REPORTED_HOLDS}
         ) hold
     ) holds`.execute(trx.kysely)
  return onlyRow(rows)
}
