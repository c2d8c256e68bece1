import type { IntegerText, StoredReject } from '../../common/schema/tables.ts'
import { ListNormaliser } from '../../normalise/list/list-normaliser.ts'
import type { ResponseBatch } from '../../copy-format/response-batch.ts'
import type { FoundSuppression } from '../../normalise/suppression/suppressions.ts'
import type { PrivacyOptions } from '../../normalise/items/response-writer.ts'
import type { ResponseListOptions } from '../../normalise/list/response-reader.ts'
import type { FetchedList } from '../../source/fetched-list.ts'
import type { ResolvedOptions } from '../options.ts'
import type { StoredValidator } from './change-detection.ts'
import { describeList, redactRejects, type FetchedListFacts } from './list-facts.ts'

/** What else a list is made with. `signal` ends the reading of a large one. */
export interface ListContext
  extends
    Pick<ResolvedOptions, 'redact' | 'signal'>,
    PrivacyOptions,
    Pick<ResponseListOptions, 'key' | 'parseAll'> {
  /** What is known of the last reading. */
  readonly stored: StoredValidator | undefined
}

/** What a list leaves in the mirror beside its rows. */
export interface StorableList extends FetchedListFacts {
  /** Responses of erased people that were found by their address. */
  readonly suppressed: readonly FoundSuppression[]
  rejects(): AsyncIterable<readonly StoredReject[]>
}

/** The responses to one event as the service sends them now. */
export interface ResponseList extends StorableList {
  /** How many of its items cannot be stored. */
  readonly rejected: number
  /** Whether it has an item with this id, be it a row or a reject. */
  has(id: IntegerText): boolean
  /** The rows, chunk by chunk. Reads a streamed list anew. */
  batches(): AsyncGenerator<ResponseBatch, void>
}

/** One that is held in memory. */
export interface BufferedList extends ResponseList {
  readonly batch: ResponseBatch
}

/** What reads the responses of a fetched list. */
export function createNormaliser({ what, keyRemover }: FetchedList, context: ListContext): ListNormaliser {
  return new ListNormaliser({ ...context, what, keyRemover })
}

/**
 * Makes rows of a list that the source holds in memory; one that it does not is read through by streamed-responses.ts.
 *
 * @throws InvalidResponseError when the body is not a complete list.
 */
export async function bufferList(fetched: FetchedList, context: ListContext): Promise<BufferedList> {
  const list = createNormaliser(fetched, context)
  const reader = list.firstReader()
  await fetched.readThrough(reader)
  const chunk = reader.take()
  list.add(chunk)
  if (list.hasDuplicates) list.resolve(chunk)
  const batch = list.batch(chunk)
  const rejects = redactRejects(chunk.rejects, context)
  return {
    ...describeList(fetched, list.summarise(), list.count, context.stored),
    batch,
    rejected: list.rejected,
    suppressed: list.suppressed,
    has: (id) => list.has(id),
    batches: () => single(batch, batch.count),
    rejects: () => single(rejects, rejects.length),
  }
}

async function* single<T>(chunk: T, count: number): AsyncGenerator<T, void> {
  if (count > 0) yield chunk
}
