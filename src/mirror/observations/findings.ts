/** What an account's traffic and its live rows show of what the specification leaves open. */
import { sql, type RawBuilder } from 'kysely'
import { valueColumns } from '../../common/schema/live-tables.ts'
import type { ObservationKind, Timestamp } from '../../common/schema/tables.ts'
import type { Transaction } from '../../db/transaction.ts'
import { EVENT_FIELDS, RESPONSE_FIELDS, SLOT_FIELDS } from '../../common/schema/field-names.ts'
import { OTHER_VALUES, WITHHELD } from '../../normalise/observe/safe-value.ts'

/** A fact, with how often it was seen in the traffic and how many live rows show it. */
export interface Finding {
  readonly subject: string
  /** The last five kinds come from live rows alone. */
  readonly fact: ObservationKind | 'set_aside' | 'empty' | 'shape' | 'scope' | 'id_form'
  readonly value: string
  /** Live rows that show it now; null when the tables cannot tell. */
  readonly now: number | null
  /** Runs that saw it in a list that was new or had changed; null when only the tables tell of it. */
  readonly seen: number | null
  readonly first_seen_at: Timestamp | null
  readonly last_seen_at: Timestamp | null
}

const columns = valueColumns('responses')
const RESPONSE_COLUMNS = RESPONSE_FIELDS.filter((field) => columns.includes(field))

/** Of each fact that rows alone tell at most so many values, the most frequent first. */
const MAX_FINDINGS = 100

/** Of the texts in the rows only those are shown that were observed: nothing personal is among them. */
export async function readFindings({ kysely }: Transaction, account: number): Promise<readonly Finding[]> {
  const { rows } = await sql<Finding>`
    with observed as (select * from headcount.api_observations where account_id = ${account}),
         event as not materialized (select * from headcount.events where account_id = ${account}),
         response as not materialized (select * from headcount.responses where account_id = ${account}),
         slot as not materialized (select * from headcount.slots where account_id = ${account}),
         counted (path, kind, value, n) as (
           select 'response.rsvp', 'value', rsvp, count(*) from response group by rsvp
           union all select 'event.event_type', 'value', event_type, count(*) from event group by event_type
           union all ${extraKeys('event', EVENT_FIELDS)}
           union all ${extraKeys('response', RESPONSE_FIELDS)}
           union all ${extraKeys('slot', SLOT_FIELDS)}),
         nulls (item, numbers) as (
           ${nullCounts('response', sql`kind`, RESPONSE_COLUMNS)}
           union all ${nullCounts('event', sql`'event'`, EVENT_FIELDS)}
           union all ${nullCounts('slot', sql`'slot'`, SLOT_FIELDS)}
           union all
           select kind, jsonb_build_object('amount', count(*) - count(amount), 'processing_fee', count(*) - count(processing_fee))
             from headcount.payments p join response r on r.event_id = p.event_id and r.id = p.response_id
            where p.account_id = ${account} group by kind),
         shapes (value, n) as (
           select case when o.value is not null then o.value when event_type is null then '(none)' else ${WITHHELD} end
                  || ': ' || r.kind, count(*)
             from response r join event on event.id = r.event_id
             left join observed o on o.path = 'event.event_type' and o.kind = 'value' and o.value = event_type
            group by 1 order by 2 desc limit ${sql.lit(MAX_FINDINGS)}),
         ids as (select id, count(*) > 1 as is_shared from response group by id)
    select path as subject, kind as fact, value,
           case when kind in ('value', 'unknown_field') and value not in (${WITHHELD}, ${OTHER_VALUES})
                then coalesce(n, 0)::float8 end as now,
           count::float8 as seen, first_seen_at, last_seen_at
      from observed left join counted using (path, kind, value)
    union all
    select subject, fact, value, now::float8, null, null, null from (
      select path, 'set_aside', 'the original is in _extra', n from counted where kind = 'set_aside'
      union all
      select path, 'empty', 'no value', n::bigint
        from nulls cross join jsonb_each_text(numbers) as field (name, n) cross join lateral (select item || '.' || name) as p (path)
       where n <> '0' and path in (select path from observed where kind = 'sent')
      union all select 'event.event_type', 'shape', value, n from shapes
      union all select 'response.id', 'scope', case when is_shared then 'in several events' else 'in one event' end, count(*)
        from ids group by is_shared
      union all
      select 'event.id', 'id_form', case when id ~ '^[0-9]+$' then 'digits' when id ~ '^[a-z0-9-]+$' then 'a-z 0-9 -'
             when id ~ '^[A-Za-z0-9_.~-]+$' then 'a-z A-Z 0-9 - _ . ~' else 'other characters' end, count(*)
        from event group by 3
    ) as of_rows (subject, fact, value, now)
    order by subject, fact, now desc nulls last, seen desc, value`.execute(kysely)
  return rows
}

/** The keys of `_extra`: fields that the specification does not name, and those set aside. */
function extraKeys(item: string, fields: readonly string[]): RawBuilder<unknown> {
  return sql`
    select case when is_field then ${sql.lit(item)} || '.' || key else ${sql.lit(item)} end,
           case when is_field then 'set_aside' else 'unknown_field' end, key, count(*)
      from ${sql.table(item)}, jsonb_object_keys(_extra) as key, lateral (select key = any (${fields}::text[])) as f (is_field)
     group by key, is_field`
}

/** How many rows have NULL in each of these columns, by shape. */
function nullCounts(
  item: string,
  shape: RawBuilder<unknown>,
  columns: readonly string[],
): RawBuilder<unknown> {
  const numbers = columns.map((column) => sql`${sql.lit(column)}, count(*) - count(${sql.ref(column)})`)
  return sql`select ${shape}, jsonb_build_object(${sql.join(numbers)}) from ${sql.table(item)} group by 1`
}
