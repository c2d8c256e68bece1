/** A fetched list: its digest, the signs that it is incomplete, and its items on demand. */
import { hash } from 'node:crypto'
import { headerOf } from './http/headers.ts'
import { notableHeaders } from './http/notable-headers.ts'
import type { KeyRemover } from '../common/json/key-in-items.ts'
import type { ItemHandler } from '../common/json/array-reader.ts'
import { ItemCounter } from './list/item-counter.ts'
import { readList } from './list/read-list.ts'
import type { FetchedPages } from './list/pages.ts'
import { paginationSigns } from './list/pagination-signs.ts'
import type { Redactor } from '../common/redact.ts'
import type { Body } from './body/receive.ts'
import type { BodySpool } from './body/spool.ts'
import { usableEtag } from './http/etag.ts'

export interface FetchedList extends Disposable {
  /** How many pages it has. The list may change between two pages. */
  readonly pages: number
  /** The bytes of all pages after decompression. */
  readonly bytes: number
  /** SHA-256 over the normaliser's version and the bodies of all pages, in hexadecimal. */
  digest(normaliser: number): string
  /** Whether it is in a file, and is read in chunks. */
  readonly isLarge: boolean
  /**
   * Whether it shows signs of more pages. A list whose headers count its items is read through to count them, unless it
   * was read before.
   *
   * @throws as read
   */
  showsPaging(): Promise<boolean>
  /** A reason that forbids deletions. It is final after the list was read: the number of items may reveal paging. */
  readonly incompleteReason: 'paging' | 'no_end_mark' | null
  /**
   * The tag for the next request; null when the service sent none, or when the list may be incomplete. It is final
   * after the list was read: until then a header that counts items makes it null.
   */
  readonly etag: string | null
  /** Names of headers that hint at limits, paging or caches (notable-headers.ts). */
  readonly notableHeaders: readonly string[]
  /** Warnings for a person. They are final after the list was read. */
  readonly warnings: readonly string[]
  /**
   * Reads the whole list, and yields after each block (read-list.ts). Each call starts again.
   *
   * @throws InvalidResponseError that quotes no data, TemporaryFileError, and the handler's errors
   */
  read(handler: ItemHandler): AsyncGenerator<void, void>
  /** As `read`, without a pause. */
  readThrough(handler: ItemHandler): Promise<void>
  readonly keyRemover: KeyRemover
  /** The name of the list for messages. */
  readonly what: string
}

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

/** @param path the address of the list, for messages */
export function createFetchedList(
  path: string,
  fetched: FetchedPages,
  { spool, chunkBytes, redactor, keyRemover }: FetchedListOptions,
): FetchedList {
  const what = `GET ${path}`
  const { isLarge } = spool
  const bodies = fetched.pages.map((page) => page.body)
  const headers = fetched.pages.map((page) => page.headers)
  const bytes = bodies.reduce((sum, body) => sum + body.size, 0)
  let isDisposed = false
  let signs: readonly string[] = fetched.unreadableLink ? ['its Link header cannot be read'] : []
  const isDelimited = fetched.pages.every((page) => page.isDelimited)
  const etag = headers.length === 1 ? usableEtag(headerOf(headers[0] ?? {}, 'etag')) : null
  // Until the items are counted, NaN is unequal to every count.
  let items = Number.NaN
  let containedKey = false
  async function* read(handler: ItemHandler): AsyncGenerator<void, void> {
    for await (const _ of readList(bodies, chunkBytes, what, handler)) {
      if (isDisposed) throw new Error(`The list ${path} was disposed of before it was read.`)
      yield
    }
    items = handler.count
    containedKey ||= handler.containedKey
    signs = [...new Set([...signs, ...paginationSigns(headers, items)])]
  }
  async function readThrough(handler: ItemHandler): Promise<void> {
    for await (const _ of read(handler));
  }
  return {
    pages: bodies.length,
    bytes,
    isLarge,
    digest: (normaliser) => digestOf(normaliser, bodies),
    showsPaging: async () => {
      const isCounted = Number.isNaN(items) && paginationSigns(headers, items).length > 0
      if (isCounted) await readThrough(new ItemCounter())
      return signs.length > 0
    },
    get incompleteReason() {
      if (signs.length > 0) return 'paging'
      return isDelimited ? null : 'no_end_mark'
    },
    get etag() {
      const mayBeMore = signs.length > 0 || !isDelimited || paginationSigns(headers, items).length > 0
      // A tag is stored: one that contains the key is not used.
      return mayBeMore || etag === null || redactor.text(etag) !== etag ? null : etag
    },
    notableHeaders: notableHeaders(headers).map((name) => redactor.text(name)),
    get warnings() {
      return describeWarnings(path, { signs, isDelimited, containedKey }).map(redactor.text)
    },
    read,
    readThrough,
    keyRemover,
    what,
    [Symbol.dispose]: () => {
      isDisposed = true
      spool[Symbol.dispose]()
    },
  }
}

function digestOf(normaliser: number, bodies: readonly Body[]): string {
  const version = Buffer.from(`headcount normaliser ${normaliser}\n`)
  return hash('sha256', Buffer.concat([version, ...bodies.map((body) => body.digest)]), 'hex')
}

function describeWarnings(
  path: string,
  found: { readonly signs: readonly string[]; readonly isDelimited: boolean; readonly containedKey: boolean },
): readonly string[] {
  const warnings = found.signs.map(
    (sign) => `GET ${path}: the list may have more pages (${sign}); nothing is deleted because of it.`,
  )
  if (!found.isDelimited)
    warnings.push(`GET ${path}: the body has no end mark; nothing is deleted because of it.`)
  if (found.containedKey) warnings.push(`GET ${path}: ${KEY_IN_LIST}`)
  return warnings
}
