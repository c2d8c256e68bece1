import type { IntegerText, RejectItem } from '../../common/schema/tables.ts'
import type { ListPayload } from '../../common/json/parse-list.ts'
import { Asides } from '../items/set-aside-values.ts'
import { Findings } from '../items/item-issues.ts'
import { IdArray } from './id-set.ts'
import { LargeDuplicates } from './large-duplicates.ts'
import type { ReadRow } from './large-duplicates.ts'
import { fieldsOf, readItem } from './list.ts'
import type { ListFacts, Observe, Shape } from './list.ts'
import { IdOrder, noteDuplicateKeys } from '../observe/list.ts'
import { Observed } from '../observe/observation-counter.ts'
import { warningsOf } from './warnings.ts'

/** What one piece of a list becomes. */
export interface Piece<Row> {
  /** Sorted by id; of an id that stands more than once in the list, only the row that is taken. */
  readonly rows: readonly Row[]
  readonly rejects: readonly RejectItem[]
}

/**
 * A list that is too large for memory, given piece by piece: first all of it to `add`, which keeps ids and numbers but
 * no rows; then, if `hasDuplicates`, all of it to `settle`; then `finish` tells what it shows, and `take` gives the rows of each
 * piece, as often as it is asked. What comes of it is what `normaliseList` makes of the whole. Most lists come in the
 * order of their ids: then `add` gives the rows already, and one reading does.
 */
export class LargeList<Row extends { readonly id: IntegerText }> {
  /** Ids of the items that became rows. */
  readonly rowIds = new IdArray()
  /** Ids of the rejects whose id can be read. */
  readonly rejectIds = new IdArray()
  readonly #shape: Shape<Row>
  readonly #findings = new Findings()
  readonly #asides = new Asides()
  readonly #observed = new Observed()
  readonly #observe: Observe<Row>
  readonly #order: IdOrder
  #duplicates: LargeDuplicates<Row> | null = null
  #length = 0
  #rejected = 0

  constructor(shape: Shape<Row>) {
    this.#shape = shape
    this.#observe = shape.observe(this.#observed)
    this.#order = new IdOrder(shape.compareIds)
  }

  /**
   * First reading: the pieces in their order. Gives the rows of the piece, sorted by id; null as soon as the ids do not
   * follow in one direction, for then which of two items is taken is only known at the end.
   */
  add(payload: ListPayload): readonly Row[] | null {
    const { read, rejects } = this.#read(payload, this.#findings, this.#observe)
    for (const { row, asides } of read) {
      this.rowIds.add(row.id)
      this.#order.add(row.id)
      this.#asides.add(asides)
    }
    for (const { id } of rejects) if (id !== null) this.rejectIds.add(id)
    this.#length += payload.items.length
    this.#rejected += rejects.length
    noteDuplicateKeys(this.#observed, this.#shape.name, payload.duplicateKeys)
    return this.#order.isOneWay ? this.#sorted(read) : null
  }

  /** Whether an id stands more than once. Ask after the first reading. */
  get hasDuplicates(): boolean {
    return this.#settled.areThere
  }

  /** Second reading, of a list with duplicates: the pieces in their order. */
  settle(payload: ListPayload): void {
    for (const read of this.#read(payload, new Findings(), ignore).read) this.#settled.settle(read)
  }

  /** Ends the gathering, when all is read and settled. */
  finish(): ListFacts {
    this.#order.note(this.#observed, this.#shape.name)
    return {
      length: this.#length,
      setAside: this.#asides.total,
      warnings: warningsOf(this.#asides, this.#settled.differing),
      fields: fieldsOf(this.#shape, this.#findings),
      unreadableId: this.#rejected > this.rejectIds.length,
      observed: this.#observed,
    }
  }

  /** How many rows it has. */
  get count(): number {
    return this.rowIds.length - this.#settled.left
  }

  get rejected(): number {
    return this.#rejected
  }

  /** The rows and rejects of one piece, when the list is read and settled. */
  take(payload: ListPayload): Piece<Row> {
    const { read, rejects } = this.#read(payload, new Findings(), ignore)
    return { rows: this.#sorted(read.filter((one) => this.#settled.isTaken(one))), rejects }
  }

  #sorted(read: readonly ReadRow<Row>[]): Row[] {
    return read.map(({ row }) => row).sort((a, b) => this.#shape.compareIds(a.id, b.id))
  }

  get #settled(): LargeDuplicates<Row> {
    return (this.#duplicates ??= new LargeDuplicates(
      this.rowIds.twins(),
      this.#shape.updatedAt,
      this.#asides,
    ))
  }

  #read({ items }: ListPayload, findings: Findings, observe: Observe<Row>) {
    const read: ReadRow<Row>[] = []
    const rejects: RejectItem[] = []
    for (const item of items) {
      const result = readItem(item, this.#shape, findings, observe)
      if ('reject' in result) rejects.push(result.reject)
      else read.push({ index: item.index, row: result.row, asides: findings.asides })
    }
    return { read, rejects }
  }
}

function ignore(): void {}
