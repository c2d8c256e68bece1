/** The response to a request for a list: a 304, a body from the cache, or a body from the store. */
import type { AdmittedRequest } from './http/admission.ts'
import { JSON_TYPE, PRIVATE_CACHE_HEADERS, type HttpResponse } from './http/http-response.ts'
import { createBodyCache } from './http/body-cache.ts'
import { negotiateEncoding, encodeBody, encoderFor, type ContentEncoding } from './http/content-encoding.ts'
import type { ListItems, ServedList, ListVersion, PageRequest } from './stores/store.ts'
import { etagOf, isFresh, type NegotiationHeaders } from './http/etag.ts'
import { toQuery } from './http/pagination.ts'

export interface ListRequest {
  readonly list: ServedList
  readonly page: PageRequest
  readonly isHead: boolean
  readonly admitted: AdmittedRequest
  readonly headers: NegotiationHeaders
}

/** The most memory that reading a list takes, except with rare characters: a large list is read in chunks. */
const READ_BUFFER_BYTES = 4 * 1024 ** 2

/** @param keptBytes the size of the cache of bodies */
export function createListResponder(keptBytes: number) {
  const bodies = createBodyCache(keptBytes)

  /** @returns undefined when the event has been deleted */
  async function respond(request: ListRequest): Promise<HttpResponse | undefined> {
    const { list, page, isHead, headers } = request
    const encoding = negotiateEncoding(headers['accept-encoding'])
    const etag = etagOf(list, page, encoding)
    if (isFresh(headers, etag)) return { status: 304, headers: cacheHeaders(list, etag), body: null }
    const kept = await sendCached(request, etag, encoding)
    if (kept !== undefined) return kept
    if (isHead && page.limit === null)
      return listResponse(null, { version: list, etag, encoding, page, next: null })
    return readAndRespond(request, etag, encoding)
  }

  async function sendCached({ list, page, admitted }: ListRequest, etag: string, encoding: ContentEncoding) {
    const body = await bodies.find(cacheKey(list, etag), admitted)
    if (body === undefined) return undefined
    return listResponse(body.bytes, { version: list, etag, encoding, page, next: body.next })
  }

  async function readAndRespond(
    request: ListRequest,
    expected: string,
    encoding: ContentEncoding,
  ): Promise<HttpResponse | undefined> {
    const { list, page, admitted } = request
    using reading = new DisposableStack()
    const share = reading.use(await admitted.memory(READ_BUFFER_BYTES))
    if (bodies.has(cacheKey(list, expected))) {
      // Another request read the list while this one waited for memory.
      share.resize(0)
      const made = await sendCached(request, expected, encoding)
      if (made !== undefined) return made
      share.resize(READ_BUFFER_BYTES)
    }
    const items = await list.read(page)
    if (items === undefined) return undefined
    // The list may have changed since the lookup.
    const etag = etagOf(items, page, encoding)
    const made = { version: items, etag, encoding, page, next: items.next }
    if (!items.isWhole) {
      admitted.keep(reading.move())
      const close = async () => items[Symbol.asyncDispose]()
      return listResponse({ chunks: jsonArrayChunks(items), close, transform: encoderFor(encoding) }, made)
    }
    await using whole = items
    const chunks: Buffer[] = []
    for await (const chunk of jsonArrayChunks(whole)) chunks.push(Buffer.from(chunk))
    const bytes = await encodeBody(Buffer.concat(chunks), encoding)
    share.resize(bytes.byteLength)
    const body = bodies.add(cacheKey(list, etag), { bytes, next: items.next }, reading.move(), admitted)
    return listResponse(body.bytes, made)
  }

  return respond
}

function cacheKey(list: ServedList, etag: string): string {
  return `${list.name} ${etag}`
}

interface ListResponseParts {
  readonly version: ListVersion
  readonly etag: string
  readonly encoding: ContentEncoding
  readonly page: PageRequest
  readonly next: string | null
}

function listResponse(
  body: HttpResponse['body'],
  { version, etag, encoding, page, next }: ListResponseParts,
): HttpResponse {
  const link = next === null ? {} : { Link: `<?${toQuery({ ...page, after: next })}>; rel="next"` }
  const encoded = encoding === 'identity' ? {} : { 'Content-Encoding': encoding }
  const headers = { 'Content-Type': JSON_TYPE, ...encoded, ...link }
  return { status: 200, headers: { ...headers, ...cacheHeaders(version, etag) }, body }
}

/** The headers that a 304 has too. */
function cacheHeaders({ age }: ListVersion, etag: string): Record<string, string> {
  return { ...PRIVATE_CACHE_HEADERS, Age: String(age), ETag: etag }
}

async function* jsonArrayChunks({ chunks }: ListItems): AsyncGenerator<string, void> {
  let before = '['
  for await (const chunk of chunks) {
    yield before + chunk
    before = ','
  }
  yield before === '[' ? '[]' : ']'
}
