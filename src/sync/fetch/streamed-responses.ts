import type { ResponseItem } from '../../common/schema/tables.ts'
import type { LargeList } from '../../normalise/list/large-list.ts'
import { largeResponses } from '../../normalise/items/responses.ts'
import type { ListPayload } from '../../common/json/parse-list.ts'
import type { FetchedList } from '../../source/fetched-list.ts'
import { describeList, redactRejects } from './list-facts.ts'
import { compareDigest, type DigestMatch, type StoredValidator } from './change-detection.ts'
import type { ListContext, ResponseList } from './response-list.ts'

/** Two pages without an item: however little memory lists may take, an empty one goes with those in memory and is decided last. */
const EMPTY_BYTES = Buffer.byteLength('[][]')

export function isStreamed(reading: Pick<FetchedList, 'isLarge' | 'bytes'>): boolean {
  return reading.isLarge && reading.bytes > EMPTY_BYTES
}

/** Ids do not follow in one direction: one may stand twice, and which items are taken is only known when all were read. */
export class OutOfOrderError extends Error {
  override readonly name = 'OutOfOrder'
}

/** A first reading: what is known of the list so far, and what is left of it. */
interface FirstPass {
  readonly list: LargeList<ResponseItem>
  readonly rest: AsyncGenerator<ListPayload, void>
}

/**
 * The responses to one event that are too large for memory: they lie in a file, as long as the reading is not disposed
 * of. Of their items nothing is known until they were read through.
 */
export class StreamedResponses {
  readonly bytes: number
  readonly digestMatch: DigestMatch
  readonly #reading: FetchedList
  readonly #stored: StoredValidator | undefined
  readonly #around: ListContext
  #first: FirstPass | null = null

  constructor(reading: FetchedList, stored: StoredValidator | undefined, around: ListContext) {
    this.bytes = reading.bytes
    this.digestMatch = compareDigest(reading, stored)
    this.#reading = reading
    this.#stored = stored
    this.#around = around
  }

  /**
   * Reads the list for the first time, and gives its rows, sorted by id within a chunk. Each call begins anew.
   *
   * @throws OutOfOrder as soon as rows are no longer sure; InvalidResponseError when the body is not a complete list;
   * TemporaryFileError.
   */
  async *rowsInOrder(): AsyncGenerator<readonly ResponseItem[], void> {
    const { list, rest } = this.#begin()
    // Not `for await`, which would end the reading with this: readThrough goes on with it.
    for (let next = await rest.next(); next.done !== true; next = await rest.next()) {
      const rows = list.add(next.value)
      // guard: first reading taken back
      if (rows === null) throw new OutOfOrderError()
      if (rows.length > 0) yield rows
    }
  }

  /**
   * Ends the first reading, wherever it stands, and settles which items are taken of ids that stand more than once. It may take
   * minutes: not for a transaction in which it is not known that all rows were given.
   *
   * @throws InvalidResponseError, TemporaryFileError as rowsInOrder.
   */
  async readThrough(): Promise<ResponseList> {
    const { list, rest } = this.#first ?? this.#begin()
    for await (const chunk of rest) list.add(chunk)
    if (list.hasDuplicates) for await (const chunk of this.#chunks()) list.resolve(chunk)
    return this.#complete(list)
  }

  #begin(): FirstPass {
    return (this.#first = { list: largeResponses(), rest: this.#chunks() })
  }

  #complete(list: LargeList<ResponseItem>): ResponseList {
    const chunks = () => this.#chunks()
    const { redact } = this.#around
    const { rowIds, rejectIds } = list
    return {
      ...describeList(this.#reading, list.summarise(), list.count, this.#stored),
      rejected: list.rejected,
      has: (id) => rowIds.has(id) || rejectIds.has(id),
      rows: async function* () {
        for await (const chunk of chunks()) yield list.rowsOf(chunk).rows
      },
      rejects: async function* () {
        if (list.rejected === 0) return
        for await (const chunk of chunks()) yield redactRejects(list.rowsOf(chunk).rejects, redact)
      },
    }
  }

  /** A large list takes longer than an interruption can wait: it breaks off, and with it the batch that it is in. */
  async *#chunks(): AsyncGenerator<ListPayload, void> {
    for await (const chunk of this.#reading.chunks()) {
      this.#around.signal?.throwIfAborted()
      yield chunk
    }
  }
}
