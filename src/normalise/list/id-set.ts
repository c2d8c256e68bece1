import type { IntegerText } from '../../common/schema/tables.ts'

const INITIAL_CAPACITY = 1024

/** Ids of responses in eight bytes each: as texts those of a large list would take as much memory as its rows. */
export class SortedIds {
  #ids = new BigInt64Array(INITIAL_CAPACITY)
  #length = 0
  #isSorted = true

  get length(): number {
    return this.#length
  }

  add(id: IntegerText): void {
    if (this.#length === this.#ids.length) {
      const larger = new BigInt64Array(2 * this.#length)
      larger.set(this.#ids)
      this.#ids = larger
    }
    const value = BigInt(id)
    if (this.#length > 0 && value < this.#at(this.#length - 1)) this.#isSorted = false
    this.#ids[this.#length] = value
    this.#length += 1
  }

  has(id: IntegerText): boolean {
    return this.indexOf(id) !== -1
  }

  /** Place of an id in their order; -1 when it is not among them. */
  indexOf(id: IntegerText): number {
    this.#sort()
    const value = BigInt(id)
    let [from, to] = [0, this.#length]
    while (from < to) {
      const middle = (from + to) >>> 1
      if (this.#at(middle) < value) from = middle + 1
      else to = middle
    }
    return from < this.#length && this.#at(from) === value ? from : -1
  }

  /** Those that were added more than once, each once. */
  duplicates(): SortedIds {
    this.#sort()
    const duplicates = new SortedIds()
    for (let index = 1; index < this.#length; index += 1) {
      const id = this.#at(index)
      const isSecond = id === this.#at(index - 1) && (index === 1 || id !== this.#at(index - 2))
      if (isSecond) duplicates.add(String(id))
    }
    return duplicates
  }

  /** The id at a place in their order. */
  at(index: number): IntegerText {
    this.#sort()
    return String(this.#at(index))
  }

  /** In their order. */
  *[Symbol.iterator](): Generator<IntegerText> {
    this.#sort()
    for (let index = 0; index < this.#length; index += 1) yield String(this.#at(index))
  }

  #sort(): void {
    if (!this.#isSorted) this.#ids.subarray(0, this.#length).sort()
    this.#isSorted = true
  }

  #at(index: number): bigint {
    return this.#ids[index] ?? 0n
  }
}
