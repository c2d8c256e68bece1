import type { Digits, RejectItem, ResponseItem } from '../db/tables.ts'
import { largeResponses, normaliseResponses } from '../normalise/responses.ts'
import type { ListPayload } from '../source/payloads.ts'
import type { ListReading } from '../source/reading.ts'
import { completeList, concealed } from './complete-list.ts'
import type { CompleteList } from './complete-list.ts'
import type { OpenRun } from './opening.ts'
import type { StoredValidator } from './validators.ts'

/** The responses to one event as the service answers them now. */
export interface ResponsesList extends CompleteList {
  /** All its rows by id; null of a large list, whose rows can be read as long as its reading is not disposed of. */
  readonly inMemory: readonly ResponseItem[] | null
  /** How many of its items cannot be stored. */
  readonly rejected: number
  /** Whether it has an item with this id, be it a row or a reject. */
  has(id: Digits): boolean
  /** The rows, piece by piece, sorted by id within a piece. Reads a large list anew. */
  rows(): AsyncGenerator<readonly ResponseItem[], void>
  rejects(): AsyncIterable<readonly RejectItem[]>
}

/** What else a list is made with. `settings.signal` ends the reading of a large one. */
type Around = Pick<OpenRun, 'conceal' | 'settings'>

/**
 * Makes rows of a list that was read. One that the source holds in memory is taken whole. One that lies in a file
 * is read through here once, for what must be known of all of it before the first row is written: which
 * ids it has, and which of two items with the same id is taken. Its rows are made anew when they are loaded.
 *
 * @throws ContractError when the body is not a complete list; TemporaryFileError.
 */
export async function responsesList(
  reading: ListReading,
  stored: StoredValidator | undefined,
  around: Around,
): Promise<ResponsesList> {
  return reading.isLarge ? largeList(reading, stored, around) : listInMemory(reading, stored, around)
}

async function listInMemory(
  reading: ListReading,
  stored: StoredValidator | undefined,
  { conceal }: Around,
): Promise<ResponsesList> {
  const { rows, rejects, ...facts } = normaliseResponses(await reading.payload())
  let ids: ReadonlySet<Digits> | null = null
  const idsOf = () => new Set([...rows.map(({ id }) => id), ...rejects.flatMap(({ id }) => id ?? [])])
  return {
    ...completeList(reading, facts, rows.length, stored),
    inMemory: rows,
    rejected: rejects.length,
    has: (id) => (ids ??= idsOf()).has(id),
    rows: () => onePiece(rows),
    rejects: () => onePiece(concealed(rejects, conceal)),
  }
}

async function* onePiece<T>(items: readonly T[]): AsyncGenerator<readonly T[], void> {
  if (items.length > 0) yield items
}

async function largeList(
  reading: ListReading,
  stored: StoredValidator | undefined,
  { conceal, settings: { signal } }: Around,
): Promise<ResponsesList> {
  const list = largeResponses()
  for await (const piece of inTime(reading, signal)) list.add(piece)
  if (list.hasDuplicates) for await (const piece of inTime(reading, signal)) list.settle(piece)
  const { rowIds, rejectIds } = list
  return {
    ...completeList(reading, list.finish(), list.count, stored),
    inMemory: null,
    rejected: list.rejected,
    has: (id) => rowIds.has(id) || rejectIds.has(id),
    rows: async function* () {
      for await (const piece of inTime(reading, signal)) yield list.take(piece).rows
    },
    rejects: async function* () {
      if (list.rejected === 0) return
      for await (const piece of inTime(reading, signal)) yield concealed(list.take(piece).rejects, conceal)
    },
  }
}

/** A large list takes longer than an interruption can wait: it breaks off, and with it the batch that it is in. */
async function* inTime(reading: ListReading, signal: AbortSignal | undefined): AsyncGenerator<ListPayload> {
  for await (const piece of reading.pieces()) {
    signal?.throwIfAborted()
    yield piece
  }
}
