/** Fetches all pages of a list: the first page, and every next page that a page names. */
import { InvalidResponseError } from '../../common/errors.ts'
import {
  sendRequest,
  type RequestContext,
  type ReceivedResponse,
  type NotModified,
  type RequestSpec,
} from '../http/send-request.ts'
import { nextPage } from './pagination-signs.ts'
import { type RetryOptions, withRetries } from '../retry/with-retries.ts'

const MAX_PAGES = 10_000

export interface FetchedPages {
  readonly pages: readonly ReceivedResponse[]
  /** Some page's `Link` header could not be read: a next page may hide in it. */
  readonly unreadableLink: boolean
}

/**
 * @param first the request for the first page; its `maxBytes` is for all pages together
 * @throws CrossOriginError, InvalidResponseError (a circle, too many pages), and whatever one request throws
 */
export async function fetchPages(
  context: RequestContext,
  first: RequestSpec,
): Promise<FetchedPages | 'not_modified'> {
  const pages: ReceivedResponse[] = []
  const seen = new Set<string>()
  let unreadableLink = false
  for (let request: RequestSpec | null = first; request !== null;) {
    const { url } = request
    if (seen.has(url.href)) {
      throw new InvalidResponseError(
        `GET ${first.url.pathname}: the pages go round in a circle, over ${url.pathname}${url.search}.`,
      )
    }
    if (pages.length >= MAX_PAGES) {
      throw new InvalidResponseError(
        `GET ${first.url.pathname}: more than ${MAX_PAGES} pages; this cannot be one list.`,
      )
    }
    seen.add(url.href)
    const page = await fetchPage(context, request, { queueState: first.queueState, pagesRead: pages.length })
    if (page === 'not_modified') return page
    pages.push(page)
    const next = nextPage(page.headers, page.url)
    unreadableLink ||= next.unreadable
    const { size } = page.body
    const [bytesBefore, maxBytes]: [number, number] = [request.bytesBefore + size, request.maxBytes - size]
    request = next.url === null ? null : { ...request, url: next.url, bytesBefore, maxBytes, etag: null }
  }
  return { pages, unreadableLink }
}

/** A 304 about another ETag proves nothing: the page is then requested again, without a tag. */
async function fetchPage(
  context: RequestContext,
  request: RequestSpec,
  of: Pick<RetryOptions, 'queueState' | 'pagesRead'>,
): Promise<ReceivedResponse | 'not_modified'> {
  const retrying = { ...of, onFailure: () => request.spool.discardBeyond(request.bytesBefore) }
  const page: ReceivedResponse | NotModified = await withRetries(
    context,
    () => sendRequest(context, request),
    retrying,
  )
  if (page !== 'unproven') return page
  context.log(
    'debug',
    `GET ${request.url.pathname}: a 304 for another ETag. Requesting again without an ETag.`,
  )
  const whole = { ...request, etag: null }
  return withRetries(context, () => sendRequest(context, whole), retrying)
}
