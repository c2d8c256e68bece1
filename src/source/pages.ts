/** Reads a list whole: its first page, and every next one that a page names. */
import { ContractError } from '../errors.ts'
import { exchange, type Line, type Received } from './exchange.ts'
import type { MemoryClaim } from './memory.ts'
import { nextPage } from './paging.ts'
import { withRetries } from './retrying.ts'

const MOST_PAGES = 10_000

export interface Pages {
  readonly pages: readonly Received[]
  /** Some page's `Link` header could not be read: a next page may hide in it. */
  readonly unreadableLink: boolean
}

/**
 * @param limit the most bytes that all pages may have together
 * @throws ForeignOriginError, ContractError (a circle, too many pages), and whatever one request throws
 */
export async function readPages(line: Line, first: URL, limit: number, memory: MemoryClaim): Promise<Pages> {
  const pages: Received[] = []
  const seen = new Set<string>()
  let bytes = 0
  let unreadableLink = false
  for (let url: URL | null = first; url !== null;) {
    if (seen.has(url.href)) {
      throw new ContractError(
        `GET ${first.pathname}: the pages go round in a circle, over ${url.pathname}${url.search}.`,
      )
    }
    if (pages.length >= MOST_PAGES) {
      throw new ContractError(
        `GET ${first.pathname}: more than ${MOST_PAGES} pages; this cannot be one list.`,
      )
    }
    seen.add(url.href)
    const wish = { url, kind: 'list', memory, before: bytes, limit: limit - bytes } as const
    const page: Received = await withRetries(
      line,
      () => exchange(line, wish),
      () => memory.keepOnly(wish.before),
    )
    pages.push(page)
    bytes += page.body.bytes.length
    const next = nextPage(page.headers, page.url)
    unreadableLink ||= next.unreadable
    url = next.url
  }
  return { pages, unreadableLink }
}
