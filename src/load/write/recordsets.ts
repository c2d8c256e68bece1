import { sql } from 'kysely'
import type { RawBuilder } from 'kysely'
import type { ListChanges } from '../diff/list-diff.ts'
import type { EventItem, ResponseItem } from '../../common/schema/tables.ts'

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
 * integers and amounts keep their digits. `index` counts the rows that were sent, from 0.
 */
export function responseRecordset(responses: readonly EventResponse[]): RawBuilder<unknown> {
  const rows = responses.map(({ event_id, response: { payment, slots: _, ...columns } }, index) => ({
    index,
    event_id,
    ...columns,
    is_paid: payment !== null,
    ...payment,
  }))
  return sql`select * from json_to_recordset(${JSON.stringify(rows)}::json) as item(
    index int, event_id text, id bigint, kind text, name text, email text, message text, quantity bigint, rsvp text,
    created_at timestamptz, updated_at timestamptz, _extra jsonb,
    is_paid boolean, amount numeric, processing_fee numeric)`
}

/** The payments of these responses. */
export function paymentRecordset(responses: readonly EventResponse[]): RawBuilder<unknown> {
  const rows = responses.flatMap(({ event_id, response: { id, payment } }) =>
    payment === null ? [] : [{ event_id, response_id: id, ...payment }],
  )
  return sql`select * from json_to_recordset(${JSON.stringify(rows)}::json) as item(
    event_id text, response_id bigint, amount numeric, processing_fee numeric)`
}

/** The slots of these responses, positions from 1. */
export function slotRecordset(responses: readonly EventResponse[]): RawBuilder<unknown> {
  const rows = responses.flatMap(({ event_id, response }) =>
    response.slots.map((slot, index) => ({
      event_id,
      response_id: response.id,
      position: index + 1,
      ...slot,
    })),
  )
  return sql`select * from json_to_recordset(${JSON.stringify(rows)}::json) as item(
    event_id text, response_id bigint, position int, name text,
    start_date timestamptz, end_date timestamptz, start_local timestamp, end_local timestamp, _extra jsonb)`
}

/** The keys of these responses. */
export function keyRecordset(keys: readonly { event_id: string; id: string }[]): RawBuilder<unknown> {
  return sql`select * from unnest(${keys.map((key) => key.event_id)}::text[], ${keys.map((key) => key.id)}::bigint[])
    as key(event_id, id)`
}

/** Events on their way into the mirror. */
export function eventRecordset(events: readonly EventItem[]): RawBuilder<unknown> {
  return sql`select * from json_to_recordset(${JSON.stringify(events)}::json) as item(
    id text, title text, event_at timestamptz, description text, event_type text, location text, _extra jsonb)`
}
