import { sql } from 'kysely'
import type { Kysely } from 'kysely'
import type { Tables } from '../db/tables.ts'
import type { Transaction } from '../db/transaction.ts'

/** What the live tables hold of one event. */
export interface LiveList {
  readonly rows: number
  /** Fields of the specification that at least one live response carries; a slot's as `slots.name`. */
  readonly fields: readonly string[]
}

/** Counts the live responses of these events and the fields they carry. Events without any are left out. */
export async function surveyResponses(
  trx: Transaction,
  account: number,
  event_ids: readonly string[],
): Promise<ReadonlyMap<string, LiveList>> {
  const { rows } = await sql<{ event_id: string; rows: number; fields: string[] }>`
    with live as (
      select * from headcount.responses where account_id = ${account} and event_id = any (${event_ids}::text[])
    ),
    paid as (
      select event_id, bool_or(amount is not null) as amount, bool_or(processing_fee is not null) as processing_fee
        from headcount.payments
       where account_id = ${account} and event_id = any (${event_ids}::text[])
       group by event_id
    ),
    placed as (
      select event_id, bool_or(name is not null) as name, bool_or(start_date is not null) as start_date,
             bool_or(end_date is not null) as end_date
        from headcount.slots
       where account_id = ${account} and event_id = any (${event_ids}::text[])
       group by event_id
    )
    select live.event_id, count(*)::int as rows,
           array_remove(array[
             case when bool_or(live.name is not null) then 'name' end,
             case when bool_or(live.email is not null) then 'email' end,
             case when bool_or(live.message is not null) then 'message' end,
             case when bool_or(live.quantity is not null) then 'quantity' end,
             case when bool_or(live.rsvp is not null) then 'rsvp' end,
             case when bool_or(live.created_at is not null) then 'created_at' end,
             case when bool_or(live.updated_at is not null) then 'updated_at' end,
             case when bool_or(paid.amount) then 'amount' end,
             case when bool_or(paid.processing_fee) then 'processing_fee' end,
             case when bool_or(kind = 'signup' or placed.event_id is not null) then 'slots' end,
             case when bool_or(placed.name) then 'slots.name' end,
             case when bool_or(placed.start_date) then 'slots.start_date' end,
             case when bool_or(placed.end_date) then 'slots.end_date' end
           ], null) as fields
      from live
      left join paid using (event_id)
      left join placed using (event_id)
     group by live.event_id`.execute(trx.kysely)
  return new Map(rows.map((row) => [row.event_id, row]))
}

/** The live responses whose ids are not among the given ones of their event; events that lost none are left out. */
export async function absentResponses(
  trx: Transaction,
  account: number,
  lists: readonly { readonly event_id: string; readonly ids: readonly string[] }[],
): Promise<ReadonlyMap<string, readonly string[]>> {
  const { rows } = await sql<{ event_id: string; id: string }>`
    select live.event_id, live.id
      from headcount.responses live
     where live.account_id = ${account}
       and live.event_id = any (${lists.map(({ event_id }) => event_id)}::text[])
       and not exists (
         select 1
           from unnest(
                  ${lists.flatMap(({ event_id, ids }) => ids.map(() => event_id))}::text[],
                  ${lists.flatMap(({ ids }) => ids)}::bigint[]) as present(event_id, id)
          where present.event_id = live.event_id and present.id = live.id)
     order by live.event_id, live.id`.execute(trx.kysely)
  const absent = Map.groupBy(rows, ({ event_id }) => event_id)
  return new Map([...absent].map(([event_id, missing]) => [event_id, missing.map(({ id }) => id)]))
}

/** Fields of the specification that at least one live event carries. */
export async function surveyEvents(kysely: Kysely<Tables>, account: number): Promise<readonly string[]> {
  const { rows } = await sql<{ fields: string[] }>`
    select array_remove(array[
             case when bool_or(title is not null) then 'title' end,
             case when bool_or(event_at is not null) then 'event_at' end,
             case when bool_or(description is not null) then 'description' end,
             case when bool_or(event_type is not null) then 'event_type' end,
             case when bool_or(location is not null) then 'location' end
           ], null) as fields
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

export async function countLive(kysely: Kysely<Tables>, account: number): Promise<LiveCounts> {
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
