/** A list as it was read: its digest, what it says about its own completeness, and its items on demand. */
import { createHash } from 'node:crypto'
import { headerOf } from './headers.ts'
import { hintsOf } from './hints.ts'
import type { MemoryClaim } from './memory.ts'
import type { Pages } from './pages.ts'
import { signsOfMore } from './paging.ts'
import { type ListPayload, parseList } from './payloads.ts'
import type { Redactor } from './redact.ts'
import { textOf } from './utf8.ts'
import { usableEtag } from './validator.ts'

export interface ListReading extends Disposable {
  /** Bytes of all pages, without compression. */
  readonly bytes: number
  /** SHA-256 over the version of our normaliser and the bodies of all pages, in hexadecimal. */
  digest(normaliser: number): string
  /** A sign that forbids deletions from this list. Ask after `payload()`: the number of items may reveal paging. */
  readonly holds: 'paging' | 'no_end_mark' | null
  /**
   * The validator to ask with the next time; null when there is none, or when the list may be more than was answered
   * (pages, signs of more, no end mark). Ask after `payload()`: before it, a header that counts items makes it null,
   * for they were not counted.
   */
  readonly etag: string | null
  /** Names of headers that hint at limits, paging or caches (hints.ts). */
  readonly hints: readonly string[]
  /** What a person should know about this list. Ask after `payload()`. */
  readonly warnings: readonly string[]
  /** Parses the pages; each call anew, so that nothing is held twice. Throws ContractError, which quotes nothing. */
  payload(): ListPayload
}

/** @param path the address of the list, for messages */
export function createReading(
  path: string,
  read: Pages,
  memory: MemoryClaim,
  redactor: Redactor,
): ListReading {
  let bodies: readonly Buffer[] = read.pages.map((page) => page.body.bytes)
  const digests = read.pages.map((page) => page.body.digest)
  const headers = read.pages.map((page) => page.headers)
  const bytes = bodies.reduce((sum, body) => sum + body.length, 0)
  let signs: readonly string[] = read.unreadableLink ? ['its Link header cannot be read'] : []
  const hasEndMark = read.pages.every((page) => page.hasEndMark)
  const etag = headers.length === 1 ? usableEtag(headerOf(headers[0] ?? {}, 'etag')) : null
  // Unequal to every count, as long as nothing was counted.
  let items = Number.NaN
  return {
    bytes,
    digest: (normaliser) => {
      const hash = createHash('sha256').update(`headcount normaliser ${normaliser}\n`)
      for (const digest of digests) hash.update(digest)
      return hash.digest('hex')
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
      return warnings.map((warning) => redactor.text(warning))
    },
    payload: () => {
      if (bodies.length === 0) throw new Error(`The reading of ${path} was disposed of before it was parsed.`)
      const payload = parseList(bodies.map(textOf), `GET ${path}`)
      items = payload.items.length
      signs = [...new Set([...signs, ...signsOfMore(headers, items)])]
      return payload
    },
    [Symbol.dispose]: () => {
      bodies = []
      memory[Symbol.dispose]()
    },
  }
}
