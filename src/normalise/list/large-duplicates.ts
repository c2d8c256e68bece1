import { createHash } from 'node:crypto'
import type { IntegerText, Timestamp } from '../../common/schema/tables.ts'
import type { SetAsideValues } from '../items/set-aside-values.ts'
import { canonicalJson } from './content.ts'
import { toMicrosecondsOrNull, supersedes } from './duplicates.ts'
import type { SortedIds } from './id-set.ts'
import type { DifferingDuplicates } from './warnings.ts'

/** An item that became a row. */
export interface IndexedRow<Row> {
  /** Index in the list. */
  readonly index: number
  readonly row: Row
  readonly setAside: readonly string[] | null
}

/** Stands for a missing time stamp, long before the first that there can be. */
const NO_TIMESTAMP = -(2n ** 63n)

/**
 * The rule of duplicates.ts for a list whose rows are not in memory: of each id that stands more than once, which item
 * is taken. What it keeps of an id is a few numbers.
 */
export class LargeDuplicates<Row extends { readonly id: IntegerText }> {
  readonly #ids: SortedIds
  readonly #updatedAt: (row: Row) => Timestamp | null
  readonly #setAside: SetAsideValues
  readonly #winners: Int32Array
  readonly #instants: BigInt64Array
  readonly #contents: BigUint64Array
  readonly #differs: Uint8Array
  #discarded = 0
  /** Of the items that are taken so far, where there are any. */
  readonly #setAsideOfWinners = new Map<number, readonly string[]>()

  /**
   * @param ids that stand more than once
   * @param asides of all rows; those of rows that are not taken are removed from it
   */
  constructor(ids: SortedIds, updatedAt: (row: Row) => Timestamp | null, setAside: SetAsideValues) {
    this.#ids = ids
    this.#updatedAt = updatedAt
    this.#setAside = setAside
    this.#winners = new Int32Array(ids.length).fill(-1)
    this.#instants = new BigInt64Array(ids.length)
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

  /** Takes one item into account; items come in the order of the list. */
  resolve(read: IndexedRow<Row>): void {
    const index = this.#ids.indexOf(read.row.id)
    if (index === -1) return
    const instant = toMicrosecondsOrNull(this.#updatedAt(read.row))
    const content = hashOf(read.row)
    const isFirst = this.#winners[index] === -1
    if (!isFirst && this.#contents[index] !== content) this.#differs[index] = 1
    const former = this.#instants[index] ?? NO_TIMESTAMP
    if (!isFirst) this.#discarded += 1
    if (!isFirst && !supersedes(instant, former === NO_TIMESTAMP ? null : former)) {
      this.#setAside.remove(read.setAside)
      return
    }
    this.#setAside.remove(this.#setAsideOfWinners.get(index) ?? null)
    this.#setAsideOfWinners.delete(index)
    if (read.setAside !== null) this.#setAsideOfWinners.set(index, read.setAside)
    this.#winners[index] = read.index
    this.#instants[index] = instant ?? NO_TIMESTAMP
    this.#contents[index] = content
  }

  isWinner({ row, index }: Pick<IndexedRow<Row>, 'row' | 'index'>): boolean {
    if (!this.hasDuplicates) return true
    const slot = this.#ids.indexOf(row.id)
    return slot === -1 || this.#winners[slot] === index
  }

  get differing(): DifferingDuplicates | null {
    const count = this.#differs.reduce((sum, differs) => sum + differs, 0)
    if (count === 0) return null
    const index = this.#differs.indexOf(1)
    return { count, first: this.#ids.at(index) }
  }
}

function hashOf(row: object): bigint {
  return createHash('sha256').update(canonicalJson(row)).digest().readBigUInt64BE()
}
