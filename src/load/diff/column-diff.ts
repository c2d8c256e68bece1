import { sql, type RawBuilder } from 'kysely'
import { LIVE_TABLES, type ChildTable, type SqlType } from '../../common/schema/live-tables.ts'
import type { IntegerText, EventItem, MirrorTable } from '../../common/schema/tables.ts'
import type { Transaction } from '../../db/transaction.ts'
import {
  childRecordset,
  comparable,
  eventRecordset,
  isDistinct,
  responseRecordset,
  type EventResponse,
} from '../write/recordsets.ts'

/** A row that only one side has, or one column in which the two sides differ. Values are text, in the service's spelling. */
export interface Difference {
  readonly table: MirrorTable
  readonly event_id: string
  readonly response_id: IntegerText | null
  /** Position of a slot within its response, from 1. */
  readonly position: number | null
  /** `missing`: not in the mirror; `extra`: in the mirror only; `differs`: in both, but not equal. */
  readonly difference: 'missing' | 'extra' | 'differs'
  /** Null when the row itself is missing or extra; what is expected or found is then the row, as JSON. */
  readonly column: string | null
  /** What the service says. */
  readonly expected: string | null
  /** What the mirror says. */
  readonly found: string | null
}

/** What differs: as many as were asked for, and how many there are. */
export interface Differences {
  readonly listed: readonly Difference[]
  readonly total: number
}

/** Says of a live row, by the column that holds its id, whether it is compared. */
export type RowScope = (id: RawBuilder<unknown>) => RawBuilder<boolean>

/** Which live rows are compared, and how much of the differences is listed. */
export interface DiffOptions {
  readonly scope: RowScope
  /** How many differences are listed; null: all. */
  readonly max: number | null
  /** False when only the positions of the differences are wanted, not the values. */
  readonly values: boolean
}

/** A value may be as long as an item; of a longer one this is the beginning. */
const MAX_VALUE_LENGTH = 4000

/** How a value is shown: as the service spells it. By hand a column may hold infinity, which no item of the service can. */
function shown(type: SqlType, value: RawBuilder<unknown>): RawBuilder<unknown> {
  if (type === 'timestamptz')
    return sql`case when isfinite(${value}) then headcount_internal.iso_utc(${value}) else ${value}::text end`
  if (type === 'timestamp')
    return sql`case when isfinite(${value}) then headcount_internal.iso_wall_clock(${value}) else ${value}::text end`
  return sql`${value}::text`
}

/** The column of each live table that `RowScope` looks at. */
const ID_COLUMNS: Readonly<Record<MirrorTable, string>> = {
  events: 'id',
  responses: 'id',
  payments: 'response_id',
  slots: 'response_id',
}

/** What rows are found by, under the same names in all tables. */
const KEYS: Readonly<Record<MirrorTable, readonly ('event_id' | 'response_id' | 'position')[]>> = {
  events: ['event_id'],
  responses: ['event_id', 'response_id'],
  payments: ['event_id', 'response_id'],
  slots: ['event_id', 'response_id', 'position'],
}

/** Compares event rows with the live ones in scope, column by column; reads only. */
export function eventDifferences(
  trx: Transaction,
  account: number,
  events: readonly EventItem[],
  options: DiffOptions,
): Promise<Differences> {
  const incoming = sql`select item.*, item.id as event_id from (${eventRecordset(events)}) item`
  const live = sql`select live.*, live.id as event_id from headcount.events live`
  return differences(trx, account, 'events', incoming, live, options)
}

/** Compares responses, their payments and their slots with the live ones in scope, column by column; reads only. */
export async function responseDifferences(
  trx: Transaction,
  account: number,
  responses: readonly EventResponse[],
  options: DiffOptions,
): Promise<Differences> {
  const ofChildren = (table: ChildTable) => ({
    table,
    incoming: childRecordset(table, responses),
    live: sql`select live.* from ${sql.table(`headcount.${table}`)} live`,
  })
  const sides = [
    {
      table: 'responses',
      incoming: sql`select item.*, item.id as response_id from (${responseRecordset(responses)}) item`,
      live: sql`select live.*, live.id as response_id from headcount.responses live`,
    },
    ofChildren('payments'),
    ofChildren('slots'),
  ] as const
  const listed: Difference[] = []
  let total = 0
  for (const { table, incoming, live } of sides) {
    const max = options.max === null ? null : options.max - listed.length
    const found = await differences(trx, account, table, incoming, live, { ...options, max })
    listed.push(...found.listed)
    total += found.total
  }
  return { listed, total }
}

/** Each column of both sides, as it is shown and as it is compared. */
function columnPairs(table: MirrorTable) {
  const on = (side: 'i' | 'l', name: string, type: SqlType) => {
    const value = sql.ref(`${side}.${name}`)
    return { shown: shown(type, value), compared: comparable(type, value) }
  }
  return Object.entries(LIVE_TABLES[table].values).map(([name, type]) => ({
    name,
    expected: on('i', name, type),
    found: on('l', name, type),
  }))
}

async function differences(
  trx: Transaction,
  account: number,
  table: MirrorTable,
  incoming: RawBuilder<unknown>,
  live: RawBuilder<unknown>,
  { scope, max, values }: DiffOptions,
): Promise<Differences> {
  const keys = KEYS[table]
  const pairs = columnPairs(table)
  const rowAsJson = (side: 'expected' | 'found') =>
    sql`jsonb_strip_nulls(jsonb_build_object(${sql.join(
      pairs.flatMap((pair) => [sql.lit(pair.name), pair[side].shown]),
    )}))::text`
  const key = (name: (typeof keys)[number]) => (keys.includes(name) ? sql.ref(name) : sql`null`)
  const longest = values ? MAX_VALUE_LENGTH : 0
  const { rows } = await sql<Omit<Difference, 'table'> & { total: number }>`
    select event_id, ${key('response_id')}::bigint as response_id, ${key('position')}::int as position,
           case when l.event_id is null then 'missing' when i.event_id is null then 'extra' else 'differs' end
             as difference,
           found.name as column, left(found.expected, ${longest}) as expected,
           left(found.found, ${longest}) as found, (count(*) over ())::int as total
      from (${incoming}) i
      full join (${live} where live.account_id = ${account} and ${scope(sql.ref(`live.${ID_COLUMNS[table]}`))}) l
        using (${sql.join(keys.map((name) => sql.ref(name)))})
     cross join lateral (
       select null as ordinal, null as name,
              case when l.event_id is null then ${rowAsJson('expected')} end as expected,
              case when i.event_id is null then ${rowAsJson('found')} end as found
        where i.event_id is null or l.event_id is null
        union all
        select v.ordinal, v.name, v.expected, v.found
          from (values ${sql.join(
            pairs.map(
              ({ name, expected, found }, ordinal) => sql`(
                ${sql.lit(ordinal)}, ${sql.lit(name)}, ${expected.shown}, ${found.shown},
                ${expected.compared} is distinct from ${found.compared})`,
            ),
          )}) as v(ordinal, name, expected, found, differs)
         where v.differs and i.event_id is not null and l.event_id is not null
     ) found
     where i.event_id is null
        or l.event_id is null
        or ${isDistinct(table, 'i', 'l')}
     order by event_id, response_id, position, found.ordinal
     limit ${max === null ? null : Math.max(max, 1)}`.execute(trx.kysely)
  return {
    listed: rows
      .slice(0, max ?? rows.length)
      .map(({ total: _, ...difference }) => ({ table, ...difference })),
    total: rows[0]?.total ?? 0,
  }
}
