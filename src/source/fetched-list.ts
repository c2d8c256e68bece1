/** A list as it was read: its digest, what it says about its own completeness, and its items on demand. */
import { hash } from 'node:crypto'
import { headerOf } from './http/headers.ts'
import { hintsOf } from './http/notable-headers.ts'
import type { KeyRemover } from '../common/json/key-in-items.ts'
import { joined, type ListPieces, manyPieces, onePiece } from './list/list-chunks.ts'
import type { Pages } from './list/pages.ts'
import { signsOfMore } from './list/pagination-signs.ts'
import type { ListPayload } from '../common/json/parse-list.ts'
import type { Redactor } from '../common/redact.ts'
import type { BodyRoom } from './body/spool.ts'
import { usableEtag } from './http/etag.ts'

export interface ListReading extends Disposable {
  /** In how many it came. Between two of them the list may have changed. */
  readonly pages: number
  /** Bytes of all pages, without compression. */
  readonly bytes: number
  /** SHA-256 over the version of our normaliser and the bodies of all pages, in hexadecimal. */
  digest(normaliser: number): string
  /** Whether it is too large for memory: it lies in a file, and is read in pieces. */
  readonly isLarge: boolean
  /** A sign that forbids deletions from this list. Ask when it was read through: the number of items may reveal paging. */
  readonly holds: 'paging' | 'no_end_mark' | null
  /**
   * The validator to ask with the next time; null when there is none, or when the list may be more than was answered
   * (pages, signs of more, no end mark). Ask when it was read through: before, a header that counts items makes it
   * null, for they were not counted.
   */
  readonly etag: string | null
  /** Names of headers that hint at limits, paging or caches (notable-headers.ts). */
  readonly hints: readonly string[]
  /** What a person should know about this list. Ask when it was read through. */
  readonly warnings: readonly string[]
  /**
   * Reads the list through, parsing it piece by piece; one that is held in memory is one piece. Each call reads it
   * anew, so that nothing is held twice. Throws InvalidResponseError, which quotes nothing, and TemporaryFileError.
   */
  pieces(): AsyncGenerator<ListPayload>
  /** The whole list at once. Throws as pieces(). */
  payload(): Promise<ListPayload>
  /** What gives the payload later, also when the reading was disposed of: of one that is held in memory. */
  kept(): () => Promise<ListPayload>
}

/** What a reading needs besides its pages. */
export interface ReadingOptions {
  readonly room: BodyRoom
  /** About how long the pieces of a large list are, in bytes. */
  readonly pieceBytes: number
  readonly redactor: Redactor
  readonly key: KeyRemover
}

const KEY_IN_LIST =
  'the API key stands in this list; what is stored has "[key removed]" in its place. ' +
  'Whoever can read that list at the service has the key: make a new one.'

/** @param path the address of the list, for messages */
export function createReading(
  path: string,
  read: Pages,
  { room, pieceBytes, redactor, key }: ReadingOptions,
): ListReading {
  const what = `GET ${path}`
  const { isLarge } = room
  const bodies = read.pages.map((page) => page.body)
  const digests = bodies.map((body) => body.digest)
  const headers = read.pages.map((page) => page.headers)
  const bytes = bodies.reduce((sum, body) => sum + body.size, 0)
  let list: ListPieces | null = isLarge
    ? manyPieces(bodies, pieceBytes, what, key)
    : onePiece(bodies, what, key)
  let signs: readonly string[] = read.unreadableLink ? ['its Link header cannot be read'] : []
  const hasEndMark = read.pages.every((page) => page.hasEndMark)
  const etag = headers.length === 1 ? usableEtag(headerOf(headers[0] ?? {}, 'etag')) : null
  // Unequal to every count, as long as nothing was counted.
  let items = Number.NaN
  let containedKey = false
  async function* pieces(): AsyncGenerator<ListPayload> {
    if (list === null) throw new Error(`The reading of ${path} was disposed of before it was parsed.`)
    let count = 0
    for await (const piece of list()) {
      count += piece.items.length
      containedKey ||= piece.containedKey
      yield piece
    }
    items = count
    signs = [...new Set([...signs, ...signsOfMore(headers, items)])]
  }
  return {
    pages: bodies.length,
    bytes,
    isLarge,
    digest: (normaliser) => {
      const version = Buffer.from(`headcount normaliser ${normaliser}\n`)
      return hash('sha256', Buffer.concat([version, ...digests]), 'hex')
    },
    get holds() {
      if (signs.length > 0) return 'paging'
      return hasEndMark ? null : 'no_end_mark'
    },
    get etag() {
      const mayBeMore = signs.length > 0 || !hasEndMark || signsOfMore(headers, items).length > 0
      // A validator is stored: one that repeats the key is none.
      return mayBeMore || etag === null || redactor.text(etag) !== etag ? null : etag
    },
    hints: hintsOf(headers).map((name) => redactor.text(name)),
    get warnings() {
      const warnings = signs.map(
        (sign) => `GET ${path}: the list may have more pages (${sign}); nothing is deleted because of it.`,
      )
      if (!hasEndMark)
        warnings.push(`GET ${path}: the body has no end mark; nothing is deleted because of it.`)
      if (containedKey) warnings.push(`GET ${path}: ${KEY_IN_LIST}`)
      return warnings.map((warning) => redactor.text(warning))
    },
    pieces,
    payload: () => joined(pieces()),
    kept: () => {
      const held = list
      if (held === null || isLarge) throw new Error(`The reading of ${path} cannot be kept.`)
      return () => joined(held())
    },
    [Symbol.dispose]: () => {
      list = null
      room[Symbol.dispose]()
    },
  }
}
