/** The response to a request for a link: whoever has its address sees what it shows. */
import type { Database } from '../../db/connect.ts'
import { linkFileName } from '../../outputs/export/link-content.ts'
import { LinkError } from '../../outputs/export/link-error.ts'
import { hashKey, isSameHash } from '../../mirror/keys/secret.ts'
import type { AdmittedRequest } from '../http/admission.ts'
import { negotiateEncoding } from '../http/content-encoding.ts'
import { isFresh, type NegotiationHeaders } from '../http/etag.ts'
import type { HttpResponse } from '../http/http-response.ts'
import type { Requester } from '../fair-allocator.ts'
import { problemResponse, problems, UnavailableError, unavailableProblem } from '../problems.ts'
import { createBatchLoader } from '../stores/mirror/batch-loader.ts'
import { requireFreshAccount, type FreshnessLimits } from '../stores/mirror/freshness.ts'
import { requireServedSchema, withTimeout } from '../stores/mirror/readiness.ts'
import { createUseRecorder } from '../stores/mirror/use-recorder.ts'
import { findLinks, type FoundLink } from './find-links.ts'
import { createLinkBodies, type KeptBody, type LinkBodiesOptions } from './link-bodies.ts'
import { linkProblems, type LinkProblemCode } from './link-problems.ts'

export interface LinkOptions extends Pick<FreshnessLimits, 'maxAgeMs'>, LinkBodiesOptions {
  /** Called when the use of a link could not be recorded. */
  readonly onError: (error: unknown) => void
}

export interface LinkRequest {
  /** Of the address. */
  readonly token: string
  readonly headers: NegotiationHeaders
  readonly admit: (requester: Requester) => AdmittedRequest
}

export interface Links {
  /** @throws UnavailableError while the mirror cannot be read, or is too old */
  respond(request: LinkRequest): Promise<HttpResponse>
  /** Ends background work; called after the last request. */
  close(): Promise<void>
}

/** No search engine and no site that is linked to learns the address. */
const SECRET_ADDRESS_HEADERS = {
  'X-Robots-Tag': 'noindex, nofollow',
  'Referrer-Policy': 'no-referrer',
  'X-Content-Type-Options': 'nosniff',
} as const

const CACHE_HEADERS = { 'Cache-Control': 'private, no-cache', Vary: 'Accept-Encoding' } as const

/** Shows the links of all accounts of a mirror. The caller closes the database. */
export function createLinks(database: Database, { maxAgeMs, onError, ...ofBodies }: LinkOptions): Links {
  const find = createBatchLoader((hashes: readonly string[]) => findLinks(database.kysely, hashes))
  const use = createUseRecorder(database, 'links', onError)
  const getBody = createLinkBodies(database, ofBodies)

  async function answer(
    { id, account_id, ...link }: FoundLink & { readonly id: string },
    { headers, admit }: LinkRequest,
  ): Promise<HttpResponse> {
    const admitted = admit({ account: String(account_id), key: `link ${id}` })
    requireFreshAccount(link, { maxAgeMs })
    const account = { id: account_id, name: link.account }
    const body = await getBody({
      ...link,
      id,
      account,
      /* guard: people erased from links */ version: link.erasure ?? '',
    })
    const encoding = negotiateEncoding(headers['accept-encoding'])
    const etag = `"${body.digest}${encoding === 'gzip' ? '-gzip' : ''}"`
    if (isFresh(headers, etag)) return { status: 304, headers: { ...CACHE_HEADERS, ETag: etag }, body: null }
    const bytes = body[encoding]
    admitted.keep(await admitted.memory(bytes.byteLength))
    return {
      status: 200,
      headers: { ...bodyHeaders(body, linkFileName(link), encoding), ETag: etag },
      body: bytes,
    }
  }

  async function respondOrThrow(request: LinkRequest): Promise<HttpResponse> {
    const sha256 = hashKey(request.token)
    const found = await withTimeout(find(sha256))
    requireServedSchema(found.schema)
    const { id, state } = found
    if (id === null || !isSameHash(found.sha256, sha256)) return refusal(request, 'unknown_link')
    // guard: state of a link
    if (state !== 'active') return refusal(request, `link_${state}`)
    if (found.is_first_use) use.record(id)
    return answer({ ...found, id }, request)
  }

  return {
    respond: async (request) => {
      const response = await respondOrThrow(request).catch((error: unknown) =>
        failure(request, error, onError),
      )
      return { ...response, headers: { ...response.headers, ...SECRET_ADDRESS_HEADERS } }
    },
    close: use.close,
  }
}

/** @throws what is no answer to a client */
function failure(request: LinkRequest, error: unknown, onError: (error: unknown) => void): HttpResponse {
  if (error instanceof LinkError) {
    if (error.reason === 'too_slow') onError(error)
    return refusal(request, `link_${error.reason}`, error.message)
  }
  if (!(error instanceof UnavailableError)) throw error
  if (error.cause !== undefined) onError(error)
  return readable(request, unavailableProblem(error), `${problems[error.code].title}: ${error.message}`)
}

function bodyHeaders({ contentType, headers }: KeptBody, name: string, encoding: 'gzip' | 'identity') {
  return {
    'Content-Type': contentType,
    'Content-Disposition': `inline; filename="${name}"`,
    ...CACHE_HEADERS,
    ...headers,
    ...(encoding === 'gzip' && { 'Content-Encoding': 'gzip' }),
  }
}

/** A problem document. */
function refusal(
  request: LinkRequest,
  code: LinkProblemCode,
  detail: string = linkProblems[code].detail,
): HttpResponse {
  const { status, title } = linkProblems[code]
  return readable(request, problemResponse({ status, title, detail, code }), `${title}: ${detail}`)
}

/** The same, as a sentence for a browser. */
function readable({ headers }: LinkRequest, response: HttpResponse, sentence: string): HttpResponse {
  if (headers.accept?.includes('text/html') !== true) return response
  return {
    ...response,
    headers: { ...response.headers, 'Content-Type': 'text/plain; charset=utf-8' },
    body: Buffer.from(`${sentence}.\n`),
  }
}
