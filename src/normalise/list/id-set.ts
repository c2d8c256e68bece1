import type { IntegerText } from '../../common/schema/tables.ts'

const FIRST_CAPACITY = 1024

/** Ids of responses in eight bytes each: as texts those of a large list would take as much memory as its rows. */
export class IdArray {
  #ids = new BigInt64Array(FIRST_CAPACITY)
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
    return this.placeOf(id) !== -1
  }

  /** Place of an id in their order; -1 when it is not among them. */
  placeOf(id: IntegerText): number {
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
  twins(): IdArray {
    this.#sort()
    const twins = new IdArray()
    for (let place = 1; place < this.#length; place += 1) {
      const id = this.#at(place)
      const isSecond = id === this.#at(place - 1) && (place === 1 || id !== this.#at(place - 2))
      if (isSecond) twins.add(String(id))
    }
    return twins
  }

  /** The id at a place in their order. */
  at(place: number): IntegerText {
    this.#sort()
    return String(this.#at(place))
  }

  /** In their order. */
  *[Symbol.iterator](): Generator<IntegerText> {
    this.#sort()
    for (let place = 0; place < this.#length; place += 1) yield String(this.#at(place))
  }

  #sort(): void {
    if (!this.#isSorted) this.#ids.subarray(0, this.#length).sort()
    this.#isSorted = true
  }

  #at(place: number): bigint {
    return this.#ids[place] ?? 0n
  }
}
