import { sql, type Kysely } from 'kysely'
import { valueColumns } from '../../common/schema/live-tables.ts'
import type { Tables } from '../../common/schema/tables.ts'
import { singleRow } from '../statements.ts'

const EVENT_COLUMNS = valueColumns('events').filter((name) => name !== '_extra')

/** Fields of the specification that at least one live event has. */
export async function presentEventFields(
  kysely: Kysely<Tables>,
  account: number,
): Promise<readonly string[]> {
  const { rows } = await sql<{ fields: string[] }>`
    select array_remove(array[
             ${sql.join(
               EVENT_COLUMNS.map(
                 (name) => sql`case when bool_or(${sql.ref(name)} is not null) then ${sql.lit(name)} end`,
               ),
             )}], null) as fields
      from headcount.events
     where account_id = ${account}`.execute(kysely)
  return rows[0]?.fields ?? []
}

/** Live rows of an account that a deletion could touch. */
export interface LiveCounts {
  readonly events: number
  /** Events and responses. */
  readonly total: number
}

export async function countLiveRows(kysely: Kysely<Tables>, account: number): Promise<LiveCounts> {
  const { rows } = await sql<LiveCounts>`
    select events, events + responses as total
      from (select count(*)::int as events from headcount.events where account_id = ${account}) e,
           (select count(*)::int as responses from headcount.responses where account_id = ${account}) r`.execute(
    kysely,
  )
  return rows[0] ?? { events: 0, total: 0 }
}

/** A live event that the service no longer lists, with the number of its live responses. */
export interface AbsentEvent {
  readonly id: string
  readonly responses: number
}

export async function absentEvents(
  kysely: Kysely<Tables>,
  account: number,
  listed: readonly string[],
): Promise<readonly AbsentEvent[]> {
  const { rows } = await sql<AbsentEvent>`
    select e.id,
           (select count(*) from headcount.responses r where r.account_id = e.account_id and r.event_id = e.id)::int
             as responses
      from headcount.events e
     where e.account_id = ${account}
       and not exists (select 1 from unnest(${listed}::text[]) as present(id) where present.id = e.id)
     order by e.id`.execute(kysely)
  return rows
}

/** How many of these events have live responses. */
export async function countWithResponses(
  kysely: Kysely<Tables>,
  account: number,
  event_ids: readonly string[],
): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count
      from unnest(${event_ids}::text[]) as listed(id)
     where exists (
       select 1 from headcount.responses r where r.account_id = ${account} and r.event_id = listed.id)`.execute(
    kysely,
  )
  return singleRow(rows).count
}

/**
 * How many events and responses were deleted since a list with responses was last read: by that run and by those after it,
 * except this one. Such a list has live responses and no holds, so that its live rows are what the service answered. Runs
 * are compared by number: the clock may have been set back.
 */
export async function deletedSinceLastRead(
  kysely: Kysely<Tables>,
  account: number,
  thisRun: string,
): Promise<number> {
  const deletedIn = (history: 'response_history' | 'event_history') => sql`
    (select count(*)
       from ${sql.table(`headcount.${history}`)} h, by_run
      where h.account_id = ${account} and h.operation = 'delete' and h.ended_by_run_id >= by_run.id
        and h.ended_by_run_id <> ${thisRun}::bigint)::int`
  const { rows } = await sql<{ deleted: number }>`
    with last_read as (
      select max(s.checked_at) as at
        from headcount.sync_state s
       where s.account_id = ${account} and s.held_deletion_count = 0 and s.unconfirmed_absences is null and s.checked_at <= now()
         and exists (
           select 1 from headcount.responses r where r.account_id = s.account_id and r.event_id = s.event_id)
    ), by_run as (
      select coalesce(max(run.id), 0) as id
        from headcount.sync_runs run, last_read
       where run.account_id = ${account} and run.started_at <= last_read.at
    )
    select ${deletedIn('response_history')} + ${deletedIn('event_history')} as deleted`.execute(kysely)
  return singleRow(rows).deleted
}
