/** The next page of a list, and the signs that a list has more items than were read. */
import { InvalidResponseError } from '../../common/errors.ts'
import { type Headers, headerOf } from '../http/headers.ts'
import { type NextLinks, readNextLinks } from './link-header.ts'

export interface NextPage {
  readonly url: URL | null
  /** The `Link` header cannot be read: a next page may hide in it. */
  readonly unreadable: boolean
}

/** The next pages that the `Link` header of a response names. */
export function nextLinks(headers: Headers): NextLinks {
  return readNextLinks(headerOf(headers, 'link'))
}

/**
 * The page that a page names as next (`Link: rel="next"`).
 *
 * @throws InvalidResponseError for another origin, an invalid address, or several different next pages
 */
export function nextPage(headers: Headers, page: URL): NextPage {
  const { targets, unreadable } = nextLinks(headers)
  const [target, ...others] = targets
  if (target === undefined) return { url: null, unreadable }
  const url = URL.parse(target, page.href)
  if (url === null || others.length > 0) {
    throw new InvalidResponseError(
      `GET ${page.pathname}: the Link header does not name one next page that can be read.`,
    )
  }
  // guard: next pages
  if (url.origin !== page.origin) {
    throw new InvalidResponseError(
      `GET ${page.pathname}: the next page (Link header) leads to another origin, ${url.origin}; the key is not sent there.`,
    )
  }
  url.hash = ''
  return { url, unreadable }
}

const countHeaders = ['x-total-count', 'x-total', 'total-count', 'x-pagination-total-count']

/**
 * Signs in the headers of a list's pages that it has more items or pages than were read, as text for messages.
 *
 * @param items how many items all pages have together
 */
export function paginationSigns(pages: readonly Headers[], items: number): readonly string[] {
  const signs: string[] = []
  for (const headers of pages) {
    for (const name of countHeaders) {
      const count = headerOf(headers, name)?.trim() ?? ''
      if (/^\d+$/.test(count) && Number(count) !== items) {
        signs.push(`its header ${name} says ${count} items, ${items} came`)
      }
    }
    const pageCount = headerOf(headers, 'x-total-pages')?.trim() ?? ''
    if (/^\d+$/.test(pageCount) && Number(pageCount) > pages.length) {
      signs.push(`its header x-total-pages says ${pageCount} pages, ${pages.length} came`)
    }
  }
  const following = headerOf(pages.at(-1) ?? {}, 'x-next-page')?.trim() ?? ''
  if (following !== '') signs.push('its header x-next-page names a page that no Link header leads to')
  return signs
}
