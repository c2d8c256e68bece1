/** Rows on their way into the mirror, and the lists of their columns, as SQL: all of it from the table of columns. */
import { sql } from 'kysely'
import type { RawBuilder } from 'kysely'
import {
  columnTypes,
  keyColumns,
  LIVE_TABLES,
  valueColumns,
  type ChildTable,
  type SqlType,
} from '../../common/schema/live-tables.ts'
import type { EventItem, MirrorTable, ResponseItem } from '../../common/schema/tables.ts'
import type { ListChanges } from '../diff/list-diff.ts'

/** A response on its way into the mirror, with the event that it answers. */
export interface EventResponse {
  readonly event_id: string
  readonly response: ResponseItem
}

/** The responses of these lists that are added, or that differ, as objects. */
export function itemsOf(
  lists: readonly ListChanges[],
  kind: 'added' | 'differing',
): readonly EventResponse[] {
  return lists.flatMap(({ list, [kind]: places }) =>
    places.map((place) => ({ event_id: list.event_id, response: list.item(place) })),
  )
}

/**
 * Rows go to the database as one JSON parameter: no limit of 65,535 parameters, one round trip, and big
 * integers and amounts keep their digits.
 */
function recordset(rows: readonly object[], types: Readonly<Record<string, string>>): RawBuilder<unknown> {
  const columns = Object.entries(types).map(([name, type]) => sql`${sql.ref(name)} ${sql.raw(type)}`)
  return sql`select * from json_to_recordset(${JSON.stringify(rows)}::json) as item(${sql.join(columns)})`
}

/** Events on their way into the mirror. */
export function eventRecordset(events: readonly EventItem[]): RawBuilder<unknown> {
  return recordset(events, columnTypes('events'))
}

/** Responses, without their payments and slots. `index` counts the rows that were sent, from 0. */
export function responseRecordset(responses: readonly EventResponse[]): RawBuilder<unknown> {
  const rows = responses.map(({ event_id, response: { payment: _, slots: __, ...columns } }, index) => ({
    index,
    event_id,
    ...columns,
  }))
  return recordset(rows, { index: 'int', ...columnTypes('responses') })
}

/** The payments or the slots of these responses; positions of slots from 1. */
export function childRecordset(table: ChildTable, responses: readonly EventResponse[]): RawBuilder<unknown> {
  return recordset(childRows(table, responses), columnTypes(table))
}

/** The payments or the slots of these responses. */
export function childRows(table: ChildTable, responses: readonly EventResponse[]): readonly object[] {
  return responses.flatMap(({ event_id, response: { id: response_id, payment, slots } }): object[] => {
    if (table === 'slots')
      return slots.map((slot, index) => ({ event_id, response_id, position: index + 1, ...slot }))
    return payment === null ? [] : [{ event_id, response_id, ...payment }]
  })
}

/** The keys of these responses. */
export function keyRecordset(keys: readonly { event_id: string; id: string }[]): RawBuilder<unknown> {
  return sql`select * from unnest(${keys.map((key) => key.event_id)}::text[], ${keys.map((key) => key.id)}::bigint[])
    as key(event_id, id)`
}

export function keysOf(responses: readonly EventResponse[]) {
  return responses.map(({ event_id, response: { id } }) => ({ event_id, id }))
}

/** The key columns of a table, and all columns that hold what the service sends, as a list. */
export function keyList(table: MirrorTable, of?: string): RawBuilder<unknown> {
  return references(keyColumns(table), of)
}

export function columnList(table: MirrorTable, of?: string): RawBuilder<unknown> {
  return references(Object.keys(columnTypes(table)), of)
}

function references(columns: readonly string[], of?: string): RawBuilder<unknown> {
  return sql.join(columns.map((name) => sql.ref(of === undefined ? name : `${of}.${name}`)))
}

/** Sets every column but those of the key to the value of another row. */
export function assignments(table: MirrorTable, from: string): RawBuilder<unknown> {
  return sql.join(valueColumns(table).map((name) => sql`${sql.ref(name)} = ${sql.ref(`${from}.${name}`)}`))
}

/** A value as it is compared: an amount that only gained a digit (12.5, 12.50) is another one, for it is kept as sent. */
export function comparable(type: SqlType, value: RawBuilder<unknown>): RawBuilder<unknown> {
  return type === 'numeric' ? sql`${value}::text` : value
}

/** Whether two rows have other values. */
export function isDistinct(table: MirrorTable, one: string, other: string): RawBuilder<boolean> {
  const columns = Object.entries(LIVE_TABLES[table].values)
  const tuple = (of: string) =>
    sql.join(columns.map(([name, type]) => comparable(type, sql.ref(`${of}.${name}`))))
  return sql<boolean>`(${tuple(one)}) is distinct from (${tuple(other)})`
}
