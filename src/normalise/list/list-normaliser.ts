import type { IntegerText, ResponseItem } from '../../common/schema/items.ts'
import { ResponseBatch } from '../../copy-format/response-batch.ts'
import { ItemIssues } from '../items/item-issues.ts'
import { RESPONSE } from '../items/responses.ts'
import { withoutPersonal } from '../../common/schema/personal-data.ts'
import { SetAsideCounts } from '../items/set-aside-counts.ts'
import { normaliseItem } from '../items/normalise-item.ts'
import { underRules } from '../items/field-rules.ts'
import { emailIn, parseSent } from '../items/sent-item.ts'
import { ObservedValues } from '../observe/observed-values.ts'
import { ResponseObserver } from '../observe/responses.ts'
import type { FoundSuppression } from '../suppression/suppressions.ts'
import { Duplicates } from './duplicates.ts'
import { IdOrder } from './id-order.ts'
import { SortedIds } from './id-set.ts'
import { presentFields, type ListSummary } from './list-summary.ts'
import { type ListChunk, ResponseReader, type ResponseListOptions } from './response-reader.ts'
import { warningsOf } from './warnings.ts'

/**
 * A list of responses, given chunk by chunk: first all of it to `add`, which keeps ids and numbers but no rows. If an id
 * stands more than once, then all of it to `resolve`, which settles which item is taken. `batch` gives the rows of a chunk:
 * at once as long as the ids follow in one direction, else when all is settled. A list in memory is one chunk.
 */
export class ListNormaliser {
  /** Ids of the items that became rows. */
  readonly rowIds = new SortedIds()
  /** Ids of the rejects whose id can be read. */
  readonly rejectIds = new SortedIds()
  rejected = 0
  /** Responses of erased people that were found by their address: from now on they are known by their ids. */
  readonly suppressed: FoundSuppression[] = []
  readonly #options: ResponseListOptions
  /** Null when all is summed up: the list may wait for the database long after. */
  #observer: ResponseObserver | null = new ResponseObserver()
  readonly #duplicateKeys = new ObservedValues('response', 'duplicate_key')
  readonly #order = new IdOrder()
  readonly #setAside = new SetAsideCounts()
  readonly #issues = new ItemIssues()
  #duplicates: Duplicates | null = null
  #last: bigint | null = null
  #length = 0

  constructor(options: ResponseListOptions) {
    this.#options = options
  }

  /** For the first reading: what it takes goes to `add`. */
  firstReader(): ResponseReader {
    return new ResponseReader(this.#options, this.#issues, this.#observer)
  }

  /** For a further reading: what it takes goes to `resolve` or `batch`. */
  nextReader(): ResponseReader {
    return new ResponseReader(this.#options, new ItemIssues(), null)
  }

  add({ rows, rejects, setAside, duplicateKeys, suppressed, length }: ListChunk): void {
    for (let place = 0; place < rows.count; place += 1) {
      const id = rows.id(place)
      if (this.#last !== null) this.#order.add(compare(id, this.#last))
      this.#last = id
      this.rowIds.add(id)
    }
    for (const entries of setAside.values()) this.#setAside.add(entries)
    this.suppressed.push(...suppressed)
    for (const { id } of rejects) if (id !== null) this.rejectIds.add(BigInt(id))
    for (const key of duplicateKeys) this.#duplicateKeys.add(key)
    this.#length += length
    this.rejected += rejects.length
  }

  /** Whether the ids follow in one direction so far, so that none stands twice. */
  get isMonotonic(): boolean {
    return this.#order.isStrictlyMonotonic
  }

  /** Whether an id stands more than once. Ask after the first reading. */
  get hasDuplicates(): boolean {
    return !this.isMonotonic && this.#resolved.hasDuplicates
  }

  resolve(chunk: ListChunk): void {
    for (let place = 0; place < chunk.rows.count; place += 1) this.#resolved.resolve(chunk, place)
  }

  /** The rows of a chunk that are taken, by id ascending. */
  batch(chunk: ListChunk): ResponseBatch {
    const { rows } = chunk
    // Most lists come by id, each id once.
    const places = this.#order.isStrictlyAscending ? null : this.#placesOf(chunk)
    return new ResponseBatch(places === null ? rows : rows.pick(places), (index) =>
      this.#itemAt(chunk, places?.[index] ?? index),
    )
  }

  has(id: IntegerText): boolean {
    return this.rowIds.has(BigInt(id)) || this.rejectIds.has(BigInt(id))
  }

  /** How many rows it has. */
  get count(): number {
    return this.rowIds.length - (this.#duplicates?.discarded ?? 0)
  }

  /** What it shows, when all is read and settled. May be called once. */
  summarise(): ListSummary {
    const observed = [this.#observer, this.#duplicateKeys, this.#order].filter((part) => part !== null)
    this.#observer = null
    return {
      length: this.#length,
      setAside: this.#setAside.total,
      warnings: warningsOf(this.#setAside, this.#duplicates?.differing ?? null),
      fields: presentFields(RESPONSE.fields, this.#issues),
      unreadableId: this.rejected > this.rejectIds.length,
      observations: observed.flatMap((part) => part.observations('response')),
    }
  }

  #placesOf(chunk: ListChunk): readonly number[] {
    const { rows, rowsBefore } = chunk
    const isTaken = (place: number) =>
      this.isMonotonic || this.#resolved.isWinner(rows.id(place), rowsBefore + place)
    const places = Array.from({ length: rows.count }, (_, place) => place)
      // guard: duplicates in a large list
      .filter(isTaken)
    return places.sort((one, other) => compare(rows.id(one), rows.id(other)))
  }

  get #resolved(): Duplicates {
    return (this.#duplicates ??= new Duplicates(this.rowIds.duplicates(), this.#setAside))
  }

  /** The item of a row, made again from its bytes. */
  #itemAt(chunk: ListChunk, place: number): ResponseItem {
    const sent = parseSent(chunk.itemBytes(place), 0, 0, this.#options)
    const { suppressed, rules = null } = this.#options
    const result = normaliseItem(sent, underRules(RESPONSE, rules), new ItemIssues(), null)
    if ('reject' in result) throw new Error(`The item of row ${place} is none at its second reading.`)
    const { row } = result
    const isSuppressed =
      suppressed?.hasResponse(row.id) === true || suppressed?.findHash(emailIn(sent)) != null
    return isSuppressed || this.#options.withoutPersonal === true ? withoutPersonal(row) : row
  }
}

function compare(one: bigint, other: bigint): number {
  return one === other ? 0 : one < other ? -1 : 1
}
