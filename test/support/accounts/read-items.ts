/** The items of a list as they are handed to whoever reads it. */
import { ArrayReader, type ItemHandler } from '../../../src/common/json/array-reader.ts'
import { type KeyRemover, noKeyRemover } from '../../../src/common/json/key-in-items.ts'
import { INCOMPLETE } from '../../../src/common/json/scan.ts'
import { parseSent, type ParseOptions, type SentItem } from '../../../src/normalise/items/sent-item.ts'
import type { FetchedList } from '../../../src/source/fetched-list.ts'

/** Keeps every item of a list. */
export class ItemCollector implements ItemHandler {
  readonly items: SentItem[] = []
  containedKey = false
  readonly #options: ParseOptions

  constructor(options: Partial<ParseOptions> = {}) {
    this.#options = { what: 'GET /x', keyRemover: noKeyRemover, ...options }
  }

  get count(): number {
    return this.items.length
  }

  tryItem(): number {
    return INCOMPLETE
  }

  item(bytes: Buffer, start: number, end: number, offset: number): void {
    const item = parseSent(bytes.subarray(start, end), this.count, offset + start, this.#options)
    this.containedKey ||= item.containedKey
    this.items.push(item)
  }
}

/** The items of a list that a source has fetched. */
export async function itemsOf(list: FetchedList): Promise<readonly SentItem[]> {
  const collector = new ItemCollector(list)
  await list.readThrough(collector)
  return collector.items
}

/** Hands the items of these pages, each one body, to the handler. */
export function readPages(pages: readonly string[], handler: ItemHandler, what = 'GET /x'): void {
  for (const page of pages) new ArrayReader(what, handler).read(Buffer.from(page), true)
}

/** The items of one page. */
export function collect(page: string, keyRemover: KeyRemover = noKeyRemover): ItemCollector {
  const collector = new ItemCollector({ keyRemover })
  readPages([page], collector)
  return collector
}
