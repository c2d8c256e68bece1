/** Errors as documents (RFC 9457), the same for every way in which one comes about. */
import type { HttpResponse } from './http/http-response.ts'
import type { UnavailableError } from './unavailable.ts'

export const PROBLEM_TYPE = 'application/problem+json'

/** Every error that is answered, by its code. */
export const problems = {
  bad_request: { status: 400, title: 'The request cannot be read' },
  bad_query: { status: 400, title: 'The query cannot be used' },
  key_refused: { status: 401, title: 'No valid API key' },
  unknown_path: { status: 404, title: 'Nothing is here' },
  unknown_event: { status: 404, title: 'No such event' },
  method_not_allowed: { status: 405, title: 'Only read' },
  request_timeout: { status: 408, title: 'The request took too long' },
  address_too_long: { status: 414, title: 'The address is too long' },
  too_many_requests: { status: 429, title: 'Too much at once' },
  headers_too_large: { status: 431, title: 'The headers are too large' },
  internal: { status: 500, title: 'The service failed' },
  not_ready: { status: 503, title: 'Not ready' },
  not_mirrored: { status: 503, title: 'Not mirrored yet' },
  too_old: { status: 503, title: 'The mirror is too old' },
  held: { status: 503, title: 'Deletions are held' },
} as const

export type ProblemCode = keyof typeof problems

/** The document of an error; `detail` says what to do. */
export function problem(
  code: ProblemCode,
  detail: string,
  headers: Readonly<Record<string, string>> = {},
): HttpResponse & { readonly body: Buffer<ArrayBuffer> } {
  const { status, title } = problems[code]
  return {
    status,
    headers: { 'Content-Type': PROBLEM_TYPE, 'Cache-Control': 'no-store', ...headers },
    body: Buffer.from(JSON.stringify({ type: 'about:blank', title, status, detail, code })),
  }
}

/** One answer for every key that opens nobody, so that it tells nothing of the others. */
export const unauthorized: HttpResponse = problem(
  'key_refused',
  'send a valid API key of your account in the header X-API-Key, once; it may be wrong, expired or revoked',
  { 'WWW-Authenticate': 'ApiKey' },
)

export function unavailableProblem({ code, message, retryAfter }: UnavailableError): HttpResponse {
  // What was sent ahead on the connection would only be refused in its turn.
  const ending = code === 'too_many_requests' ? { Connection: 'close' } : {}
  return problem(code, message, { 'Retry-After': String(retryAfter), ...ending })
}
