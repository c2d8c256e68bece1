/** What the live tables themselves say of the open points: true counts of what is there now. */
import { sql } from 'kysely'
import type { Transaction } from '../../db/transaction.ts'
import { safeValue } from '../../normalise/observe/safe-value.ts'

/** A fact of the live rows; `now` is how many of them show it. */
export interface LiveFact {
  readonly subject: string
  readonly fact:
    'value' | 'unknown_field' | 'set_aside' | 'empty' | 'shape' | 'scope' | 'smallest' | 'largest'
  readonly value: string
  readonly now: number
}

/** Of each fact at most so many values, the most frequent first. */
const MOST = 100

/** Reads each table once, and of a response only what is counted: no message is carried along. */
export async function readLive(trx: Transaction, account: number): Promise<readonly LiveFact[]> {
  const { rows } = await sql<LiveFact>`
    with event as materialized (select * from headcount.events where account_id = ${account}),
         response as materialized (
           select event_id, id, kind, rsvp, _extra, name is null as no_name, email is null as no_email,
                  message is null as no_message, created_at is null as no_created_at,
                  updated_at is null as no_updated_at, quantity is null as no_quantity
             from headcount.responses where account_id = ${account}),
         paid as (
           select r.kind, p.* from headcount.payments p
             join response r on r.event_id = p.event_id and r.id = p.response_id
            where p.account_id = ${account}),
         slot as materialized (select * from headcount.slots where account_id = ${account})
    ${values('response.rsvp', 'rsvp', 'response')}
    union all ${values('event.event_type', 'event_type', 'event')}
    union all ${extras('event', 'id, title, event_at, description, event_type, location')}
    union all ${extras('response', 'id, name, email, message, created_at, updated_at, quantity, rsvp, amount, processing_fee, slots')}
    union all ${extras('slot', 'name, start_date, end_date')}
    union all
    select kind || '.' || field, 'empty', 'no value', sum(n)::float8 from (
      select kind, field, count(*) as n
        from response cross join lateral (values
             ('name', no_name), ('email', no_email), ('message', no_message),
             ('created_at', no_created_at), ('updated_at', no_updated_at),
             ('quantity', kind in ('reply', 'signup') and no_quantity),
             ('rsvp', kind = 'reply' and rsvp is null)) as fields(field, is_empty)
       where is_empty group by kind, field
      union all
      select kind, field, count(*)
        from paid cross join lateral (values
             ('amount', amount is null), ('processing_fee', processing_fee is null)) as fields(field, is_empty)
       where is_empty group by kind, field
      union all
      select 'slot', field, count(*)
        from slot cross join lateral (values
             ('name', name is null), ('start_date', start_date is null), ('end_date', end_date is null)
             ) as fields(field, is_empty)
       where is_empty group by field
      union all
      select 'event', field, count(*)
        from event cross join lateral (values
             ('title', title is null), ('event_at', event_at is null), ('description', description is null),
             ('event_type', event_type is null), ('location', location is null)) as fields(field, is_empty)
       where is_empty group by field
    ) as empties group by kind, field
    union all
    (select 'event.event_type', 'shape', coalesce(event.event_type, '(none)') || ': ' || kind, count(*)::float8
       from response join event on event.id = response.event_id
      group by event.event_type, kind order by count(*) desc limit ${sql.lit(MOST)})
    union all
    select 'response.id', 'scope', case when events > 1 then 'in several events' else 'in one event' end, count(*)::float8
      from (select count(*) as events from response group by id) as ids
     group by events > 1
    union all select 'response.id', 'smallest', min(id)::text, 1 from response having count(*) > 0
    union all select 'response.id', 'largest', max(id)::text, 1 from response having count(*) > 0`.execute(
    trx.kysely,
  )
  return rows.map((row) => (isFromService(row) ? { ...row, value: safeValue(row.value) } : row))
}

/** Whether the value is a text of the service's, not a number or a word of ours. */
function isFromService({ fact }: LiveFact): boolean {
  return fact === 'value' || fact === 'unknown_field' || fact === 'shape'
}

/** How often each value of a column is there. */
function values(subject: string, column: string, table: string) {
  return sql`
    (select ${sql.lit(subject)} as subject, 'value' as fact, ${sql.ref(column)} as value, count(*)::float8 as now
       from ${sql.table(table)} where ${sql.ref(column)} is not null
      group by ${sql.ref(column)} order by count(*) desc limit ${sql.lit(MOST)})`
}

/** The keys of `_extra`: fields that the specification does not name, and those set aside. */
function extras(table: string, known: string) {
  return sql`
    (select case when is_known then ${sql.lit(table)} || '.' || key else ${sql.lit(table)} end,
            case when is_known then 'set_aside' else 'unknown_field' end,
            case when is_known then 'the original is in _extra' else key end, count(*)::float8
       from ${sql.table(table)}, jsonb_object_keys(_extra) as key,
            lateral (select key = any (string_to_array(${sql.lit(known)}, ', ')) as is_known) as own
      where _extra is not null
      group by key, is_known order by count(*) desc limit ${sql.lit(MOST)})`
}
