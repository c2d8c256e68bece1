/** The account of a key and the version of a list: all that a 304 needs from the database. */
import { sql, type Kysely } from 'kysely'
import type { Tables } from '../../../common/schema/tables.ts'
import { stateOf } from '../../../mirror/keys/keys.ts'
import type { ListVersion } from '../store.ts'
import { notFuture } from '../../../mirror/instants/not-future.ts'
import type { KnownFreshness } from './freshness.ts'
import { ITEM_FORM } from './serialise-items.ts'

export interface Lookup {
  /** Of the key, in hexadecimal. */
  readonly sha256: string
  /** The list's name in `sync_state`; null: none is requested. */
  readonly list: string | null
}

/** The result of a lookup; without `key_id` the key is invalid. */
export interface LookupRow extends KnownFreshness {
  /** The schema version. */
  readonly schema: number
  readonly key_id: string | null
  readonly sha256: string | null
  /** Whether no use of the key was recorded today. */
  readonly is_first_use: boolean
  readonly account: number
  readonly email: string | null
  /** Whether the event is in the mirror; true for the event list. */
  readonly is_known: boolean
  /** Null: the list was never read. */
  readonly version: string | null
  /** Seconds since the list was last read or found unchanged; null: never. */
  readonly age: number | null
}

/** NULL stays NULL; `greatest` alone would return 0. */
const seconds = (since: string) =>
  sql`case when ${sql.ref(since)} is not null then greatest(0, floor(extract(epoch from now() - ${sql.ref(since)})))::int end`

/**
 * The version and age of a list `s` of sync_state. Runs write rows and `list_version` in one transaction. `ITEM_FORM`
 * stands for the serialisation, which turns equal rows into other bytes.
 */
const listVersionSql = sql`s.list_version || ${` ${ITEM_FORM}`}::text as version, ${seconds('s.checked_at')} as age`

/**
 * Seconds since the start of the newest such run of the account of a key or link; NULL: there was none.
 *
 * @param which condition on the runs of the account
 */
export const runAge = (of: 'key' | 'link', which: string) => sql<number | null>`(
  select ${seconds('started_at')}
    from headcount.sync_runs
   where account_id = ${sql.ref(`${of}.account_id`)} and ${sql.raw(which)}
     and ${/* guard: served runs of the future */ notFuture(sql`started_at`)}
   order by id desc
   limit 1)`

/** Runs that read every due list. */
export const COMPLETE_RUN = `status in ('succeeded', 'held') and not named_events_only`

/** Held deletions count for each list separately. */
const freshness = sql`
  ${runAge('key', COMPLETE_RUN)} as run_age,
  case when s.held_deletion_count > 0 then ${runAge('key', 'good')} end as good_run_age,
  case when s.held_deletion_count > 0 then (
    select jsonb_agg(jsonb_build_object('since', part->'since', 'reason', part->'reason'))
      from jsonb_array_elements(s.held_deletions) as part) end as holds,
  now() as now`

const noFreshness = sql`null::int as run_age, null::int as good_run_age, null::jsonb as holds, null::timestamptz as now`

/**
 * Returns the results in the order of the lookups. Planning is half of the time, so the statement has few joins.
 *
 * @param withFreshness whether the freshness is needed
 */
export async function lookUpMany(
  kysely: Kysely<Tables>,
  asked: readonly Lookup[],
  withFreshness: boolean,
): Promise<readonly LookupRow[]> {
  // guard: state of a key
  const { rows } = await sql<LookupRow>`
    select (select max(number) from headcount.schema_migrations) as schema,
           key.id as key_id, key.sha256, key.last_used_on is distinct from (now() at time zone 'UTC')::date as is_first_use,
           key.account_id as account, (select email from headcount.accounts where id = key.account_id) as email,
           ${withFreshness ? freshness : noFreshness},
           q.list = '' or e.id is not null as is_known, ${listVersionSql}
      from unnest(${asked.map(({ sha256 }) => sha256)}::text[], ${asked.map(({ list }) => list)}::text[])
           with ordinality as q (sha256, list, turn)
      left join headcount.api_keys key on key.sha256 = q.sha256 and ${stateOf('key')} = 'active'
      left join headcount.events e on e.account_id = key.account_id and e.id = q.list
      left join headcount.sync_state s on s.account_id = key.account_id and s.event_id = q.list
     order by q.turn`.execute(kysely)
  return rows
}

const isWhole = (account: number) =>
  sql`not exists (select from headcount.accounts where id = ${account} and _removing_since is not null)`

/**
 * The version of a list in the snapshot of a transaction; undefined when it does not exist. The removal of an account
 * deletes its rows in many transactions, under the versions that the lists had: from its first one on there are none.
 */
export async function listVersion(
  kysely: Kysely<Tables>,
  account: number,
  list: string,
): Promise<ListVersion | undefined> {
  const { rows } = await sql<ListVersion>`
    select ${listVersionSql}
      from headcount.sync_state s
     where s.account_id = ${account} and s.event_id = ${list} and s.checked_at is not null
       and ${/* guard: lists of a removed account */ isWhole(account)}`.execute(kysely)
  return rows[0]
}
