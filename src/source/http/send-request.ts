/** One attempt of one request: permit, pause gate, time-out, redirects, status, body. */
import { HeadcountError } from '../../common/errors.ts'
import { type Body, receiveBody } from '../body/receive.ts'
import type { Client, RequestHeaders } from './client.ts'
import type { Clock } from '../throttle/clock.ts'
import { noConnectionError, RequestTimeout, requestTimeoutError } from '../timeouts/request-timeout.ts'
import { readFraming } from './body-framing.ts'
import type { PauseGate } from '../throttle/pause-gate.ts'
import { type Headers, headerOf } from './headers.ts'
import type { SourceLifetime } from '../timeouts/source-lifetime.ts'
import { toNetworkError } from './network-errors.ts'
import type { Throttle } from '../throttle/throttle.ts'
import type { Member } from '../../common/semaphore.ts'
import type { Redactor } from '../../common/redact.ts'
import { followRedirect, isRedirect } from './redirects.ts'
import type { QueueState } from '../retry/rejected-request.ts'
import type { BodySpool } from '../body/spool.ts'
import { requireJsonBody } from '../body/sniff.ts'
import { errorForStatus } from './status.ts'
import type { ResponseHead, ResponseStream } from './response-stream.ts'
import { confirmsEtag } from './etag.ts'
import { toError } from '../../common/abort.ts'
import type { Endpoint, ObserveRequest } from '../../telemetry/http-requests.ts'

const MAX_EXCERPT_BYTES = 64 * 1024
const UNQUOTED = '(not shown, for personal data are left out, forgotten or erased)'

/** The permits of a source for its requests. */
export interface RequestPermits {
  readonly ordinary: Pick<Member, 'acquire'>
  /** For the further pages of a list that holds the permit for large lists: those who hold the others may all wait for it. */
  readonly ofLargeLists: Pick<Member, 'acquire'>
}

/** What all requests of a source share. */
export interface RequestContext {
  readonly client: Pick<Client, 'get' | 'proxy'>
  /** Of every request, with the key. */
  readonly headers: RequestHeaders
  readonly lifetime: SourceLifetime
  readonly pauseGate: PauseGate
  readonly clock: Clock
  readonly permits: RequestPermits
  /** Of the service: shared by all its sources. */
  readonly throttle: Throttle
  readonly redactor: Redactor
  /** Whether messages may quote the bodies of lists. */
  readonly mayQuote: () => boolean
  /** What to do when the service rejects the key. */
  readonly keyRemedy: string
  readonly requestTimeoutMs: number
  readonly counts: RequestCounts
  readonly random: () => number
  /** For spans and metrics; null where nobody asks for them. */
  readonly observe: ObserveRequest | null
  readonly log: (level: 'debug' | 'info' | 'warn', message: string, fields?: object) => void
}

/** The counters of a source. */
export interface RequestCounts {
  /** Every request sent: retries, pages and redirects too. */
  requests: number
  /** Requests sent again after a failure other than a rejection. */
  retries: number
  /** Rejections: 429, and 503 with `Retry-After`. They use neither an attempt nor the retry budget. */
  rejected: number
  /** Requests sent again after a rejection. */
  rejectedRetries: number
  notModified: number
  /** Bytes of bodies over the wire. */
  bytesReceived: number
  /** The statuses by endpoint: `responses 429` (`page` for a next page at another path). */
  readonly statuses: Set<string>
}

export function noRequests(): RequestCounts {
  return {
    requests: 0,
    retries: 0,
    rejected: 0,
    rejectedRetries: 0,
    notModified: 0,
    bytesReceived: 0,
    statuses: new Set(),
  }
}

export interface RequestSpec {
  readonly queueState: QueueState
  readonly url: URL
  readonly expected: 'list' | 'object'
  readonly spool: BodySpool
  /** Bytes of the earlier pages of the same list. */
  readonly bytesBefore: number
  /** The limit of the body's bytes. */
  readonly maxBytes: number
  /** The tag of the stored list; null for an unconditional request. */
  readonly etag: string | null
}

export interface ReceivedResponse {
  /** The address after all redirects. */
  readonly url: URL
  readonly headers: Headers
  readonly body: Body
  readonly isDelimited: boolean
}

/** A 304 for our tag, or (`unproven`) a 304 about another one. */
export type NotModified = 'not_modified' | 'unproven'

/** @throws HeadcountError; `retryable` when the failure is temporary */
export async function sendRequest(
  context: RequestContext,
  request: RequestSpec & { readonly etag: null },
): Promise<ReceivedResponse>
export async function sendRequest(
  context: RequestContext,
  request: RequestSpec,
): Promise<ReceivedResponse | NotModified>
export async function sendRequest(
  context: RequestContext,
  request: RequestSpec,
): Promise<ReceivedResponse | NotModified> {
  return throttled(context, request, () => attemptWithTimeout(context, request))
}

/** Sends a request when the throttle allows it, and reports the result to the throttle. */
export async function throttled<T>(
  context: Pick<RequestContext, 'permits' | 'pauseGate' | 'throttle'>,
  { spool, queueState }: { readonly spool: Pick<BodySpool, 'isLarge'>; readonly queueState: QueueState },
  send: () => Promise<T>,
): Promise<T> {
  const { pauseGate, permits, throttle } = context
  for (;;) {
    // Without a permit: other sources need it while this one waits for a pause.
    await pauseGate.wait()
    const release = await (spool.isLarge ? permits.ofLargeLists : permits.ordinary).acquire(pauseGate.signal)
    try {
      const start = await throttle.waitUnlessPaused(pauseGate)
      if (start === null) continue
      try {
        const result = await send()
        throttle.onEnd(start, null, queueState)
        return result
      } catch (error) {
        throttle.onEnd(start, error, queueState)
        throw error
      }
    } finally {
      release()
    }
  }
}

async function attemptWithTimeout(
  context: RequestContext,
  request: RequestSpec,
): Promise<ReceivedResponse | NotModified> {
  const { client, lifetime, requestTimeoutMs } = context
  const { pathname } = request.url
  let last: ResponseStream | null = null
  using timeout = new RequestTimeout(lifetime.signal, requestTimeoutMs, (bytes) =>
    client.proxy === null || last?.isSent !== false
      ? requestTimeoutError(requestTimeoutMs, pathname, bytes)
      : noConnectionError(requestTimeoutMs, pathname, client.proxy),
  )
  try {
    return await attempt(context, request, timeout, (stream) => (last = stream))
  } catch (error) {
    if (context.lifetime.signal.aborted) throw toError(context.lifetime.signal.reason)
    // The error for a status stays, even when the time-out ended the body behind it.
    if (error instanceof HeadcountError) throw error
    if (timeout.reason !== null) throw timeout.reason
    throw toNetworkError(error, request.url) ?? error
  }
}

async function attempt(
  context: RequestContext,
  request: RequestSpec,
  timeout: RequestTimeout,
  onSend: (stream: ResponseStream) => void,
): Promise<ReceivedResponse | NotModified> {
  const visited = [request.url]
  const onBytes = (bytes: number): void => {
    context.counts.bytesReceived += bytes
    timeout.extendFor(bytes)
    context.throttle.stallDetector.onActivity()
  }
  for (let url = request.url; ; visited.push(url)) {
    // A redirected request obeys the throttle too.
    if (visited.length > 1) await timeout.pauseWhile(context.throttle.waitForStart(context.pauseGate))
    context.counts.requests += 1
    const observed = context.observe?.(url, visited.length > 1 ? 'page' : endpointOf(url))
    const stream = context.client.get(url, headersOf(context, request), onBytes)
    onSend(stream)
    timeout.onTimeout((reason) => stream.abort(reason))
    try {
      const head = await context.throttle.stallDetector.awaitHead(stream.head, context.pauseGate)
      context.counts.statuses.add(`${endpointOf(request.url)} ${head.status}`)
      observed?.noteStatus(head.status)
      if (!isRedirect(head.status))
        return await readResponse(context, request, { head, stream, url, timeout })
      url = followRedirect(visited, head.status, headerOf(head.headers, 'location'))
    } catch (error) {
      observed?.fail(error)
      throw error
    } finally {
      stream.discard()
      observed?.end()
    }
  }
}

function headersOf({ headers }: RequestContext, { etag }: RequestSpec): RequestHeaders {
  return etag === null ? headers : { ...headers, 'if-none-match': etag }
}

const endpoints: readonly Endpoint[] = ['ping', 'events', 'responses']

/** The last segment of the requested path; the path of a next page may end in any other. */
function endpointOf({ pathname }: URL): Endpoint {
  const last = pathname.slice(pathname.lastIndexOf('/') + 1)
  return endpoints.find((endpoint) => endpoint === last) ?? 'page'
}

interface Attempt {
  readonly head: ResponseHead
  readonly stream: ResponseStream
  readonly url: URL
  readonly timeout: RequestTimeout
}

async function readResponse(
  context: RequestContext,
  request: RequestSpec,
  answered: Attempt,
): Promise<ReceivedResponse | NotModified> {
  const { stream, url, timeout } = answered
  const { headers, status } = answered.head
  const path = url.pathname
  if (status === 304 && request.etag !== null) {
    if (!confirmsEtag(headers, request.etag)) return 'unproven'
    context.counts.notModified += 1
    return 'not_modified'
  }
  if (status !== 200) {
    const excerpt = excerptFor(context, request)(await readExcerpt(headers, stream, path))
    throw errorForStatus(status, headers, path, excerpt, context.keyRemedy)
  }
  const { gzip, isDelimited } = readFraming(headers, path, request.maxBytes)
  const { maxBytes, bytesBefore, spool } = request
  const body = await receiveBody(stream, gzip, {
    timeout,
    spool,
    bytesBefore,
    maxBytes,
    path,
    signal: context.pauseGate.signal,
  })
  await requireJsonBody(body, request.expected, { path, isDelimited, excerpt: excerptFor(context, request) })
  return { url, headers, body, isDelimited }
}

/** The beginning of a body for a message, or why it is not shown. */
function excerptFor({ redactor, mayQuote }: RequestContext, { expected }: RequestSpec) {
  // guard: quotes of personal data
  if (expected === 'list' && !mayQuote()) return (body: string) => (body.trim() === '' ? '' : UNQUOTED)
  return redactor.excerpt
}

/** As much of the body as a message may need. An error in the body matters less than the status before it. */
async function readExcerpt(headers: Headers, body: AsyncIterable<Buffer>, path: string): Promise<string> {
  const chunks: Buffer[] = []
  try {
    const { gzip } = readFraming(headers, path, Infinity)
    if (gzip) return '(compressed)'
    let size = 0
    for await (const chunk of body) {
      chunks.push(chunk)
      size += chunk.length
      if (size >= MAX_EXCERPT_BYTES) break
    }
  } catch (error) {
    chunks.push(Buffer.from(` (the body broke off: ${toError(error).name})`))
  }
  return Buffer.concat(chunks).toString('utf8')
}
