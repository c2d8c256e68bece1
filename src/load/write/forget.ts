import { sql, type Kysely, type RawBuilder } from 'kysely'
import type { Tables, Timestamp } from '../../common/schema/tables.ts'
import type { Transaction } from '../../db/transaction.ts'

/** An event whose personal data are to be forgotten. */
export interface ForgettableEvent {
  readonly event_id: string
  /** Live responses and former versions of responses: what forgetting looks at. */
  readonly rows: number
}

/** What was forgotten. */
export interface ForgottenCounts {
  events: number
  /** Live responses that had a name, an address, a message or unknown fields. */
  responses: number
  /** Former versions of responses that had. */
  versions: number
}

export function noneForgotten(): ForgottenCounts {
  return { events: 0, responses: 0, versions: 0 }
}

/** SQL: whether a response `r` has personal data of its own or in a slot. */
export const hasPersonal = sql`(
  r.name is not null or r.email is not null or r.message is not null or r._extra is not null
  or exists (select from headcount.slots s
              where s.account_id = r.account_id and s.event_id = r.event_id and s.response_id = r.id and s._extra is not null))`

/** SQL: whether a former version `h` has none. */
const isForgotten = sql`h.document = headcount_internal.forgotten_response(h.document)`

/** The last that happened to the responses of the event `event_id`; a time in the future counts from when it was seen. */
const lastResponse = (account: number, eventId: RawBuilder<unknown>) => sql`greatest(
  (select max(greatest(least(r.created_at, r._first_seen_at),
                       case when r.updated_at is not null then least(r.updated_at, r._changed_at) end))
     from headcount.responses r
    where r.account_id = ${account} and r.event_id = ${eventId}),
  (select max(h.valid_to) from headcount.response_history h
    where h.account_id = ${account} and h.event_id = ${eventId}))`

/**
 * Events that took place longer ago than `afterMs`, and that are not marked as forgotten; without a time those whose last response
 * is that old. Also events that were removed and are in history. What is forgotten does not come back, so an event is old by the clock of
 * the database and by that of this machine: one that is ahead forgets nothing.
 *
 * @param runNow the clock of this machine, ISO 8601
 * @param only null: all events
 */
export async function findForgettable(
  kysely: Kysely<Tables>,
  account: number,
  { afterMs, runNow }: { readonly afterMs: number; readonly runNow: Timestamp },
  only: readonly string[] | null,
): Promise<readonly ForgettableEvent[]> {
  // guard: both clocks to forget
  const until = sql`least(now(), ${runNow}::timestamptz) - ${afterMs}::float8 * interval '1 millisecond'`
  const { rows } = await sql<ForgettableEvent>`
    with due as (
      select e.id as event_id
        from headcount.events e
        join headcount.sync_state s on s.account_id = e.account_id and s.event_id = e.id and s.forgotten_at is null
       where e.account_id = ${account}
         and case when e.event_at is not null then e.event_at else ${lastResponse(account, sql`e.id`)} end
             <= ${until}
       union all
      select removed.event_id
        from (
          select distinct on (h.event_id) h.event_id, h.valid_to,
                 headcount_internal.stored_instant(h.document->'event_at') as event_at
            from headcount.event_history h
           where h.account_id = ${account} and h.operation = 'delete' and h.forgotten_at is null
             and not exists (select from headcount.events e where e.account_id = h.account_id and e.id = h.event_id)
           order by h.event_id, h.valid_to desc, h.ended_by_run_id desc
        ) removed
       where coalesce(removed.event_at, ${lastResponse(account, sql`removed.event_id`)}, removed.valid_to)
             <= ${until}
    )
    select event_id,
           ((select count(*) from headcount.responses r where r.account_id = ${account} and r.event_id = due.event_id)
            + (select count(*) from headcount.response_history h
                where h.account_id = ${account} and h.event_id = due.event_id))::float8 as rows
      from due
     where ${only}::text[] is null or event_id = any (${only}::text[])
     order by event_id`.execute(kysely)
  return rows
}

/**
 * Forgets the personal data of responses to these events: in the live tables, in history and in rejects. Neither the time of a change nor
 * history is touched: nothing has changed at the service. The lists get another version, so that nobody is served the old one.
 */
export async function forgetEvents(
  { kysely }: Transaction,
  account: number,
  events: readonly Pick<ForgettableEvent, 'event_id'>[],
): Promise<ForgottenCounts> {
  const ids = events.map(({ event_id }) => event_id)
  const ofEvents = (row: string) =>
    sql`${sql.ref(`${row}.account_id`)} = ${account} and ${sql.ref(`${row}.event_id`)} = any (${ids}::text[])`
  // guard: version of a forgotten list
  await sql`
    update headcount.sync_state s
       set forgotten_at = now(), set_aside = 0, list_version = gen_random_uuid()
     where ${ofEvents('s')}`.execute(kysely)
  await sql`
    update headcount.event_history h set forgotten_at = now()
     where ${ofEvents('h')} and h.operation = 'delete' and h.forgotten_at is null`.execute(kysely)
  await sql`
    update headcount.rejects j set payload = null
     where ${ofEvents('j')} and j.payload is not null`.execute(kysely)
  return { events: ids.length, ...(await clearPersonal(kysely, ofEvents)) }
}

/**
 * Takes the personal data out of these responses: in the live tables, and in history in place.
 *
 * @param ofThese SQL: whether a row belongs to one of them, by the name of the row and of the column with the id of the response
 */
export async function clearPersonal(
  kysely: Kysely<Tables>,
  ofThese: (row: string, id: string) => RawBuilder<unknown>,
): Promise<Omit<ForgottenCounts, 'events'>> {
  const responses = await sql`
    update headcount.responses r set name = null, email = null, message = null, _extra = null
     where ${ofThese('r', 'id')} and ${hasPersonal}`.execute(kysely)
  await sql`
    update headcount.slots s set _extra = null
     where ${ofThese('s', 'response_id')} and s._extra is not null`.execute(kysely)
  // guard: erased from history
  const versions = await sql`
    update headcount.response_history h set document = headcount_internal.forgotten_response(h.document)
     where ${ofThese('h', 'response_id')} and not ${isForgotten}`.execute(kysely)
  return { responses: Number(responses.numAffectedRows), versions: Number(versions.numAffectedRows) }
}

/** What {@link forgetEvents} would forget. */
export async function countForgettable(
  { kysely }: Transaction,
  account: number,
  events: readonly Pick<ForgettableEvent, 'event_id'>[],
): Promise<ForgottenCounts> {
  const ids = events.map(({ event_id }) => event_id)
  const { rows } = await sql<Omit<ForgottenCounts, 'events'>>`
    select (select count(*) from headcount.responses r
             where r.account_id = ${account} and r.event_id = any (${ids}::text[]) and ${hasPersonal})::float8 as responses,
           (select count(*) from headcount.response_history h
             where h.account_id = ${account} and h.event_id = any (${ids}::text[]) and not ${isForgotten})::float8 as versions`.execute(
    kysely,
  )
  return { events: ids.length, responses: rows[0]?.responses ?? 0, versions: rows[0]?.versions ?? 0 }
}
