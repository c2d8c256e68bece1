import type { IntegerText, RejectItem, ResponseItem } from '../../common/schema/tables.ts'
import type { EncodedList } from '../../load/copy/response-encoder.ts'
import type { NormalisedList } from '../../normalise/list/list.ts'
import { normaliseResponses } from '../../normalise/items/responses.ts'
import type { ListPayload } from '../../common/json/parse-list.ts'
import type { FetchedList } from '../../source/fetched-list.ts'
import { describeList, redactRejects, type FetchedListFacts } from './list-facts.ts'
import type { ResolvedOptions } from '../options.ts'
import type { StoredValidator } from './change-detection.ts'

/** What else a list is made with. `signal` ends the reading of a large one. */
export type ListContext = Pick<ResolvedOptions, 'redact' | 'signal'>

/** What a list leaves in the mirror beside its rows. */
export interface StorableList extends FetchedListFacts {
  rejects(): AsyncIterable<readonly RejectItem[]>
}

/** The responses to one event as the service sends them now. */
export interface ResponseList extends StorableList {
  /** How many of its items cannot be stored. */
  readonly rejected: number
  /** Whether it has an item with this id, be it a row or a reject. */
  has(id: IntegerText): boolean
  /** The rows, chunk by chunk, sorted by id within a chunk. Reads a streamed list anew. */
  rows(): AsyncGenerator<readonly ResponseItem[], void>
}

/** One that is held in memory. */
export interface BufferedList extends ResponseList {
  readonly buffered: readonly ResponseItem[]
}

/**
 * Makes rows of a list that the source holds in memory; one that it does not is read through by streamed-responses.ts.
 *
 * @throws InvalidResponseError when the body is not a complete list.
 */
export async function bufferList(
  reading: FetchedList,
  stored: StoredValidator | undefined,
  { redact }: Pick<ListContext, 'redact'>,
): Promise<BufferedList> {
  const list = normaliseResponses(await reading.parse())
  return toBufferedList(describeList(reading, list, list.rows.length, stored), list, redact)
}

function toBufferedList(
  complete: FetchedListFacts,
  { rows, rejects }: NormalisedList<ResponseItem>,
  redact: (text: string) => string,
): BufferedList {
  let ids: ReadonlySet<IntegerText> | null = null
  const idsOf = () => new Set([...rows.map(({ id }) => id), ...rejects.flatMap(({ id }) => id ?? [])])
  return {
    ...complete,
    buffered: rows,
    rejected: rejects.length,
    has: (id) => (ids ??= idsOf()).has(id),
    rows: () => singleChunk(rows),
    rejects: () => singleChunk(redactRejects(rejects, redact)),
  }
}

/** One of an event of which nothing was ever stored: its rows are held as they will be copied. */
export interface EncodedResponseList extends StorableList {
  readonly encoded: EncodedList
  /** Reads it once more, as one that is held in memory: for a mirror that has rows of it all the same. */
  read(): Promise<BufferedList>
}

/**
 * As listInMemory, for an event of which nothing was ever stored. As objects the rows would live until their batch is
 * stored, and the garbage collector would take a quarter of a cold run.
 */
export async function encodeList(
  reading: FetchedList,
  encode: (rows: readonly ResponseItem[]) => EncodedList,
  { redact }: Pick<ListContext, 'redact'>,
): Promise<EncodedResponseList> {
  const kept = reading.retain()
  // No function that is kept may see the rows: they would live as long as it.
  const { encoded, count, rejects, facts } = normalised(await reading.parse(), encode)
  const complete = describeList(reading, facts, count, undefined)
  return {
    ...complete,
    encoded,
    rejects: () => singleChunk(redactRejects(rejects, redact)),
    read: async () => toBufferedList(complete, normaliseResponses(await kept()), redact),
  }
}

function normalised(payload: ListPayload, encode: (rows: readonly ResponseItem[]) => EncodedList) {
  const { rows, rejects, ...facts } = normaliseResponses(payload)
  return { encoded: encode(rows), count: rows.length, rejects, facts }
}

async function* singleChunk<T>(items: readonly T[]): AsyncGenerator<readonly T[], void> {
  if (items.length > 0) yield items
}
