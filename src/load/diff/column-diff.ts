import { sql } from 'kysely'
import type { RawBuilder } from 'kysely'
import type { IntegerText, EventItem, MirrorTable } from '../../common/schema/tables.ts'
import type { Transaction } from '../../db/transaction.ts'
import { eventRecordset, paymentRecordset, responseRecordset, slotRecordset } from '../write/recordsets.ts'
import type { EventResponse } from '../write/recordsets.ts'

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
  /** False when only the places of the differences are wanted, not the values. */
  readonly values: boolean
}

/** A value may be as long as an item; of a longer one this is the beginning. */
const MAX_VALUE_LENGTH = 4000

type Column = (value: RawBuilder<unknown>) => {
  readonly shown: RawBuilder<unknown>
  readonly compared: RawBuilder<unknown>
}

const plain: Column = (value) => ({ shown: sql`${value}::text`, compared: value })
/** An amount that only gained a digit (12.5, 12.50) differs: it is kept as sent. */
const amount: Column = (value) => ({ shown: sql`${value}::text`, compared: sql`${value}::text` })
const instant: Column = (value) => ({
  // By hand a column may hold infinity, which no item of the service can.
  shown: sql`case when isfinite(${value}) then headcount.iso_utc(${value}) else ${value}::text end`,
  compared: value,
})
const wallClock: Column = (value) => ({
  shown: sql`case when isfinite(${value}) then headcount.iso_wall_clock(${value}) else ${value}::text end`,
  compared: value,
})

interface Compared {
  /** The column of the live table that `Scope` looks at. */
  readonly id: string
  /** What a row is found by, under the same names on both sides. */
  readonly keys: readonly ('event_id' | 'response_id' | 'position')[]
  readonly columns: Readonly<Record<string, Column>>
}

const compared: Readonly<Record<MirrorTable, Compared>> = {
  events: {
    id: 'id',
    keys: ['event_id'],
    columns: {
      title: plain,
      event_at: instant,
      description: plain,
      event_type: plain,
      location: plain,
      _extra: plain,
    },
  },
  responses: {
    id: 'id',
    keys: ['event_id', 'response_id'],
    columns: {
      kind: plain,
      name: plain,
      email: plain,
      message: plain,
      quantity: plain,
      rsvp: plain,
      created_at: instant,
      updated_at: instant,
      _extra: plain,
    },
  },
  payments: {
    id: 'response_id',
    keys: ['event_id', 'response_id'],
    columns: { amount, processing_fee: amount },
  },
  slots: {
    id: 'response_id',
    keys: ['event_id', 'response_id', 'position'],
    columns: {
      name: plain,
      start_date: instant,
      end_date: instant,
      start_local: wallClock,
      end_local: wallClock,
      _extra: plain,
    },
  },
}

/** Compares the records of events with the live ones in scope, column by column; reads only. */
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
  const sides = [
    {
      table: 'responses',
      incoming: sql`select item.*, item.id as response_id from (${responseRecordset(responses)}) item`,
      live: sql`select live.*, live.id as response_id from headcount.responses live`,
    },
    {
      table: 'payments',
      incoming: paymentRecordset(responses),
      live: sql`select live.* from headcount.payments live`,
    },
    {
      table: 'slots',
      incoming: slotRecordset(responses),
      live: sql`select live.* from headcount.slots live`,
    },
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

async function differences(
  trx: Transaction,
  account: number,
  table: MirrorTable,
  incoming: RawBuilder<unknown>,
  live: RawBuilder<unknown>,
  { scope, max, values }: DiffOptions,
): Promise<Differences> {
  const { id, keys, columns } = compared[table]
  const on = (side: 'i' | 'l', name: string) => sql.ref(`${side}.${name}`)
  const pairs = Object.entries(columns).map(([name, column]) => ({
    name,
    expected: column(on('i', name)),
    found: column(on('l', name)),
  }))
  const tuple = (side: 'expected' | 'found') => sql.join(pairs.map((pair) => pair[side].compared))
  const rowAsJson = (side: 'expected' | 'found') =>
    sql`jsonb_strip_nulls(jsonb_build_object(${sql.join(
      pairs.flatMap((pair) => [sql.lit(pair.name), pair[side].shown]),
    )}))::text`
  const key = (name: Compared['keys'][number]) => (keys.includes(name) ? sql.ref(name) : sql`null`)
  const longest = values ? MAX_VALUE_LENGTH : 0
  const { rows } = await sql<Omit<Difference, 'table'> & { total: number }>`
    select event_id, ${key('response_id')}::bigint as response_id, ${key('position')}::int as position,
           case when l.event_id is null then 'missing' when i.event_id is null then 'extra' else 'differs' end
             as difference,
           found.name as column, left(found.expected, ${longest}) as expected,
           left(found.found, ${longest}) as found, (count(*) over ())::int as total
      from (${incoming}) i
      full join (${live} where live.account_id = ${account} and ${scope(sql.ref(`live.${id}`))}) l
        using (${sql.join(keys.map((name) => sql.ref(name)))})
     cross join lateral (
       select null as place, null as name,
              case when l.event_id is null then ${rowAsJson('expected')} end as expected,
              case when i.event_id is null then ${rowAsJson('found')} end as found
        where i.event_id is null or l.event_id is null
        union all
        select v.place, v.name, v.expected, v.found
          from (values ${sql.join(
            pairs.map(
              ({ name, expected, found }, place) => sql`(
                ${sql.lit(place)}, ${sql.lit(name)}, ${expected.shown}, ${found.shown},
                ${expected.compared} is distinct from ${found.compared})`,
            ),
          )}) as v(place, name, expected, found, differs)
         where v.differs and i.event_id is not null and l.event_id is not null
     ) found
     where i.event_id is null
        or l.event_id is null
        or (${tuple('expected')}) is distinct from (${tuple('found')})
     order by event_id, response_id, position, found.place
     limit ${max === null ? null : Math.max(max, 1)}`.execute(trx.kysely)
  return {
    listed: rows
      .slice(0, max ?? rows.length)
      .map(({ total: _, ...difference }) => ({ table, ...difference })),
    total: rows[0]?.total ?? 0,
  }
}
