/** Observations derived from live rows, for runs that died before they stored theirs. */
import { sql } from 'kysely'
import type { Observation } from '../../common/schema/tables.ts'
import type { Transaction } from '../../db/transaction.ts'
import type { ObservationKey } from './observations.ts'

/** A service may put anything in a key, so that there may be any number of them. */
const MAX_OBSERVATIONS = 1000

/** Runs after the last one that has a report, except this one: they died before they stored their observations. */
export async function unfinishedRuns(
  { kysely }: Transaction,
  account: number,
  run: string,
): Promise<readonly string[]> {
  const { rows } = await sql<{ id: string }>`
    select id
      from headcount.sync_runs
     where account_id = ${account} and id <> ${run} and report is null
       and id > coalesce((select max(id) from headcount.sync_runs where account_id = ${account} and report is not null), 0)
     order by id`.execute(kysely)
  return rows.map(({ id }) => id)
}

/**
 * Which of these observations were already in live rows of other runs than these: in a mirror that was filled before
 * observations were stored, they are not new.
 */
export async function alreadyInRows(
  { kysely }: Transaction,
  account: number,
  otherThan: readonly string[],
  facts: readonly ObservationKey[],
): Promise<readonly ObservationKey[]> {
  if (facts.length === 0) return []
  const isOld = sql`account_id = ${account} and _run_id <> all (${otherThan}::bigint[])`
  const { rows } = await sql<ObservationKey>`
    select item.*
      from json_to_recordset(${JSON.stringify(facts)}::json) as item(path text, kind text, value text)
     where case item.path || ' ' || item.kind
             when 'response.rsvp value' then exists (
               select 1 from headcount.responses where ${isOld} and rsvp = item.value)
             when 'event.event_type value' then exists (
               select 1 from headcount.events where ${isOld} and event_type = item.value)
             when 'response unknown_field' then exists (
               select 1 from headcount.responses where ${isOld} and _extra ? item.value)
             when 'event unknown_field' then exists (
               select 1 from headcount.events where ${isOld} and _extra ? item.value)
             else false
           end`.execute(kysely)
  return rows
}

/**
 * Observations in the live rows of these runs: values, and every field in `_extra`. Values are as they were sent; one that
 * equals the name, address or message of its respondent is left out.
 */
export async function observeRows(
  { kysely }: Transaction,
  account: number,
  runs: readonly string[],
): Promise<readonly Observation[]> {
  if (runs.length === 0) return []
  const isTheirs = sql`account_id = ${account} and _run_id = any (${runs}::bigint[])`
  const extra = sql`case when jsonb_typeof(_extra) = 'object' then _extra end`
  const { rows } = await sql<Observation>`
    select 'response.rsvp' as path, 'value' as kind, rsvp as value, count(*)::int as count
      from headcount.responses
     where ${isTheirs} and rsvp is not null
       and rsvp is distinct from name and rsvp is distinct from email and rsvp is distinct from message
     group by rsvp
     union all
    select 'event.event_type', 'value', event_type, count(*)::int
      from headcount.events
     where ${isTheirs} and event_type is not null
     group by event_type
     union all
    select 'response', 'unknown_field', field, count(*)::int
      from headcount.responses, jsonb_object_keys(${extra}) as field
     where ${isTheirs}
     group by field
     union all
    select 'event', 'unknown_field', field, count(*)::int
      from headcount.events, jsonb_object_keys(${extra}) as field
     where ${isTheirs}
     group by field
     order by count desc, path, kind, value
     limit ${MAX_OBSERVATIONS}`.execute(kysely)
  return rows
}
