import type { ResponseItem } from '../common/schema/items.ts'
import type { ResponseRows } from './response-rows.ts'

/** Responses to one event as rows, by id ascending, each id once. */
export class ResponseBatch {
  readonly rows: ResponseRows
  readonly #itemAt: (index: number) => ResponseItem

  /** @param itemAt makes the item again of which a row was made */
  constructor(rows: ResponseRows, itemAt: (index: number) => ResponseItem = noItem) {
    this.rows = rows
    this.#itemAt = itemAt
  }

  get event_id(): string {
    return this.rows.key.event_id
  }

  get count(): number {
    return this.rows.count
  }

  item(index: number): ResponseItem {
    return this.#itemAt(index)
  }

  indexes(): number[] {
    return Array.from({ length: this.count }, (_, index) => index)
  }

  ids(): string[] {
    return this.indexes().map((index) => String(this.rows.id(index)))
  }

  /** The index of an id; -1 when no row has it. */
  indexOf(id: bigint): number {
    let from = 0
    let to = this.count
    while (from < to) {
      const middle = (from + to) >>> 1
      if (this.rows.id(middle) < id) from = middle + 1
      else to = middle
    }
    return from < this.count && this.rows.id(from) === id ? from : -1
  }
}

function noItem(index: number): never {
  throw new RangeError(`There is no item ${index}.`)
}
