/** Error responses as problem documents (RFC 9457). */
import type { HttpResponse } from './http/http-response.ts'
import { MAX_HEADER_BYTES, MAX_PAGE_ITEMS, MAX_URL_CHARACTERS } from './http/limits.ts'

export const PROBLEM_TYPE = 'application/problem+json'

/** Every error response by its code. `detail` says what to do, unless the response has a more precise text. */
export const problems = {
  bad_request: {
    status: 400,
    title: 'The request cannot be read',
    detail: 'send a request of HTTP/1.1, its path percent-encoded',
  },
  bad_query: {
    status: 400,
    title: 'The query cannot be used',
    detail: `limit must be a whole number from 1 to ${MAX_PAGE_ITEMS}`,
  },
  key_refused: {
    status: 401,
    title: 'No valid API key',
    detail:
      'send a valid API key of your account in the header X-API-Key, once; it may be wrong, expired or revoked',
  },
  unknown_path: {
    status: 404,
    title: 'Nothing is here',
    detail: 'there are /ping, /events and /events/:event_id/responses below /api/v1',
  },
  unknown_event: {
    status: 404,
    title: 'No such event',
    detail: 'this account has no event with that id; GET /events lists those it has',
  },
  method_not_allowed: { status: 405, title: 'Only read', detail: 'this service is only read: use GET' },
  request_timeout: {
    status: 408,
    title: 'The request took too long',
    detail: 'send a request within ten seconds',
  },
  address_too_long: {
    status: 414,
    title: 'The address is too long',
    detail: `the address may have ${MAX_URL_CHARACTERS} characters`,
  },
  too_many_requests: {
    status: 429,
    title: 'Too much at once',
    detail: 'too many responses to this key are in progress: read them, or try again later',
  },
  headers_too_large: {
    status: 431,
    title: 'The headers are too large',
    detail: `address and headers together may have ${MAX_HEADER_BYTES} bytes`,
  },
  internal: {
    status: 500,
    title: 'The service failed',
    detail: 'the service could not answer: try again later',
  },
  not_ready: {
    status: 503,
    title: 'Not ready',
    detail: 'the mirror cannot be read now: try again later',
  },
  not_mirrored: {
    status: 503,
    title: 'Not mirrored yet',
    detail: 'this list was not read from the service yet: try again after the next run',
  },
  too_old: {
    status: 503,
    title: 'The mirror is too old',
    detail: 'the last good run of this mirror is older than it may be: try again after the next run',
  },
  held: {
    status: 503,
    title: 'Deletions are held',
    detail:
      'deletions of this list are held for too long, so that it may have what the service has not: try again when the ' +
      'owner has decided',
  },
} as const

export type ProblemCode = keyof typeof problems

/** When a client may ask again, in seconds: while the mirror cannot be read, while others are served first, and for what the next run brings. */
export const RETRY_SOON_SECONDS = 5
export const AFTER_OTHERS_SECONDS = 30
export const AFTER_A_RUN_SECONDS = 60

/** The service cannot answer now; the same request may succeed later. */
export class UnavailableError extends Error {
  override readonly name = 'UnavailableError'
  readonly code: 'not_ready' | 'not_mirrored' | 'too_old' | 'held' | 'too_many_requests'
  /** In seconds. */
  readonly retryAfter: number

  constructor(code: UnavailableError['code'], retryAfter: number, detail?: string, options?: ErrorOptions) {
    super(detail ?? problems[code].detail, options)
    this.code = code
    this.retryAfter = retryAfter
  }
}

export function problem(
  code: ProblemCode,
  headers: Readonly<Record<string, string>> = {},
  detail: string = problems[code].detail,
): ProblemResponse {
  return problemResponse({ ...problems[code], code, detail }, headers)
}

type ProblemResponse = HttpResponse & { readonly body: Buffer<ArrayBuffer> }

interface Problem {
  readonly status: number
  readonly title: string
  readonly detail: string
  readonly code: string
}

export function problemResponse(
  { status, title, detail, code }: Problem,
  headers: Readonly<Record<string, string>> = {},
): ProblemResponse {
  return {
    status,
    headers: { 'Content-Type': PROBLEM_TYPE, 'Cache-Control': 'no-store', ...headers },
    body: Buffer.from(JSON.stringify({ type: 'about:blank', title, status, detail, code })),
  }
}

/** The same response for every invalid key: it reveals nothing about other keys. */
export const unauthorized: HttpResponse = problem('key_refused', { 'WWW-Authenticate': 'ApiKey' })

export function unavailableProblem({ code, message, retryAfter }: UnavailableError): HttpResponse {
  // The pipelined requests behind this one would be rejected too.
  const ending = code === 'too_many_requests' ? { Connection: 'close' } : {}
  return problem(code, { 'Retry-After': String(retryAfter), ...ending }, message)
}
