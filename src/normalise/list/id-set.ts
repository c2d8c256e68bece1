const INITIAL_CAPACITY = 16

/** Ids of responses in eight bytes each: as texts those of a large list would take as much memory as its rows. */
export class SortedIds {
  #ids = new BigInt64Array(INITIAL_CAPACITY)
  #length = 0
  #isSorted = true

  get length(): number {
    return this.#length
  }

  add(id: bigint): void {
    if (this.#length === this.#ids.length) {
      const larger = new BigInt64Array(2 * this.#length)
      larger.set(this.#ids)
      this.#ids = larger
    }
    if (this.#length > 0 && id < this.#at(this.#length - 1)) this.#isSorted = false
    this.#ids[this.#length] = id
    this.#length += 1
  }

  has(id: bigint): boolean {
    return this.indexOf(id) !== -1
  }

  /** Place of an id in their order; -1 when it is not among them. */
  indexOf(id: bigint): number {
    this.#sort()
    let [from, to] = [0, this.#length]
    while (from < to) {
      const middle = (from + to) >>> 1
      if (this.#at(middle) < id) from = middle + 1
      else to = middle
    }
    return from < this.#length && this.#at(from) === id ? from : -1
  }

  /** Those that were added more than once, each once. */
  duplicates(): SortedIds {
    this.#sort()
    const duplicates = new SortedIds()
    for (let index = 1; index < this.#length; index += 1) {
      const id = this.#at(index)
      const isSecond = id === this.#at(index - 1) && (index === 1 || id !== this.#at(index - 2))
      if (isSecond) duplicates.add(id)
    }
    return duplicates
  }

  /** The id at a place in their order. */
  at(index: number): bigint {
    this.#sort()
    return this.#at(index)
  }

  /** In their order. */
  *[Symbol.iterator](): Generator<bigint> {
    this.#sort()
    for (let index = 0; index < this.#length; index += 1) yield this.#at(index)
  }

  #sort(): void {
    if (!this.#isSorted) this.#ids.subarray(0, this.#length).sort()
    this.#isSorted = true
  }

  #at(index: number): bigint {
    return this.#ids[index] ?? 0n
  }
}
