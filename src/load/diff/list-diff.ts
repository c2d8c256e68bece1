/** What lists of responses would change, found beside the live rows without touching one: no lock, no WAL. */
import type { ResponseItem } from '../../common/schema/tables.ts'
import type { Transaction } from '../../db/transaction.ts'
import { BinaryRows } from '../copy/encoder.ts'
import { readLiveRows } from './copy-out-live-rows.ts'
import {
  PAYMENT_COLUMNS,
  RESPONSE_COLUMNS,
  SLOT_COLUMNS,
  writePayment,
  writeResponse,
  writeSlot,
} from '../copy/response-rows.ts'
import { RowReader } from '../copy/decoder.ts'
import { walkRows } from './merge-join.ts'
import type { Meeting } from './merge-join.ts'
import { LiveFields } from './present-fields.ts'

/** A list of responses as the service answers it. */
export interface IncomingList {
  readonly event_id: string
  /** By id, ascending. */
  readonly rows: readonly ResponseItem[]
}

/** A list beside what is live of it. */
export interface ListChange {
  /** How many responses are live. */
  readonly live: number
  /** Fields of the specification that at least one live response carries; a slot's as `slots.name`. */
  readonly fields: readonly string[]
  /** Ids that are live and not in the list. */
  readonly absent: readonly string[]
  /** Responses that are not live. */
  readonly added: readonly ResponseItem[]
  /** Responses whose row, payment or slots are live in other bytes, which nearly always are other values. */
  readonly differing: readonly ResponseItem[]
}

/**
 * Compares lists with the live rows of their events, byte for byte, in the form in which they would be written. Equal
 * bytes are equal values; what differs is left to a comparison by value (changed-responses.ts). It also sees rows that someone
 * changed by hand.
 *
 * @param ids live responses with other ids are not looked at; null: all of these events are
 */
export async function compareLists(
  trx: Transaction,
  account: number,
  lists: readonly IncomingList[],
  ids: readonly string[] | null = null,
): Promise<ReadonlyMap<string, ListChange>> {
  const event_ids = lists.map(({ event_id }) => event_id)
  const live = event_ids.length === 0 ? null : await readLiveRows(trx, account, event_ids, ids)
  if (live === null) return new Map(lists.map((list) => [list.event_id, allNew(list)]))
  const changes = new Map(lists.map((list) => [list.event_id, new Comparison(list)]))
  const incoming = encode(changes)
  compareResponses(changes, incoming.responses, live.responses)
  compareParts(changes, incoming.payments, live.payments, 1, (fields, row) => fields.addPayment(row))
  compareParts(changes, incoming.slots, live.slots, 2, (fields, row) => fields.addSlot(row))
  return changes
}

function allNew({ rows }: IncomingList): ListChange {
  return { live: 0, fields: [], absent: [], added: rows, differing: [] }
}

/** What is found out of one list. */
class Comparison implements ListChange {
  readonly list: IncomingList
  readonly absent: string[] = []
  readonly liveFields = new LiveFields()
  live = 0
  readonly #added = new Set<ResponseItem>()
  readonly #differing = new Set<ResponseItem>()
  #byId: ReadonlyMap<string, ResponseItem> | null = null

  constructor(list: IncomingList) {
    this.list = list
  }

  get fields(): readonly string[] {
    return this.liveFields.names()
  }

  get added(): readonly ResponseItem[] {
    return [...this.#added]
  }

  get differing(): readonly ResponseItem[] {
    return this.list.rows.filter((response) => this.#differing.has(response))
  }

  add(response: ResponseItem): void {
    this.#added.add(response)
  }

  /** Notes that a response, its payment or its slots differ. */
  note(response: ResponseItem | undefined): void {
    if (response !== undefined && !this.#added.has(response)) this.#differing.add(response)
  }

  withId(id: string): ResponseItem | undefined {
    this.#byId ??= new Map(this.list.rows.map((response) => [response.id, response]))
    return this.#byId.get(id)
  }
}

type Comparisons = ReadonlyMap<string, Comparison>

/** Rows of one table, and of each row the response that it is of. */
interface Encoded {
  readonly rows: BinaryRows
  readonly of: { readonly comparison: Comparison; readonly response: ResponseItem }[]
}

/** Lists as rows, in the order of their keys. */
function encode(comparisons: Comparisons): Record<'responses' | 'payments' | 'slots', Encoded> {
  const none = (): Encoded => ({ rows: new BinaryRows(), of: [] })
  const [responses, payments, slots] = [none(), none(), none()]
  for (const comparison of inOrderOfKey(comparisons)) {
    const { event_id, rows } = comparison.list
    for (const response of rows) {
      const { id, payment } = response
      const placed = { comparison, response }
      responses.of.push(placed)
      responses.rows.row(RESPONSE_COLUMNS.length)
      writeResponse(responses.rows, event_id, response)
      if (payment !== null) {
        payments.of.push(placed)
        payments.rows.row(PAYMENT_COLUMNS.length)
        writePayment(payments.rows, event_id, id, payment)
      }
      for (const [place, slot] of response.slots.entries()) {
        slots.of.push(placed)
        slots.rows.row(SLOT_COLUMNS.length)
        writeSlot(slots.rows, event_id, id, place, slot)
      }
    }
  }
  return { responses, payments, slots }
}

/** As the database sorts texts: by the bytes of UTF-8. */
function inOrderOfKey(comparisons: Comparisons): readonly Comparison[] {
  return [...comparisons]
    .map(([event_id, comparison]) => ({ key: Buffer.from(event_id), comparison }))
    .sort((a, b) => a.key.compare(b.key))
    .map(({ comparison }) => comparison)
}

function compareResponses(comparisons: Comparisons, incoming: Encoded, live: Buffer): void {
  const [ours, theirs] = [new RowReader(incoming.rows.take()), new RowReader(live)]
  walkRows(ours, theirs, 1, (meeting) => {
    const { comparison, response } = placeOf(comparisons, incoming, meeting, ours, theirs)
    if (meeting === 'incoming') {
      if (response !== undefined) comparison.add(response)
      return
    }
    comparison.live += 1
    comparison.liveFields.addResponse(meeting === 'same' ? ours : theirs)
    if (meeting === 'differs') comparison.note(response)
    if (meeting === 'live') comparison.absent.push(theirs.int8(1))
  })
}

/** Payments or slots. @param integers so many columns of integers belong to their key */
function compareParts(
  comparisons: Comparisons,
  incoming: Encoded,
  live: Buffer,
  integers: number,
  addField: (fields: LiveFields, row: RowReader) => void,
): void {
  const [ours, theirs] = [new RowReader(incoming.rows.take()), new RowReader(live)]
  walkRows(ours, theirs, integers, (meeting) => {
    const { comparison, response } = placeOf(comparisons, incoming, meeting, ours, theirs)
    if (meeting !== 'incoming') addField(comparison.liveFields, meeting === 'same' ? ours : theirs)
    if (meeting !== 'same') comparison.note(response ?? comparison.withId(theirs.int8(1)))
  })
}

/** The list that a row is of, and the response when the row is on its way in. */
function placeOf(
  comparisons: Comparisons,
  incoming: Encoded,
  meeting: Meeting,
  ours: RowReader,
  theirs: RowReader,
): { readonly comparison: Comparison; readonly response?: ResponseItem } {
  const comparison = meeting === 'live' ? comparisons.get(theirs.text(0)) : undefined
  const place = comparison === undefined ? incoming.of[ours.place] : { comparison }
  if (place === undefined) throw new RangeError('The database gave a row of an event that was not asked for.')
  return place
}
