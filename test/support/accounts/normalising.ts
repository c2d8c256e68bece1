import { noKeyRemover } from '../../../src/common/json/key-in-items.ts'
import type { EventItem, RejectItem, ResponseItem } from '../../../src/common/schema/tables.ts'
import type { FieldRules } from '../../../src/normalise/items/field-rules.ts'
import { EventListReader, type NormalisedEvents } from '../../../src/normalise/list/event-list.ts'
import type { ListSummary } from '../../../src/normalise/list/list-summary.ts'
import { ListNormaliser } from '../../../src/normalise/list/list-normaliser.ts'
import { readPages } from './read-items.ts'

/** A list as the mirror takes it. */
export interface NormalisedList<Row> extends ListSummary {
  readonly rows: readonly Row[]
  readonly rejects: readonly RejectItem[]
}

/** The list of these events as the service would send it, read and normalised. */
export function eventsOf(...items: readonly unknown[]): NormalisedEvents {
  return eventsIn(JSON.stringify(items))
}

/** The same from the text of the body. */
export function eventsIn(body: string): NormalisedEvents {
  const reader = new EventListReader({ what: 'GET /events', keyRemover: noKeyRemover })
  readPages([body], reader)
  return reader.finish()
}

export function responsesOf(...items: readonly unknown[]): NormalisedList<ResponseItem> {
  return responsesIn(JSON.stringify(items))
}

/** The key of the rows that `responsesIn` makes. */
export const rowKey = { account: 7, event_id: 'gala', run: '12' }

/** The same from the texts of its pages. */
export function responsesIn(...pages: readonly string[]): NormalisedList<ResponseItem> {
  return responsesUnder(null, ...pages)
}

/** The same where fields are left out or are pseudonyms. */
export function responsesUnder(
  rules: FieldRules | null,
  ...pages: readonly string[]
): NormalisedList<ResponseItem> {
  const what = 'GET /events/…/responses'
  const list = new ListNormaliser({ key: rowKey, what, keyRemover: noKeyRemover, rules })
  const reader = list.firstReader()
  readPages(pages, reader)
  const chunk = reader.take()
  list.add(chunk)
  if (list.hasDuplicates) list.resolve(chunk)
  const batch = list.batch(chunk)
  const rows = Array.from({ length: batch.count }, (_, place) => batch.item(place))
  return { ...list.summarise(), rows, rejects: chunk.rejects }
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
