/** What live rows show of what the specification leaves open, whoever has noted it; asked only when there is need. */
import { sql } from 'kysely'
import type { Observation } from '../../common/schema/tables.ts'
import type { Transaction } from '../../db/transaction.ts'
import type { ObservedFact } from './observations.ts'

/** The most facts that are taken from rows: a service may put anything in a key. */
const MOST_FACTS = 1000

/** Runs since the last one that was closed, but for this one: they died before what they had seen was stored. */
export async function unclosedRuns(
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
 * Which of these facts live rows of other runs than these show already: a mirror that was filled before anything was
 * observed has nothing new to tell of them.
 */
export async function knownToMirror(
  { kysely }: Transaction,
  account: number,
  otherThan: readonly string[],
  facts: readonly ObservedFact[],
): Promise<readonly ObservedFact[]> {
  if (facts.length === 0) return []
  const isOld = sql`account_id = ${account} and _run_id <> all (${otherThan}::bigint[])`
  const { rows } = await sql<ObservedFact>`
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
 * What live rows of these runs show: values, and every field that is kept in `_extra`. Values are as they were sent;
 * one that is the respondent's own name, address or message is left out.
 */
export async function shownByRows(
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
     limit ${MOST_FACTS}`.execute(kysely)
  return rows
}
