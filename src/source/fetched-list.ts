/** A fetched list: its digest, the signs that it is incomplete, and its items on demand. */
import { hash } from 'node:crypto'
import { type Headers, headerOf } from './http/headers.ts'
import { notableHeaders } from './http/notable-headers.ts'
import type { KeyRemover } from '../common/json/key-in-items.ts'
import type { ItemHandler } from '../common/json/array-reader.ts'
import { INCOMPLETE } from '../common/json/scan.ts'
import { readList } from './list/read-list.ts'
import type { FetchedPages } from './list/pages.ts'
import { paginationSigns } from './list/pagination-signs.ts'
import type { Redactor } from '../common/redact.ts'
import type { Body } from './body/receive.ts'
import type { BodySpool } from './body/spool.ts'
import { usableEtag } from './http/etag.ts'

export interface FetchedListOptions {
  readonly spool: BodySpool
  /** About how long the chunks of a large list are, in bytes. */
  readonly chunkBytes: number
  readonly redactor: Redactor
  readonly keyRemover: KeyRemover
}

const KEY_IN_LIST =
  'this list contains the API key; the mirror stores "[key removed]" in its place. ' +
  'Everyone who can read that list at the service has the key: make a new one.'

/** A class, for a run makes one for each list: its methods are made once. */
export class FetchedList implements Disposable {
  /** How many pages it has. The list may change between two pages. */
  readonly pages: number
  /** The bytes of all pages after decompression. */
  readonly bytes: number
  /** Whether it is in a file, and is read in chunks. */
  readonly isLarge: boolean
  /** The name of the list for messages. */
  readonly what: string
  readonly keyRemover: KeyRemover
  readonly #options: FetchedListOptions
  readonly #bodies: readonly Body[]
  readonly #headers: readonly Headers[]
  readonly #isDelimited: boolean
  #isDisposed = false
  #signs: readonly string[]
  /** Until the items are counted, NaN is unequal to every count. */
  #items = Number.NaN
  #containedKey = false

  /** @param path the address of the list, for messages */
  constructor(path: string, { pages, unreadableLink }: FetchedPages, options: FetchedListOptions) {
    this.#options = options
    this.#bodies = pages.map((page) => page.body)
    this.#headers = pages.map((page) => page.headers)
    this.#isDelimited = pages.every((page) => page.isDelimited)
    this.#signs = unreadableLink ? ['its Link header cannot be read'] : []
    this.pages = pages.length
    this.bytes = this.#bodies.reduce((sum, body) => sum + body.size, 0)
    this.isLarge = options.spool.isLarge
    this.what = `GET ${path}`
    this.keyRemover = options.keyRemover
  }

  /** SHA-256 over the normaliser's version and the bodies of all pages, in hexadecimal. */
  digest(normaliser: number): string {
    const version = Buffer.from(`headcount normaliser ${normaliser}\n`)
    return hash('sha256', Buffer.concat([version, ...this.#bodies.map((body) => body.digest)]), 'hex')
  }

  /**
   * Whether it shows signs of more pages. A list whose headers count its items is read through to count them, unless it
   * was read before.
   *
   * @throws as read
   */
  async showsPaging(): Promise<boolean> {
    const isCounted = Number.isNaN(this.#items) && this.#mayHaveMore
    if (isCounted) await this.readThrough(new ItemCounter())
    return this.#signs.length > 0
  }

  /** A reason that forbids deletions. It is final after the list was read: the number of items may reveal paging. */
  get incompleteReason(): 'paging' | 'no_end_mark' | null {
    if (this.#signs.length > 0) return 'paging'
    return this.#isDelimited ? null : 'no_end_mark'
  }

  /**
   * The tag for the next request; null when the service sent none, or when the list may be incomplete. It is final
   * after the list was read: until then a header that counts items makes it null.
   */
  get etag(): string | null {
    const [headers, ...others] = this.#headers
    if (headers === undefined || others.length > 0) return null
    const etag = usableEtag(headerOf(headers, 'etag'))
    if (etag === null || this.#signs.length > 0 || !this.#isDelimited || this.#mayHaveMore) return null
    // A tag is stored: one that contains the key is not used.
    return this.#options.redactor.text(etag) === etag ? etag : null
  }

  /** Names of headers that hint at limits, paging or caches (notable-headers.ts). */
  get notableHeaders(): readonly string[] {
    return notableHeaders(this.#headers).map((name) => this.#options.redactor.text(name))
  }

  /** Warnings for a person. They are final after the list was read. */
  get warnings(): readonly string[] {
    const warnings = this.#signs.map(
      (sign) => `${this.what}: the list may have more pages (${sign}); nothing is deleted because of it.`,
    )
    if (!this.#isDelimited)
      warnings.push(`${this.what}: the body has no end mark; nothing is deleted because of it.`)
    if (this.#containedKey) warnings.push(`${this.what}: ${KEY_IN_LIST}`)
    return warnings.map(this.#options.redactor.text)
  }

  /**
   * Reads the whole list, and yields after each block (read-list.ts). Each call starts again.
   *
   * @throws InvalidResponseError that quotes no data, TemporaryFileError, and the handler's errors
   */
  async *read(handler: ItemHandler): AsyncGenerator<void, void> {
    for await (const _ of readList(this.#bodies, this.#options.chunkBytes, this.what, handler)) {
      if (this.#isDisposed) throw new Error(`${this.what} was disposed of before it was read.`)
      yield
    }
    this.#items = handler.count
    this.#containedKey ||= handler.containedKey
    this.#signs = [...new Set([...this.#signs, ...paginationSigns(this.#headers, this.#items)])]
  }

  /** As `read`, without a pause. */
  async readThrough(handler: ItemHandler): Promise<void> {
    for await (const _ of this.read(handler));
  }

  [Symbol.dispose](): void {
    this.#isDisposed = true
    this.#options.spool[Symbol.dispose]()
  }

  get #mayHaveMore(): boolean {
    return paginationSigns(this.#headers, this.#items).length > 0
  }
}

/** Counts the items of a list that was parsed before: no item is looked into. */
class ItemCounter implements ItemHandler {
  count = 0
  readonly containedKey = false

  tryItem(): number {
    return INCOMPLETE
  }

  item(): void {
    this.count += 1
  }
}
