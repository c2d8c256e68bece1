/** Reads a list whole: its first page, and every next one that a page names. */
import { InvalidResponseError } from '../../common/errors.ts'
import { exchange, type Line, type Received, type Unsent, type Wish } from '../http/send-request.ts'
import { nextPage } from './pagination-signs.ts'
import { type Retrying, withRetries } from '../retry/with-retries.ts'

const MOST_PAGES = 10_000

export interface Pages {
  readonly pages: readonly Received[]
  /** Some page's `Link` header could not be read: a next page may hide in it. */
  readonly unreadableLink: boolean
}

/**
 * @param first the wish for the first page; its `limit` is for all pages together, and its `etag` for a list that was
 * one page
 * @throws CrossOriginError, InvalidResponseError (a circle, too many pages), and whatever one request throws
 */
export async function readPages(line: Line, first: Wish): Promise<Pages | 'not_modified'> {
  const pages: Received[] = []
  const seen = new Set<string>()
  let unreadableLink = false
  for (let wish: Wish | null = first; wish !== null;) {
    const { url } = wish
    if (seen.has(url.href)) {
      throw new InvalidResponseError(
        `GET ${first.url.pathname}: the pages go round in a circle, over ${url.pathname}${url.search}.`,
      )
    }
    if (pages.length >= MOST_PAGES) {
      throw new InvalidResponseError(
        `GET ${first.url.pathname}: more than ${MOST_PAGES} pages; this cannot be one list.`,
      )
    }
    seen.add(url.href)
    const page = await readPage(line, wish, { turn: first.turn, pages: pages.length })
    if (page === 'not_modified') return page
    pages.push(page)
    const next = nextPage(page.headers, page.url)
    unreadableLink ||= next.unreadable
    wish = next.url === null ? null : following(wish, next.url, page.body.size)
  }
  return { pages, unreadableLink }
}

/** The wish for the next page, whose bytes come on top of those that are here. */
function following(wish: Wish, url: URL, bytes: number): Wish {
  return { ...wish, url, before: wish.before + bytes, limit: wish.limit - bytes, etag: null }
}

/** An answer that says "unchanged" of another list than ours proves nothing: the page is asked for once more, whole. */
async function readPage(
  line: Line,
  wish: Wish,
  of: Pick<Retrying, 'turn' | 'pages'>,
): Promise<Received | 'not_modified'> {
  const retrying = { ...of, failed: () => wish.room.keepOnly(wish.before) }
  const page: Received | Unsent = await withRetries(line, () => exchange(line, wish), retrying)
  if (page !== 'unproven') return page
  line.log('debug', `GET ${wish.url.pathname}: a 304 that is not about our ETag. Asking without it.`)
  const whole = { ...wish, etag: null }
  return withRetries(line, () => exchange(line, whole), retrying)
}
