import type { ItemHandler } from '../../common/json/array-reader.ts'
import { duplicateKeys, SCANNED_CHARACTERS } from '../../common/json/duplicate-keys.ts'
import { INCOMPLETE } from '../../common/json/scan.ts'
import type { EventItem, RejectItem } from '../../common/schema/items.ts'
import { EVENT } from '../items/events.ts'
import { normaliseItem } from '../items/normalise-item.ts'
import { parseSent, type ParseOptions } from '../items/sent-item.ts'
import { ItemIssues } from '../items/item-issues.ts'
import { SetAsideCounts } from '../items/set-aside-counts.ts'
import { observeEvents } from '../observe/events.ts'
import { ObservedValues } from '../observe/observed-values.ts'
import { jsonbText } from '../../copy-format/jsonb.ts'
import { compareUtf8 } from '../../common/text/collation.ts'
import { IdOrder } from './id-order.ts'
import { type ListSummary, presentFields } from './list-summary.ts'
import { type DifferingDuplicates, warningsOf } from './warnings.ts'

/** The event list as the mirror takes it. */
export interface NormalisedEvents extends ListSummary {
  /** By id, in the order of its bytes, one row for each id. */
  readonly rows: readonly EventItem[]
  readonly rejects: readonly RejectItem[]
}

/** Makes rows of the event list. Throws nothing but what is no JSON, whatever the items are. */
export class EventListReader implements ItemHandler {
  count = 0
  containedKey = false
  readonly #options: ParseOptions
  /** By id: of those that stand more than once the last is taken. */
  readonly #rows = new Map<string, { readonly row: EventItem; readonly setAside: readonly string[] | null }>()
  readonly #rejects: RejectItem[] = []
  readonly #differing = new Set<string>()
  readonly #issues = new ItemIssues()
  readonly #observer = observeEvents()
  readonly #duplicateKeys = new ObservedValues('event', 'duplicate_key')
  readonly #order = new IdOrder()
  #last: string | null = null
  #charactersToScan = SCANNED_CHARACTERS

  constructor(options: ParseOptions) {
    this.#options = options
  }

  tryItem(): number {
    return INCOMPLETE
  }

  item(bytes: Buffer, start: number, end: number, offset: number): void {
    const sent = parseSent(bytes.subarray(start, end), this.count, offset + start, this.#options)
    this.containedKey ||= sent.containedKey
    this.count += 1
    if (this.#charactersToScan > 0)
      for (const key of duplicateKeys(sent.text.slice(0, this.#charactersToScan)))
        this.#duplicateKeys.add(key)
    this.#charactersToScan -= sent.text.length
    const result = normaliseItem(sent, EVENT, this.#issues, this.#observer)
    if ('reject' in result) this.#rejects.push(result.reject)
    else this.#add(result.row)
  }

  #add(row: EventItem): void {
    const { id } = row
    if (this.#last !== null) this.#order.add(compareUtf8(id, this.#last))
    this.#last = id
    const former = this.#rows.get(id)?.row
    if (former !== undefined && jsonbText({ ...former }) !== jsonbText({ ...row })) this.#differing.add(id)
    this.#rows.set(id, { row, setAside: this.#issues.setAside })
  }

  /** The list, when it was read through. */
  finish(): NormalisedEvents {
    const taken = [...this.#rows.values()]
    const setAside = new SetAsideCounts()
    for (const one of taken) setAside.add(one.setAside)
    const rows = taken.map(({ row }) => row)
    if (!this.#order.isStrictlyAscending) rows.sort((a, b) => compareUtf8(a.id, b.id))
    return {
      rows,
      rejects: this.#rejects,
      length: this.count,
      setAside: setAside.total,
      warnings: warningsOf(setAside, this.#differingDuplicates()),
      fields: presentFields(EVENT.fields, this.#issues),
      unreadableId: this.#rejects.some((reject) => reject.id === null),
      observations: [this.#observer, this.#duplicateKeys, this.#order].flatMap((part) =>
        part.observations('event'),
      ),
    }
  }

  #differingDuplicates(): DifferingDuplicates | null {
    const [first] = [...this.#differing].sort(compareUtf8)
    return first === undefined ? null : { count: this.#differing.size, first }
  }
}
