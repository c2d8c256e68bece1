import type { ListNormaliser } from '../../normalise/list/list-normaliser.ts'
import type { ListChunk, ResponseReader } from '../../normalise/list/response-reader.ts'
import type { ResponseBatch } from '../../copy-format/response-batch.ts'
import type { FetchedList } from '../../source/fetched-list.ts'
import { describeList, redactRejects } from './list-facts.ts'
import { compareDigest, type DigestMatch } from './change-detection.ts'
import { createNormaliser, type ListContext, type ResponseList } from './response-list.ts'

/** Two pages without an item: however little memory lists may take, an empty one goes with those in memory and is decided last. */
const EMPTY_BYTES = Buffer.byteLength('[][]')

export function isStreamed(fetched: Pick<FetchedList, 'isLarge' | 'bytes'>): boolean {
  return fetched.isLarge && fetched.bytes > EMPTY_BYTES
}

/** Ids do not follow in one direction: one may stand twice, and which items are taken is only known when all were read. */
export class OutOfOrderError extends Error {
  override readonly name = 'OutOfOrder'
}

/** A first reading: what is known of the list so far, and what is left of it. */
interface FirstPass {
  readonly list: ListNormaliser
  readonly rest: AsyncGenerator<ListChunk, void>
}

/**
 * The responses to one event that are too large for memory: they lie in a file, as long as the list is not disposed
 * of. Of their items nothing is known until they were read through.
 */
export class StreamedResponses {
  readonly bytes: number
  readonly digestMatch: DigestMatch
  readonly #fetched: FetchedList
  readonly #context: ListContext
  #first: FirstPass | null = null

  constructor(fetched: FetchedList, context: ListContext) {
    this.bytes = fetched.bytes
    this.digestMatch = compareDigest(fetched, context.stored)
    this.#fetched = fetched
    this.#context = context
  }

  /**
   * Reads the list for the first time, and gives its rows. Each call begins anew.
   *
   * @throws OutOfOrder as soon as rows are no longer sure; InvalidResponseError when the body is not a complete list;
   * TemporaryFileError.
   */
  async *batchesInOrder(): AsyncGenerator<ResponseBatch, void> {
    const { list, rest } = this.#begin()
    // Not `for await`, which would end the reading with this: readThrough goes on with it.
    for (let next = await rest.next(); next.done !== true; next = await rest.next()) {
      list.add(next.value)
      // guard: first reading taken back
      if (!list.isMonotonic) throw new OutOfOrderError()
      if (next.value.rows.count > 0) yield list.batch(next.value)
    }
  }

  /**
   * Ends the first reading, wherever it stands, and settles which items are taken of ids that stand more than once. It may take
   * minutes: not for a transaction in which it is not known that all rows were given.
   *
   * @throws InvalidResponseError, TemporaryFileError as batchesInOrder.
   */
  async readThrough(): Promise<ResponseList> {
    const { list, rest } = this.#first ?? this.#begin()
    for await (const chunk of rest) list.add(chunk)
    if (list.hasDuplicates) for await (const chunk of this.#chunks(list.nextReader())) list.resolve(chunk)
    return this.#complete(list)
  }

  #begin(): FirstPass {
    const list = createNormaliser(this.#fetched, this.#context)
    return (this.#first = { list, rest: this.#chunks(list.firstReader()) })
  }

  #complete(list: ListNormaliser): ResponseList {
    const chunks = () => this.#chunks(list.nextReader())
    const context = this.#context
    return {
      ...describeList(this.#fetched, list.summarise(), list.count, context.stored),
      rejected: list.rejected,
      suppressed: list.suppressed,
      has: (id) => list.has(id),
      batches: async function* () {
        for await (const chunk of chunks()) yield list.batch(chunk)
      },
      rejects: async function* () {
        if (list.rejected === 0) return
        for await (const chunk of chunks()) yield redactRejects(chunk.rejects, context)
      },
    }
  }

  /** A large list takes longer than an interruption can wait: it breaks off, and with it the batch that it is in. */
  async *#chunks(reader: ResponseReader): AsyncGenerator<ListChunk, void> {
    for await (const _ of this.#fetched.read(reader)) {
      this.#context.signal?.throwIfAborted()
      yield reader.take()
    }
  }
}
