/** Compares response lists with the live rows, without a lock and without WAL. */
import type { ResponseItem } from '../../common/schema/tables.ts'
import type { Transaction } from '../../db/transaction.ts'
import { CopyEncoder } from '../copy/encoder.ts'
import { copyOutLiveRows } from './copy-out-live-rows.ts'
import {
  PAYMENT_COLUMNS,
  RESPONSE_COLUMNS,
  SLOT_COLUMNS,
  writePayment,
  writeResponse,
  writeSlot,
} from '../copy/response-rows.ts'
import { CopyDecoder } from '../copy/decoder.ts'
import { mergeJoin } from './merge-join.ts'
import type { MatchKind } from './merge-join.ts'
import { PresentFields } from './present-fields.ts'

/** A response list that the service answers with. */
export interface IncomingList {
  readonly event_id: string
  /** By id, ascending. */
  readonly rows: readonly ResponseItem[]
}

/** The difference between a list and its live rows. */
export interface ListDiff {
  /** How many responses are live. */
  readonly live: number
  /** Fields of the specification that at least one live response has; those of slots as `slots.name`. */
  readonly fields: readonly string[]
  /** Ids that are live and not in the list. */
  readonly absent: readonly string[]
  /** Responses that are not live. */
  readonly added: readonly ResponseItem[]
  /** Responses whose row, payment or slots are live in other bytes, which nearly always are other values. */
  readonly differing: readonly ResponseItem[]
}

/**
 * Compares lists with the live rows of their events, byte by byte in the form in which they would be written. Equal bytes
 * are equal values; different ones are compared by value later (changed-responses.ts). Rows that were changed by hand are
 * found too.
 *
 * @param ids only live responses with these ids are compared; null: all of these events
 */
export async function diffLists(
  trx: Transaction,
  account: number,
  lists: readonly IncomingList[],
  ids: readonly string[] | null = null,
): Promise<ReadonlyMap<string, ListDiff>> {
  const event_ids = lists.map(({ event_id }) => event_id)
  const live = event_ids.length === 0 ? null : await copyOutLiveRows(trx, account, event_ids, ids)
  if (live === null) return new Map(lists.map((list) => [list.event_id, asInserts(list)]))
  const changes = new Map(lists.map((list) => [list.event_id, new ListDiffBuilder(list)]))
  const incoming = encode(changes)
  diffResponses(changes, incoming.responses, live.responses)
  diffParts(changes, incoming.payments, live.payments, 1, (fields, row) => fields.addPayment(row))
  diffParts(changes, incoming.slots, live.slots, 2, (fields, row) => fields.addSlot(row))
  return changes
}

function asInserts({ rows }: IncomingList): ListDiff {
  return { live: 0, fields: [], absent: [], added: rows, differing: [] }
}

/** Collects the difference of one list. */
class ListDiffBuilder implements ListDiff {
  readonly list: IncomingList
  readonly absent: string[] = []
  readonly liveFields = new PresentFields()
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

  /** Marks a response as changed: its row, payment or slots differ. */
  markChanged(response: ResponseItem | undefined): void {
    if (response !== undefined && !this.#added.has(response)) this.#differing.add(response)
  }

  byId(id: string): ResponseItem | undefined {
    this.#byId ??= new Map(this.list.rows.map((response) => [response.id, response]))
    return this.#byId.get(id)
  }
}

type DiffsByEvent = ReadonlyMap<string, ListDiffBuilder>

/** Rows of one table, with the response that each row comes from. */
interface EncodedRows {
  readonly rows: CopyEncoder
  readonly of: { readonly diff: ListDiffBuilder; readonly response: ResponseItem }[]
}

/** Encodes lists as rows, sorted by key. */
function encode(diffs: DiffsByEvent): Record<'responses' | 'payments' | 'slots', EncodedRows> {
  const none = (): EncodedRows => ({ rows: new CopyEncoder(), of: [] })
  const [responses, payments, slots] = [none(), none(), none()]
  for (const diff of sortedByKey(diffs)) {
    const { event_id, rows } = diff.list
    for (const response of rows) {
      const { id, payment } = response
      const source = { diff, response }
      responses.of.push(source)
      responses.rows.row(RESPONSE_COLUMNS.length)
      writeResponse(responses.rows, event_id, response)
      if (payment !== null) {
        payments.of.push(source)
        payments.rows.row(PAYMENT_COLUMNS.length)
        writePayment(payments.rows, event_id, id, payment)
      }
      for (const [index, slot] of response.slots.entries()) {
        slots.of.push(source)
        slots.rows.row(SLOT_COLUMNS.length)
        writeSlot(slots.rows, event_id, id, index, slot)
      }
    }
  }
  return { responses, payments, slots }
}

/** Sorted by the bytes of UTF-8, as the database sorts text. */
function sortedByKey(diffs: DiffsByEvent): readonly ListDiffBuilder[] {
  return [...diffs]
    .map(([event_id, diff]) => ({ key: Buffer.from(event_id), diff }))
    .sort((a, b) => a.key.compare(b.key))
    .map(({ diff }) => diff)
}

function diffResponses(diffs: DiffsByEvent, incoming: EncodedRows, live: Buffer): void {
  const [ours, theirs] = [new CopyDecoder(incoming.rows.take()), new CopyDecoder(live)]
  mergeJoin(ours, theirs, 1, (kind) => {
    const { diff, response } = locate(diffs, incoming, kind, ours, theirs)
    if (kind === 'incoming') {
      if (response !== undefined) diff.add(response)
      return
    }
    diff.live += 1
    diff.liveFields.addResponse(kind === 'same' ? ours : theirs)
    if (kind === 'differs') diff.markChanged(response)
    if (kind === 'live') diff.absent.push(theirs.int8(1))
  })
}

/** Payments or slots. @param integers how many integer columns their key has */
function diffParts(
  diffs: DiffsByEvent,
  incoming: EncodedRows,
  live: Buffer,
  integers: number,
  addField: (fields: PresentFields, row: CopyDecoder) => void,
): void {
  const [ours, theirs] = [new CopyDecoder(incoming.rows.take()), new CopyDecoder(live)]
  mergeJoin(ours, theirs, integers, (kind) => {
    const { diff, response } = locate(diffs, incoming, kind, ours, theirs)
    if (kind !== 'incoming') addField(diff.liveFields, kind === 'same' ? ours : theirs)
    // guard: parts that differ
    if (kind !== 'same') diff.markChanged(response ?? diff.byId(theirs.int8(1)))
  })
}

/** The diff of the list that a row belongs to, and for an incoming row its response. */
function locate(
  diffs: DiffsByEvent,
  incoming: EncodedRows,
  kind: MatchKind,
  ours: CopyDecoder,
  theirs: CopyDecoder,
): { readonly diff: ListDiffBuilder; readonly response?: ResponseItem } {
  const diff = kind === 'live' ? diffs.get(theirs.text(0)) : undefined
  const source = diff === undefined ? incoming.of[ours.index] : { diff }
  if (source === undefined)
    throw new RangeError('The database gave a row of an event that was not asked for.')
  return source
}
