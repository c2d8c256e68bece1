/** One try of one request: a permit, the pause gate, the timeout, redirects by hand, the status, the body. */
import type { LimitFunction } from 'p-limit'
import { HeadcountError } from '../../common/errors.ts'
import { type Body, receiveBody } from '../body/receive.ts'
import type { Client } from './client.ts'
import type { Clock } from '../throttle/clock.ts'
import {
  type RequestTimeout,
  requestTimeoutError,
  type RequestTimeouts,
} from '../timeouts/request-timeout.ts'
import { readFraming } from './body-framing.ts'
import type { PauseGate } from '../throttle/pause-gate.ts'
import { type Headers, headerOf } from './headers.ts'
import type { SourceLifetime } from '../timeouts/source-lifetime.ts'
import { toNetworkError } from './network-errors.ts'
import type { Throttle } from '../throttle/throttle.ts'
import { acquire } from '../../common/semaphore.ts'
import type { Redactor } from '../../common/redact.ts'
import { followRedirect, isRedirect } from './redirects.ts'
import type { QueueState } from '../retry/rejected-request.ts'
import type { BodySpool } from '../body/spool.ts'
import { requireJsonBody } from '../body/sniff.ts'
import { errorForStatus } from './status.ts'
import type { ResponseHead, ResponseStream } from './response-stream.ts'
import { confirmsEtag } from './etag.ts'
import { toError } from '../../common/abort.ts'

const MAX_EXCERPT_BYTES = 64 * 1024

/** What all requests of a source share. */
export interface RequestContext {
  readonly client: Client
  readonly lifetime: SourceLifetime
  readonly pauseGate: PauseGate
  readonly clock: Clock
  readonly timeouts: RequestTimeouts
  /** Bounds the requests at once; the pace narrows and widens it. */
  readonly permits: LimitFunction
  readonly throttle: Throttle
  readonly redactor: Redactor
  /** What to do when the service rejects the key. */
  readonly keyRemedy: string
  readonly requestTimeoutMs: number
  readonly counts: RequestCounts
  readonly random: () => number
  readonly log: (level: 'debug' | 'info' | 'warn', message: string, fields?: object) => void
}

/** What a source has counted so far. */
export interface RequestCounts {
  /** Every request sent: retries, pages and redirects too. */
  requests: number
  /** Requests sent again, but for those that were rejected. */
  retries: number
  /** Rejections: 429, and 503 with `Retry-After`. They spend neither a try nor the budget of retries. */
  rejected: number
  /** Refused requests that were sent again. */
  rejectedRetries: number
  notModified: number
  /** Bytes of bodies as they came over the wire. */
  bytesReceived: number
  /** Which statuses were answered, by endpoint: `responses 429` (`page` for a next page at another path). */
  readonly statuses: Set<string>
}

export interface RequestSpec {
  readonly queueState: QueueState
  readonly url: URL
  readonly expected: 'list' | 'object'
  readonly spool: BodySpool
  /** Bytes that the same reading has already. */
  readonly bytesBefore: number
  /** The most bytes that the body may have. */
  readonly maxBytes: number
  /** The validator of the list that is known; null asks for the list whatever it is. */
  readonly etag: string | null
}

export interface HttpResponse {
  /** The address that answered in the end. */
  readonly url: URL
  readonly headers: Headers
  readonly body: Body
  readonly isDelimited: boolean
}

/** A 304: the list is the one of our validator, or (`unproven`) the answer speaks of another one. */
export type NotModified = 'not_modified' | 'unproven'

/** @throws one of the error family; what may pass by itself is `retryable` */
export async function sendRequest(
  context: RequestContext,
  request: RequestSpec & { readonly etag: null },
): Promise<HttpResponse>
export async function sendRequest(
  context: RequestContext,
  request: RequestSpec,
): Promise<HttpResponse | NotModified>
export async function sendRequest(
  context: RequestContext,
  request: RequestSpec,
): Promise<HttpResponse | NotModified> {
  return throttled(context, request, () => attemptWithTimeout(context, request))
}

/** Sends a request when the pace allows it, and tells the pace how it ended. */
export async function throttled<T>(
  context: Pick<RequestContext, 'permits' | 'pauseGate' | 'throttle'>,
  { spool, queueState }: { readonly spool: Pick<BodySpool, 'isLarge'>; readonly queueState: QueueState },
  send: () => Promise<T>,
): Promise<T> {
  // A reading that holds the permit for large lists goes first: the others may be waiting for it, each with a permit
  // for requests, and it must be able to finish before they can.
  const release = spool.isLarge ? null : await acquire(context.permits, context.pauseGate.signal)
  try {
    const start = await context.throttle.waitForStart()
    try {
      const onBytes = await send()
      context.throttle.onEnd(start, null, queueState)
      return onBytes
    } catch (error) {
      context.throttle.onEnd(start, error, queueState)
      throw error
    }
  } finally {
    release?.()
  }
}

async function attemptWithTimeout(
  context: RequestContext,
  request: RequestSpec,
): Promise<HttpResponse | NotModified> {
  using timeout = context.timeouts.start(context.requestTimeoutMs, (bytes) =>
    requestTimeoutError(context.requestTimeoutMs, request.url.pathname, bytes),
  )
  try {
    return await attempt(context, request, timeout)
  } catch (error) {
    if (context.lifetime.signal.aborted) throw toError(context.lifetime.signal.reason)
    // A status that was read counts, even when the time ran out over the body that came with it.
    if (error instanceof HeadcountError) throw error
    if (timeout.reason !== null) throw timeout.reason
    throw toNetworkError(error, request.url) ?? error
  }
}

async function attempt(
  context: RequestContext,
  request: RequestSpec,
  timeout: RequestTimeout,
): Promise<HttpResponse | NotModified> {
  const visited = [request.url]
  const onBytes = (bytes: number): void => {
    context.counts.bytesReceived += bytes
    timeout.extendFor(bytes)
    context.throttle.stallDetector.onActivity()
  }
  for (let url = request.url; ; visited.push(url)) {
    // Where a redirect leads is asked no sooner than anything else.
    if (visited.length > 1) await timeout.pauseWhile(context.throttle.waitForStart())
    context.counts.requests += 1
    const stream = context.client.get(url, request.etag, onBytes)
    timeout.onTimeout((reason) => stream.abort(reason))
    const head = await context.throttle.stallDetector.awaitHead(stream.head)
    context.counts.statuses.add(`${endpointOf(request.url)} ${head.status}`)
    try {
      if (!isRedirect(head.status))
        return await readResponse(context, request, { head, stream, url, timeout })
      url = followRedirect(visited, head.status, headerOf(head.headers, 'location'))
    } finally {
      stream.discard()
    }
  }
}

const endpoints: ReadonlySet<string> = new Set(['ping', 'events', 'responses'])

/** Under the last segment of the path that was wanted; a next page may have any. */
function endpointOf({ pathname }: URL): string {
  const last = pathname.slice(pathname.lastIndexOf('/') + 1)
  return endpoints.has(last) ? last : 'page'
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
): Promise<HttpResponse | NotModified> {
  const { stream, url, timeout } = answered
  const { headers, status } = answered.head
  const path = url.pathname
  if (status === 304 && request.etag !== null) {
    if (!confirmsEtag(headers, request.etag)) return 'unproven'
    context.counts.notModified += 1
    return 'not_modified'
  }
  if (status !== 200) {
    const excerpt = context.redactor.excerpt(await readExcerpt(headers, stream, path))
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
  await requireJsonBody(body, request.expected, { path, isDelimited, excerpt: context.redactor.excerpt })
  return { url, headers, body, isDelimited }
}

/** As much of the body as a message may need. That it breaks off matters less than the status that came with it. */
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
