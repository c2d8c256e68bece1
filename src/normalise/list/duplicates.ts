import { hash } from 'node:crypto'
import type { SetAsideCounts } from '../items/set-aside-counts.ts'
import type { SortedIds } from './id-set.ts'
import type { ListChunk } from './response-reader.ts'
import type { DifferingDuplicates } from './warnings.ts'

/** Stands for a missing time stamp, long before the first that there can be. */
const NO_TIMESTAMP = -(2n ** 63n)
const NONE = -1

/**
 * Of each id that stands more than once in a list, which item is taken: the one with the later `updated_at`, else the
 * later one. An item without `updated_at` gives way to one that has it, so that the choice does not hang on the order in
 * which three of them come. What is kept of an id is a few numbers.
 */
export class Duplicates {
  readonly #ids: SortedIds
  readonly #setAside: SetAsideCounts
  /** Places of the items in the list, over all chunks. */
  readonly #winners: Int32Array
  readonly #timestamps: BigInt64Array
  readonly #contents: BigUint64Array
  readonly #differs: Uint8Array
  #discarded = 0
  /** Of the items that are taken so far, where there are any. */
  readonly #setAsideOfWinners = new Map<number, readonly string[]>()

  /**
   * @param ids that stand more than once
   * @param setAside of all rows; those of rows that are not taken are removed from it
   */
  constructor(ids: SortedIds, setAside: SetAsideCounts) {
    this.#ids = ids
    this.#setAside = setAside
    this.#winners = new Int32Array(ids.length).fill(NONE)
    this.#timestamps = new BigInt64Array(ids.length)
    this.#contents = new BigUint64Array(ids.length)
    this.#differs = new Uint8Array(ids.length)
  }

  get hasDuplicates(): boolean {
    return this.#ids.length > 0
  }

  /** How many items gave way to another with the same id. */
  get discarded(): number {
    return this.#discarded
  }

  /** Takes one row into account; rows come in the order of the list. */
  resolve({ rows, rowsBefore, setAside }: ListChunk, place: number): void {
    const index = this.#ids.indexOf(rows.id(place))
    if (index === NONE) return
    const timestamp = rows.updatedAt(place) ?? NO_TIMESTAMP
    const content = contentOf(rows, place)
    const entries = setAside.get(place) ?? null
    const isFirst = this.#winners[index] === NONE
    if (!isFirst) {
      this.#discarded += 1
      if (this.#contents[index] !== content) this.#differs[index] = 1
      // guard: duplicates
      if (timestamp < (this.#timestamps[index] ?? NO_TIMESTAMP)) return this.#setAside.remove(entries)
      this.#setAside.remove(this.#setAsideOfWinners.get(index) ?? null)
      this.#setAsideOfWinners.delete(index)
    }
    if (entries !== null) this.#setAsideOfWinners.set(index, entries)
    this.#winners[index] = rowsBefore + place
    this.#timestamps[index] = timestamp
    this.#contents[index] = content
  }

  /** @param place of the row in the list, over all chunks */
  isWinner(id: bigint, place: number): boolean {
    const index = this.#ids.indexOf(id)
    return index === NONE || this.#winners[index] === place
  }

  get differing(): DifferingDuplicates | null {
    const count = this.#differs.reduce((sum, differs) => sum + differs, 0)
    if (count === 0) return null
    return { count, first: String(this.#ids.at(this.#differs.indexOf(1))) }
  }
}

/** Equal for rows that are stored alike. */
function contentOf(rows: ListChunk['rows'], place: number): bigint {
  const bytes = (['responses', 'payments', 'slots'] as const).map((table) => rows.slice(table, place))
  return hash('sha256', Buffer.concat(bytes), 'buffer').readBigUInt64BE()
}
