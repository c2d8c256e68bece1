import type { ResponseItem } from '../db/tables.ts'
import { oneAhead } from '../load/one-ahead.ts'
import type { LargeList } from '../normalise/large-list.ts'
import { largeResponses } from '../normalise/responses.ts'
import type { ListPayload } from '../source/payloads.ts'
import type { ListReading } from '../source/reading.ts'
import { completeList, concealed } from './complete-list.ts'
import { judgeDigest } from './digests.ts'
import type { DigestVerdict } from './digests.ts'
import type { OpenRun } from './opening.ts'
import type { ResponsesList } from './responses-list.ts'
import type { StoredValidator } from './validators.ts'

/** What else a list is made with. `settings.signal` ends the reading of a large one. */
export type Around = Pick<OpenRun, 'conceal' | 'settings'>

/** What a first reading comes to. */
export interface ReadThrough {
  readonly list: ResponsesList
  /** Whether every row was given, and none but those that are taken. */
  readonly gaveAll: boolean
}

/**
 * The responses to one event that are too large for memory: they lie in a file, as long as the reading is not disposed
 * of. Of their items nothing is known until they were read through.
 */
export class LargeResponses {
  readonly bytes: number
  readonly verdict: DigestVerdict
  readonly #reading: ListReading
  readonly #stored: StoredValidator | undefined
  readonly #around: Around

  constructor(reading: ListReading, stored: StoredValidator | undefined, around: Around) {
    this.bytes = reading.bytes
    this.verdict = judgeDigest(reading, stored)
    this.#reading = reading
    this.#stored = stored
    this.#around = around
  }

  /**
   * Reads the list through; each call anew. A list whose ids do not follow in one direction may have one twice: of it
   * rows are given only up to there, and those that are taken are known afterwards.
   *
   * @param give is given rows, sorted by id within a piece; meanwhile the next piece is read and parsed
   * @throws ContractError when the body is not a complete list; TemporaryFileError; what `give` throws.
   */
  async readThrough(give: (rows: readonly ResponseItem[]) => Promise<void>): Promise<ReadThrough> {
    const list = largeResponses()
    let gaveAll = true
    for await (const rows of oneAhead(this.#firstReading(list))) {
      if (rows === null) gaveAll = false
      else if (rows.length > 0) await give(rows)
    }
    if (list.hasDuplicates) for await (const piece of this.#pieces()) list.settle(piece)
    return { list: this.#complete(list), gaveAll }
  }

  async *#firstReading(list: LargeList<ResponseItem>): AsyncGenerator<readonly ResponseItem[] | null, void> {
    for await (const piece of this.#pieces()) yield list.add(piece)
  }

  #complete(list: LargeList<ResponseItem>): ResponsesList {
    const pieces = () => this.#pieces()
    const { conceal } = this.#around
    const { rowIds, rejectIds } = list
    return {
      ...completeList(this.#reading, list.finish(), list.count, this.#stored),
      rejected: list.rejected,
      has: (id) => rowIds.has(id) || rejectIds.has(id),
      rows: async function* () {
        for await (const piece of pieces()) yield list.take(piece).rows
      },
      rejects: async function* () {
        if (list.rejected === 0) return
        for await (const piece of pieces()) yield concealed(list.take(piece).rejects, conceal)
      },
    }
  }

  /** A large list takes longer than an interruption can wait: it breaks off, and with it the batch that it is in. */
  async *#pieces(): AsyncGenerator<ListPayload> {
    for await (const piece of this.#reading.pieces()) {
      this.#around.settings.signal?.throwIfAborted()
      yield piece
    }
  }
}
