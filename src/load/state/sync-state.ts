import { sql, type Kysely, type RawBuilder } from 'kysely'
import type { HeldGroup, Tables } from '../../common/schema/tables.ts'
import type { Transaction } from '../../db/transaction.ts'
import { chunkRows, assertRowCount } from '../statements.ts'

/** `sync_state.event_id` of the event list; no event has an empty id. */
export const EVENT_LIST_KEY = ''

/** The stored state of a list. */
export type ListState = ListFacts & Retention

interface ListFacts {
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
  /** Ids that the last read of a list in several pages lacked; the next read confirms them or not. */
  readonly unconfirmed_absences: readonly string[]
  readonly error_code: string | null
}

/**
 * What is stored of the personal data of a list: `kept`; `forgotten`, rows are stored without; `restored`, its next reading brings them
 * back: they are marked as forgotten, but the event is no longer old, or a person was restored.
 */
type Retention =
  | { readonly retention: 'kept' | 'restored' }
  | { readonly retention: 'forgotten'; readonly forgotten_at: string }

/** The new state of a list that was read and applied. */
export interface AppliedState {
  readonly event_id: string
  /** NULL while rows are live that the list lacks (held or unconfirmed): the digest must match the rows. */
  readonly digest: string | null
  readonly normaliser_version: number
  /** NULL under the same condition as the digest. */
  readonly etag: string | null
  readonly held_deletions: readonly HeldGroup[]
  readonly unconfirmed_absences: readonly string[]
  readonly set_aside: number
  /** Seconds until the list is due again; null: at the next run. */
  readonly poll_interval_s: number | null
  /** Whether served rows of the list were written or deleted: the list then gets a new version. */
  readonly has_changed: boolean
  /** Whether the rows have their personal data again. */
  readonly is_restored: boolean
}

/**
 * The change of a transaction to event rows. `renormalised`: the list is the same, only the normaliser is newer.
 */
export type EventRowsChange = 'none' | 'renormalised' | 'changed'

/** The new state of a list that has not changed. */
export interface UnchangedState {
  readonly event_id: string
  readonly poll_interval_s: number | null
  /** The tag of the last response. */
  readonly etag: string | null
  /** Whether its body was read; false after 304 Not Modified. */
  readonly read_whole: boolean
}

/** The error of a list that could not be read. Its rows stay, and it is due at the next run. */
export interface FailedState {
  readonly event_id: string
  readonly error_code: string
  readonly error_message: string
}

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
    .select(['error_code', 'forgotten_at', 'rewrite_due'])
    .select(sql<string | null>`encode(digest, 'hex')`.as('digest'))
    .where('account_id', '=', account)
    .execute()
  return new Map(
    rows.map(({ forgotten_at, rewrite_due, ...row }) => [
      row.event_id,
      {
        ...row,
        ...(forgotten_at === null
          ? { retention: rewrite_due ? 'restored' : 'kept' }
          : { retention: 'forgotten', forgotten_at }),
        held_deletions: row.held_deletions ?? [],
        unconfirmed_absences: row.unconfirmed_absences ?? [],
      },
    ]),
  )
}

/**
 * SQL: gives the event list a new version. Changed event rows also invalidate the stored digest. Otherwise a run could die
 * before it stores the new digest, and the service could return to the old list: the old digest would then match.
 */
export function newEventListVersion(
  account: number,
  records: Exclude<EventRowsChange, 'none'>,
): RawBuilder<unknown> {
  // guard: former digest; our own version, in the middle
  const digest = records === 'changed' ? sql`null` : sql`digest`
  return sql`
    update headcount.sync_state set list_version = gen_random_uuid(), digest = ${digest}
     where account_id = ${account} and event_id = ${EVENT_LIST_KEY}`
}

/** The run that stores states; `backfill` is the first run of the chain that it continues, if it does. */
export interface StateWriter {
  readonly account: number
  readonly run: string
  readonly backfill: string | null
}

/**
 * Stores the state of lists, as the last statement of the transaction that writes their rows. It may lock the row of the
 * event list: other transactions that do so wait from here on.
 *
 * @param records the change of the transaction to event rows; `none` when the event list is among the states
 */
export async function saveRead(
  trx: Transaction,
  { account, run, backfill }: StateWriter,
  states: readonly AppliedState[],
  records: EventRowsChange,
): Promise<void> {
  const idsOf = (of: readonly AppliedState[]) => of.map(({ event_id }) => event_id)
  const changed = idsOf(states.filter(({ has_changed }) => has_changed))
  const restored = idsOf(states.filter(({ is_restored }) => is_restored))
  const rows = states.map(
    ({ held_deletions: holds, unconfirmed_absences, has_changed: _, is_restored: __, ...state }) => ({
      ...state,
      unconfirmed_absences: unconfirmed_absences.length === 0 ? null : unconfirmed_absences,
      held_deletions: holds.length === 0 ? null : holds,
      held_deletion_count: holds.reduce((sum, { ids }) => sum + ids.length, 0),
      held_deletions_since: holds.map(({ since }) => since).toSorted()[0] ?? null,
    }),
  )
  // guard: version of the event list
  const events = records === 'none' ? sql`` : sql`with events as (${newEventListVersion(account, records)})`
  // guard: versions that stay
  const result = await sql`
    ${events}
    insert into headcount.sync_state as state
           (account_id, event_id, digest, normaliser_version, etag, checked_at, last_full_read_at, next_check_at,
            poll_interval_s, backfill_id, held_deletions, held_deletion_count, held_deletions_since, set_aside,
            unconfirmed_absences, first_listed_run_id, first_applied_run_id)
    select ${account}, event_id, decode(digest, 'hex'), normaliser_version, etag, now(), now(),
           now() + poll_interval_s * interval '1 second', poll_interval_s, ${backfill}::bigint,
           held_deletions, held_deletion_count, held_deletions_since, set_aside, unconfirmed_absences,
           ${run}::bigint, ${run}::bigint
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
           first_applied_run_id = coalesce(state.first_applied_run_id, excluded.first_applied_run_id),
           error_code = null, error_message = null, failed_at = null,
           list_version = case when excluded.event_id = any (${changed}::text[])
                               then excluded.list_version else state.list_version end,
           forgotten_at = case when excluded.event_id = any (${restored}::text[]) then null else state.forgotten_at end,
           rewrite_due = false`.execute(trx.kysely)
  assertRowCount('headcount.sync_state, read', rows.length, result)
  if (states.some(({ event_id }) => event_id === EVENT_LIST_KEY)) await saveFirstListing(trx, account, run)
}

/** The run that first stores the event list whole: what it found is no news. */
async function saveFirstListing({ kysely }: Transaction, account: number, run: string): Promise<void> {
  await kysely
    .updateTable('headcount.accounts')
    .set({ first_listed_run_id: run })
    .where('id', '=', account)
    .where('first_listed_run_id', 'is', null)
    .execute()
}

/** Marks lists as checked and unchanged, thousands with one statement. */
export async function markUnchanged(
  trx: Transaction,
  account: number,
  lists: readonly UnchangedState[],
): Promise<void> {
  for (const chunk of chunkRows(lists)) {
    await sql`
      update headcount.sync_state state
         set checked_at = now(), etag = i.etag,
             last_full_read_at = case when i.read_whole then now() else state.last_full_read_at end,
             poll_interval_s = i.poll_interval_s, next_check_at = now() + i.poll_interval_s * interval '1 second',
             error_code = null, error_message = null, failed_at = null
        from json_to_recordset(${JSON.stringify(chunk)}::json) as i(
          event_id text, poll_interval_s int, etag text, read_whole boolean)
       where state.account_id = ${account} and state.event_id = i.event_id`.execute(trx.kysely)
  }
}

/** Stores why lists could not be read. */
export async function saveFailures(
  trx: Transaction,
  { account, run }: Pick<StateWriter, 'account' | 'run'>,
  failures: readonly FailedState[],
): Promise<void> {
  for (const chunk of chunkRows(failures)) {
    const result = await sql`
      insert into headcount.sync_state (account_id, event_id, error_code, error_message, failed_at, first_listed_run_id)
      select ${account}, event_id, error_code, error_message, now(), ${run}::bigint
        from json_to_recordset(${JSON.stringify(chunk)}::json) as i(
          event_id text, error_code text, error_message text)
          on conflict (account_id, event_id) do update
         set error_code = excluded.error_code, error_message = excluded.error_message,
             failed_at = excluded.failed_at`.execute(trx.kysely)
    assertRowCount('headcount.sync_state, failed', chunk.length, result)
  }
}

/** SQL: whether a row is of an event that is neither listed by the service nor in the mirror. */
export function isStale(account: number, listed: readonly string[]): RawBuilder<unknown> {
  return sql`
    account_id = ${account} and event_id <> ${EVENT_LIST_KEY}
      and event_id <> all (${listed}::text[])
      and not exists (select 1 from headcount.events e where e.account_id = ${account} and e.id = event_id)`
}

/** Deletes state and rejects of events that are not listed any more (`isStale`); rejects of the event list itself have no event. */
export async function deleteStaleState(
  trx: Transaction,
  account: number,
  listed: readonly string[],
): Promise<void> {
  const stale = isStale(account, listed)
  await sql`delete from headcount.rejects where event_id is not null and ${stale}`.execute(trx.kysely)
  await sql`delete from headcount.sync_state where ${stale}`.execute(trx.kysely)
}
