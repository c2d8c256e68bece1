import type { EventItem, RejectItem, ResponseItem } from '../../../src/common/schema/tables.ts'
import { normaliseEvents } from '../../../src/normalise/items/events.ts'
import type { NormalisedList } from '../../../src/normalise/list/list.ts'
import { normaliseResponses } from '../../../src/normalise/items/responses.ts'
import { parseList } from '../../../src/common/json/parse-list.ts'

/** The list of these events as the service would send it, read and normalised. */
export function eventsOf(...items: readonly unknown[]): NormalisedList<EventItem> {
  return eventsIn(JSON.stringify(items))
}

/** The same from the text of the body. */
export function eventsIn(body: string): NormalisedList<EventItem> {
  return normaliseEvents(parseList([body], 'GET /events'))
}

export function responsesOf(...items: readonly unknown[]): NormalisedList<ResponseItem> {
  return responsesIn(JSON.stringify(items))
}

export function responsesIn(body: string): NormalisedList<ResponseItem> {
  return normaliseResponses(parseList([body], 'GET /events/…/responses'))
}

/** The row of one response with id 1 and these fields. */
export function response(fields: object): ResponseItem {
  return onlyRow(responsesOf({ id: 1, ...fields }))
}

/** The row of one event with id `gala` and these fields. */
export function event(fields: object): EventItem {
  return onlyRow(eventsOf({ id: 'gala', ...fields }))
}

export function onlyRow<Row>({ rows, rejects }: NormalisedList<Row>): Row {
  const [row] = rows
  if (row === undefined || rows.length !== 1 || rejects.length !== 0) {
    throw new Error(`expected one row and no reject, got ${rows.length} and ${JSON.stringify(rejects)}`)
  }
  return row
}

export function onlyReject<Row>({ rows, rejects }: NormalisedList<Row>): RejectItem {
  const [reject] = rejects
  if (reject === undefined || rejects.length !== 1 || rows.length !== 0) {
    throw new Error(`expected one reject and no row, got ${rejects.length} and ${JSON.stringify(rows)}`)
  }
  return reject
}

/** JSON nested so many levels deep: arrays around a number. */
export function nested(levels: number, core = '1'): string {
  return '['.repeat(levels) + core + ']'.repeat(levels)
}
