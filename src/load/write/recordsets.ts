/** SQL for rows to write and for their columns, made from the table of columns. */
import { plainValues } from '../../common/schema/personal-data.ts'
import { sql, type RawBuilder } from 'kysely'
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

/** A response to write, with the id of its event. */
export interface EventResponse {
  readonly event_id: string
  readonly response: ResponseItem
}

/** The added or the differing responses of these lists, as objects. */
export function itemsOf(
  lists: readonly ListChanges[],
  kind: 'added' | 'differing',
): readonly EventResponse[] {
  return lists.flatMap(({ list, [kind]: indexes }) =>
    indexes.map((index) => ({ event_id: list.event_id, response: list.item(index) })),
  )
}

/**
 * Rows as one JSON parameter: the limit of 65,535 parameters does not apply, and large integers and amounts stay exact.
 */
function recordset(rows: readonly object[], types: Readonly<Record<string, string>>): RawBuilder<unknown> {
  const columns = Object.entries(types).map(([name, type]) => sql`${sql.ref(name)} ${sql.raw(type)}`)
  return sql`select * from json_to_recordset(${JSON.stringify(rows)}::json) as item(${sql.join(columns)})`
}

export function eventRecordset(events: readonly EventItem[]): RawBuilder<unknown> {
  return recordset(events, columnTypes('events'))
}

/** Responses without their payments and slots. `index` counts the rows from 0. */
export function responseRecordset(responses: readonly EventResponse[]): RawBuilder<unknown> {
  const rows = responses.map(({ event_id, response: { payment: _, slots: __, ...columns } }, index) => ({
    index,
    event_id,
    ...columns,
  }))
  return recordset(rows, { index: 'int', ...columnTypes('responses') })
}

/** The payments or the slots of these responses as a recordset. */
export function childRecordset(table: ChildTable, responses: readonly EventResponse[]): RawBuilder<unknown> {
  return recordset(childRows(table, responses), columnTypes(table))
}

/** The payments or the slots of these responses. Positions of slots count from 1. */
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

export function keyList(table: MirrorTable, of?: string): RawBuilder<unknown> {
  return sql.join(keyColumns(table).map((name) => sql.ref(of === undefined ? name : `${of}.${name}`)))
}

/** All columns of the key and of the service's data. */
export function columnList(table: MirrorTable): RawBuilder<unknown> {
  return sql.join(Object.keys(columnTypes(table)).map((name) => sql.ref(name)))
}

/** Assigns the values of another row to every column outside the key. */
export function assignments(table: MirrorTable, from: string): RawBuilder<unknown> {
  return sql.join(valueColumns(table).map((name) => sql`${sql.ref(name)} = ${sql.ref(`${from}.${name}`)}`))
}

/** A value in the form for comparisons: amounts keep their digits, so 12.5 and 12.50 are different. */
export function comparable(type: SqlType, value: RawBuilder<unknown>): RawBuilder<unknown> {
  return type === 'numeric' ? sql`${value}::text` : value
}

/** Whether two rows have other values. @param withoutPersonal personal data are not compared */
export function isDistinct(
  table: MirrorTable,
  one: string,
  other: string,
  withoutPersonal = false,
): RawBuilder<boolean> {
  const columns = withoutPersonal ? plainValues(table) : Object.entries(LIVE_TABLES[table].values)
  const tuple = (of: string) =>
    sql.join(columns.map(([name, type]) => comparable(type, sql.ref(`${of}.${name}`))))
  return sql<boolean>`(${tuple(one)}) is distinct from (${tuple(other)})`
}
