/** Compares response lists with the live rows, without a lock and without WAL. */
import { keyColumns } from '../../common/schema/live-tables.ts'
import type { Transaction } from '../../db/transaction.ts'
import type { ResponseBatch } from '../../copy-format/response-batch.ts'
import type { ResponseTable } from '../../copy-format/response-rows.ts'
import { RowCursor } from '../../copy-format/row-cursor.ts'
import { compareUtf8 } from '../../common/text/collation.ts'
import { copyOutLiveRows } from './copy-out-live-rows.ts'
import { mergeJoin } from './merge-join.ts'
import { PresentFields } from './present-fields.ts'

/** Which responses of a list are to be written, by their indexes. */
export interface ListChanges {
  readonly list: ResponseBatch
  /** Those that are not live. */
  readonly added: readonly number[]
  /** Those whose row, payment or slots are live in other bytes, which nearly always are other values. */
  readonly differing: readonly number[]
}

/** The difference between a list and its live rows. */
export interface ListDiff extends ListChanges {
  /** How many responses are live. */
  readonly live: number
  /** Fields of the specification that at least one live response has; those of slots as `slots.name`. */
  readonly fields: readonly string[]
  /** Ids that are live and not in the list. */
  readonly absent: readonly string[]
  /** Ids of live payments and slots that neither the list nor a live response has, where they are looked for. */
  readonly orphans: ReadonlySet<string>
}

/** Which live rows are compared: all of these events when nothing is given. */
export interface DiffScope {
  /** Only those of responses with these ids; null: of all. */
  readonly ids?: readonly string[] | null
  /** Also payments and slots where no response of the events is live. */
  readonly withOrphans?: boolean
}

/** Fields of every table. */
const EVENT_ID = 1
const RESPONSE_ID = 2

/**
 * Compares lists with the live rows of their events, byte by byte in the form in which they would be written. Equal bytes
 * are equal values; different ones are compared by value later (changed-responses.ts). Rows that were changed by hand are
 * found too.
 *
 * @param lists of different events
 */
export async function diffLists(
  trx: Transaction,
  lists: readonly ResponseBatch[],
  { ids = null, withOrphans = false }: DiffScope = {},
): Promise<ReadonlyMap<string, ListDiff>> {
  const diffs = new Map(lists.map((list) => [list.event_id, new ListDiffBuilder(list)]))
  const [first] = lists
  if (first === undefined) return diffs
  const live = await copyOutLiveRows(trx, first.rows.key, [...diffs.keys()], { ids, withOrphans })
  if (live === null) {
    for (const diff of diffs.values()) diff.addAll()
    return diffs
  }
  const incoming = new IncomingLists(diffs)
  for (const table of ['responses', 'payments', 'slots'] as const)
    diffTable(diffs, incoming, table, live[table])
  return diffs
}

const SAME = 0
const ADDED = 1
const DIFFERS = 2

/** Collects the difference of one list. */
class ListDiffBuilder implements ListDiff {
  readonly list: ResponseBatch
  readonly #absent = new Set<string>()
  readonly orphans = new Set<string>()
  readonly liveFields = new PresentFields()
  live = 0
  readonly #states: Uint8Array
  #added: readonly number[] | null = null
  #differing: readonly number[] | null = null

  constructor(list: ResponseBatch) {
    this.list = list
    this.#states = new Uint8Array(list.count).fill(SAME)
  }

  get fields(): readonly string[] {
    return this.liveFields.names()
  }

  get absent(): readonly string[] {
    return [...this.#absent]
  }

  /** Read when all rows were compared, as `differing`; each is asked for several times. */
  get added(): readonly number[] {
    return (this.#added ??= this.#placesOf(ADDED))
  }

  get differing(): readonly number[] {
    return (this.#differing ??= this.#placesOf(DIFFERS))
  }

  addAll(): void {
    this.#states.fill(ADDED)
  }

  add(index: number): void {
    this.#states[index] = ADDED
  }

  /** Marks a response as changed: its row, payment or slots differ. */
  markChanged(index: number): void {
    if (this.#states[index] !== ADDED) this.#states[index] = DIFFERS
  }

  /** Marks the response of a payment or slot that differs, or is on one side only. */
  markPart(id: bigint): void {
    const index = this.list.indexOf(id)
    if (index >= 0) this.markChanged(index)
    // The table of responses is compared first.
    else if (!this.#absent.has(String(id))) this.orphans.add(String(id))
  }

  markAbsent(id: bigint): void {
    this.#absent.add(String(id))
  }

  #placesOf(state: number): number[] {
    const indexes: number[] = []
    for (const [index, found] of this.#states.entries()) if (found === state) indexes.push(index)
    return indexes
  }
}

type DiffsByEvent = ReadonlyMap<string, ListDiffBuilder>

/** The rows of several lists, in the order of their keys. */
class IncomingLists {
  readonly #diffs: readonly ListDiffBuilder[]

  constructor(diffs: DiffsByEvent) {
    // As the database sorts text.
    this.#diffs = [...diffs.values()].sort((a, b) => compareUtf8(a.list.event_id, b.list.event_id))
  }

  cursor(table: ResponseTable): RowCursor {
    const slices = this.#diffs.map(({ list }) => list.rows.slice(table, 0, list.count))
    const [only] = slices
    return new RowCursor(only !== undefined && slices.length === 1 ? only : Buffer.concat(slices))
  }

  /** @returns what gives the list of a row of `responses`, and its index in it; rows are asked for in their order */
  locate(): (row: number) => { readonly diff: ListDiffBuilder; readonly index: number } {
    let current = 0
    let before = 0
    return (row) => {
      for (;;) {
        const diff = this.#diffs[current]
        if (diff === undefined) throw new RangeError(`There is no incoming row ${row}.`)
        if (row - before < diff.list.count) return { diff, index: row - before }
        before += diff.list.count
        current += 1
      }
    }
  }
}

function diffTable(diffs: DiffsByEvent, incoming: IncomingLists, table: ResponseTable, live: Buffer): void {
  const [ours, theirs] = [incoming.cursor(table), new RowCursor(live)]
  const locate = incoming.locate()
  const diffOf = findDiff(diffs)
  // All columns of a key but the first, the event, are integers.
  mergeJoin(ours, theirs, keyColumns(table).length - 1, (kind) => {
    if (table !== 'responses') {
      const row = kind === 'live' ? theirs : ours
      const diff = diffOf(row)
      if (kind !== 'incoming') diff.liveFields.add(table, kind === 'same' ? ours : theirs)
      // guard: parts that differ
      if (kind !== 'same') diff.markPart(row.int8(RESPONSE_ID))
      return
    }
    const { diff, index } = kind === 'live' ? { diff: diffOf(theirs), index: -1 } : locate(ours.index)
    if (kind === 'incoming') return diff.add(index)
    diff.live += 1
    diff.liveFields.add(table, kind === 'same' ? ours : theirs)
    if (kind === 'differs') diff.markChanged(index)
    if (kind === 'live') diff.markAbsent(theirs.int8(RESPONSE_ID))
  })
}

/** @returns what gives the diff that a row belongs to; neighbours mostly belong to one */
function findDiff(diffs: DiffsByEvent): (row: RowCursor) => ListDiffBuilder {
  let last: { readonly diff: ListDiffBuilder; readonly key: Buffer } | null = null
  return (row) => {
    if (last?.key !== undefined && row.isText(EVENT_ID, last.key)) return last.diff
    const event_id = row.text(EVENT_ID)
    const diff = diffs.get(event_id)
    if (diff === undefined)
      throw new RangeError('The database gave a row of an event that was not asked for.')
    last = { diff, key: Buffer.from(event_id) }
    return diff
  }
}
