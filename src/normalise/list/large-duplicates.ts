import { createHash } from 'node:crypto'
import type { IntegerText, Timestamp } from '../../common/schema/tables.ts'
import type { Asides } from '../items/set-aside-values.ts'
import { contentOf } from './content.ts'
import { instantOrNone, isAtLeast } from './duplicates.ts'
import type { IdArray } from './id-set.ts'
import type { Differing } from './warnings.ts'

/** An item that became a row. */
export interface ReadRow<Row> {
  /** Place in the list. */
  readonly index: number
  readonly row: Row
  readonly asides: readonly string[] | null
}

/** Stands for a missing time stamp, long before the first that there can be. */
const NO_INSTANT = -(2n ** 63n)

/**
 * The rule of duplicates.ts for a list whose rows are not in memory: of each id that stands more than once, which item
 * is taken. What it keeps of an id is a few numbers.
 */
export class LargeDuplicates<Row extends { readonly id: IntegerText }> {
  readonly #ids: IdArray
  readonly #updatedAt: (row: Row) => Timestamp | null
  readonly #asides: Asides
  readonly #taken: Int32Array
  readonly #instants: BigInt64Array
  readonly #contents: BigUint64Array
  readonly #differs: Uint8Array
  #left = 0
  /** Of the items that are taken so far, where there are any. */
  readonly #asidesOfTaken = new Map<number, readonly string[]>()

  /**
   * @param ids that stand more than once
   * @param asides of all rows; those of rows that are not taken are removed from it
   */
  constructor(ids: IdArray, updatedAt: (row: Row) => Timestamp | null, asides: Asides) {
    this.#ids = ids
    this.#updatedAt = updatedAt
    this.#asides = asides
    this.#taken = new Int32Array(ids.length).fill(-1)
    this.#instants = new BigInt64Array(ids.length)
    this.#contents = new BigUint64Array(ids.length)
    this.#differs = new Uint8Array(ids.length)
  }

  get areThere(): boolean {
    return this.#ids.length > 0
  }

  /** How many items are not taken. */
  get left(): number {
    return this.#left
  }

  /** Settles one item; they come in the order of the list. */
  settle(read: ReadRow<Row>): void {
    const place = this.#ids.placeOf(read.row.id)
    if (place === -1) return
    const instant = instantOrNone(this.#updatedAt(read.row))
    const content = hashOf(read.row)
    const isFirst = this.#taken[place] === -1
    if (!isFirst && this.#contents[place] !== content) this.#differs[place] = 1
    const former = this.#instants[place] ?? NO_INSTANT
    if (!isFirst) this.#left += 1
    if (!isFirst && !isAtLeast(instant, former === NO_INSTANT ? null : former)) {
      this.#asides.remove(read.asides)
      return
    }
    this.#asides.remove(this.#asidesOfTaken.get(place) ?? null)
    this.#asidesOfTaken.delete(place)
    if (read.asides !== null) this.#asidesOfTaken.set(place, read.asides)
    this.#taken[place] = read.index
    this.#instants[place] = instant ?? NO_INSTANT
    this.#contents[place] = content
  }

  isTaken({ row, index }: Pick<ReadRow<Row>, 'row' | 'index'>): boolean {
    if (!this.areThere) return true
    const place = this.#ids.placeOf(row.id)
    return place === -1 || this.#taken[place] === index
  }

  get differing(): Differing | null {
    const count = this.#differs.reduce((sum, differs) => sum + differs, 0)
    if (count === 0) return null
    const place = this.#differs.indexOf(1)
    return { count, first: this.#ids.at(place) }
  }
}

function hashOf(row: object): bigint {
  return createHash('sha256').update(contentOf(row)).digest().readBigUInt64BE()
}
