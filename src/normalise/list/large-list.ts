import type { IntegerText, RejectItem } from '../../common/schema/tables.ts'
import type { ListPayload } from '../../common/json/parse-list.ts'
import { SetAsideValues } from '../items/set-aside-values.ts'
import { ItemIssues } from '../items/item-issues.ts'
import { SortedIds } from './id-set.ts'
import { LargeDuplicates } from './large-duplicates.ts'
import type { IndexedRow } from './large-duplicates.ts'
import { presentFields, normaliseItem } from './list.ts'
import type { ListSummary, ItemObserver, ItemType } from './list.ts'
import { IdOrder } from './id-order.ts'
import { ObservedValues } from '../observe/observed-values.ts'
import { warningsOf } from './warnings.ts'

/** What one chunk of a list becomes. */
export interface NormalisedChunk<Row> {
  /** Sorted by id; of an id that stands more than once in the list, only the row that is taken. */
  readonly rows: readonly Row[]
  readonly rejects: readonly RejectItem[]
}

/**
 * A list that is too large for memory, given chunk by chunk: first all of it to `add`, which keeps ids and numbers but
 * no rows; then, if `hasDuplicates`, all of it to `settle`; then `finish` tells what it shows, and `take` gives the rows of each
 * chunk, as often as it is asked. What comes of it is what `normaliseList` makes of the whole. Most lists come in the
 * order of their ids: then `add` gives the rows already, and one reading does.
 */
export class LargeList<Row extends { readonly id: IntegerText }> {
  /** Ids of the items that became rows. */
  readonly rowIds = new SortedIds()
  /** Ids of the rejects whose id can be read. */
  readonly rejectIds = new SortedIds()
  readonly #itemType: ItemType<Row>
  readonly #issues = new ItemIssues()
  readonly #setAside = new SetAsideValues()
  readonly #observer: ItemObserver<Row>
  readonly #duplicateKeys: ObservedValues
  readonly #order: IdOrder
  #duplicates: LargeDuplicates<Row> | null = null
  #length = 0
  #rejected = 0

  constructor(itemType: ItemType<Row>) {
    this.#itemType = itemType
    this.#observer = itemType.createObserver()
    this.#duplicateKeys = new ObservedValues(itemType.name, 'duplicate_key')
    this.#order = new IdOrder(itemType.compareIds)
  }

  /**
   * First reading: the chunks in their order. Gives the rows of the chunk, sorted by id; null as soon as the ids do not
   * follow in one direction, for then which of two items is taken is only known at the end.
   */
  add(payload: ListPayload): readonly Row[] | null {
    const { read, rejects } = this.#read(payload, this.#issues, this.#observer)
    for (const { row, setAside } of read) {
      this.rowIds.add(row.id)
      this.#order.add(row.id)
      this.#setAside.add(setAside)
    }
    for (const { id } of rejects) if (id !== null) this.rejectIds.add(id)
    this.#length += payload.items.length
    this.#rejected += rejects.length
    for (const key of payload.duplicateKeys) this.#duplicateKeys.add(key)
    return this.#order.isStrictlyMonotonic ? this.#sorted(read) : null
  }

  /** Whether an id stands more than once. Ask after the first reading. */
  get hasDuplicates(): boolean {
    return this.#resolved.hasDuplicates
  }

  /** Second reading, of a list with duplicates: the chunks in their order. */
  resolve(payload: ListPayload): void {
    for (const read of this.#read(payload, new ItemIssues(), null).read) this.#resolved.resolve(read)
  }

  /** Ends the gathering, when all is read and settled. */
  summarise(): ListSummary {
    const observed = [this.#observer, this.#duplicateKeys, this.#order]
    return {
      length: this.#length,
      setAside: this.#setAside.total,
      warnings: warningsOf(this.#setAside, this.#resolved.differing),
      fields: presentFields(this.#itemType, this.#issues),
      unreadableId: this.#rejected > this.rejectIds.length,
      observations: observed.flatMap((part) => part.observations(this.#itemType.name)),
    }
  }

  /** How many rows it has. */
  get count(): number {
    return this.rowIds.length - this.#resolved.discarded
  }

  get rejected(): number {
    return this.#rejected
  }

  /** The rows and rejects of one chunk, when the list is read and settled. */
  rowsOf(payload: ListPayload): NormalisedChunk<Row> {
    const { read, rejects } = this.#read(payload, new ItemIssues(), null)
    return {
      rows: this.#sorted(
        /* guard: duplicates in a large list */ read.filter((one) => this.#resolved.isWinner(one)),
      ),
      rejects,
    }
  }

  #sorted(read: readonly IndexedRow<Row>[]): Row[] {
    return read.map(({ row }) => row).sort((a, b) => this.#itemType.compareIds(a.id, b.id))
  }

  get #resolved(): LargeDuplicates<Row> {
    return (this.#duplicates ??= new LargeDuplicates(
      this.rowIds.duplicates(),
      this.#itemType.updatedAt,
      this.#setAside,
    ))
  }

  #read({ items }: ListPayload, issues: ItemIssues, observer: ItemObserver<Row> | null) {
    const read: IndexedRow<Row>[] = []
    const rejects: RejectItem[] = []
    for (const item of items) {
      const result = normaliseItem(item, this.#itemType, issues, observer)
      if ('reject' in result) rejects.push(result.reject)
      else read.push({ index: item.index, row: result.row, setAside: issues.setAside })
    }
    return { read, rejects }
  }
}
