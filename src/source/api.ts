/** The three endpoints of the service, as the rest of the program sees them. */
import pLimit, { type LimitFunction } from 'p-limit'
import { version } from '../common/version.ts'
import { resolvePath, readBaseAddress } from './url.ts'
import { readStart } from './body/receive.ts'
import { createClient } from './http/client.ts'
import { systemClock } from './throttle/clock.ts'
import { assertValidApiKey, rejectedKeyRemedy } from './api-key.ts'
import {
  type RequestCounts,
  sendRequest,
  type RequestContext,
  type RequestSpec,
} from './http/send-request.ts'
import { RequestTimeouts } from './timeouts/request-timeout.ts'
import { PauseGate } from './throttle/pause-gate.ts'
import { headerOf } from './http/headers.ts'
import { startLifetime } from './timeouts/source-lifetime.ts'
import { fetchPages } from './list/pages.ts'
import { type ThrottleSnapshot, createThrottle } from './throttle/throttle.ts'
import { parsePing } from '../common/json/parse-ping.ts'
import { createFetchedList, type FetchedList } from './fetched-list.ts'
import { createKeyRemover } from '../common/json/key-in-items.ts'
import { createRedactor } from '../common/redact.ts'
import { readHttpDate } from './retry/retry-after.ts'
import type { QueueState } from './retry/rejected-request.ts'
import { withRetries } from './retry/with-retries.ts'
import { BodySpool } from './body/spool.ts'
import type { Slowdown } from './throttle/slowdown.ts'
import { decodeUtf8 } from '../common/utf8.ts'
import { usableEtag } from './http/etag.ts'

const DEFAULT_TIMEOUT_MS = 60_000
const DEFAULT_CONCURRENCY = 8
const DEFAULT_MAX_BODY_BYTES = 1024 ** 3
/** A run has the list of events in memory whole: above this it does not fit. */
const MAX_EVENT_LIST_BYTES = 256 * 1024 ** 2
/** Up to so many bytes a list stays in memory; beyond it is read in chunks, from a file. */
const DEFAULT_MAX_BUFFERED_BYTES = 4 * 1024 ** 2
/** A little below the longest item that is stored, so that most chunks need no look for a longer one. */
const DEFAULT_CHUNK_BYTES = 1_000_000
const MAX_PING_BYTES = 1024 ** 2

export interface SourceOptions {
  /** `https://host/api/v1`, with or without a slash at its end; no user, query or fragment. */
  readonly baseUrl: URL
  /** Printable ASCII, trimmed by the caller. */
  readonly apiKey: string
  readonly userAgent?: string
  /** For one try of one request; 1 s is added for every 256 KiB of body received. */
  readonly requestTimeoutMs?: number
  /** The most bytes of a list, all its pages together, before and after decompression. */
  readonly maxBodyBytes?: number
  /** When the run must be over, in ms on the clock of `performance.now()`; null: never. */
  readonly runDeadline?: number | null
  /** Ends everything at once; a reason of the error family is thrown as it is. */
  readonly signal?: AbortSignal
  /** Chance for the waits between tries, from 0 to below 1. */
  readonly random?: () => number
  readonly log?: (level: 'debug' | 'info' | 'warn', message: string, fields?: object) => void
  /** The most requests at once. */
  readonly concurrency?: number
  /** Up to so many bytes a list is held in memory; a larger one goes to a temporary file. */
  readonly maxBufferedBytes?: number
  /** About how long the chunks are in which a larger list is read. */
  readonly chunkBytes?: number
}

export interface Source {
  /** The e-mail address of the key's owner, and the service's clock (`Date` header) when it shows it. */
  ping(): Promise<{ email: string | null; serverDate: Date | null }>
  /** The whole list of events. Dispose of the reading when its payload has been used. */
  events(): Promise<FetchedList>
  /**
   * The whole list of responses to one event. Dispose of the reading when its payload has been used.
   *
   * @param etag the `etag` of an earlier reading: `not_modified` when the service says that the list is still that one
   * @param queueState `unqueued` when not given; in another one, a RejectedRequestError is thrown when it is rejected and others are not
   */
  responses(
    eventId: string,
    etag?: string | null,
    queueState?: QueueState,
  ): Promise<FetchedList | 'not_modified'>
  readonly counts: Readonly<RequestCounts>
  /** How fast the service is asked at this moment. */
  readonly throttle: ThrottleSnapshot
  /** While the service rejects requests so that it slows the caller down; else null. */
  readonly slowdown: Slowdown | null
  /** Ends what is under way and closes every connection. */
  close(): Promise<void>
}

/** @throws UsageError for a base address, ConfigurationError for a key, that cannot be used */
export function createSource(options: SourceOptions): Source {
  assertValidApiKey(options.apiKey)
  const base = readBaseAddress(options.baseUrl)
  const context = createContext(options, base.origin)
  const { redactor, throttle, lifetime } = context
  const largeLists = pLimit(1)
  const maxBytes = options.maxBodyBytes ?? DEFAULT_MAX_BODY_BYTES
  const fetchList = createListFetcher(context, options)
  const redactErrors = async <T>(work: Promise<T>): Promise<T> => {
    try {
      return await work
    } catch (error) {
      // guard: key in errors
      throw redactor.error(error)
    }
  }
  return {
    ping: () => redactErrors(fetchPing(context, resolvePath(base, 'ping'), spoolFor(largeLists, options))),
    // The event list has a permit of its own: there is one at a time, and a caller may keep it while it reads the
    // responses, which must not wait for it.
    events: async () =>
      redactErrors(
        fetchList(pLimit(1), {
          url: resolvePath(base, 'events'),
          maxBytes: Math.min(maxBytes, MAX_EVENT_LIST_BYTES),
          etag: null,
          queueState: 'unqueued',
        }),
      ),
    responses: async (eventId, etag, queueState = 'unqueued') => {
      const url = resolvePath(base, 'events', eventId, 'responses')
      return redactErrors(fetchList(largeLists, { url, maxBytes, etag: usableEtag(etag), queueState }))
    },
    counts: context.counts,
    get throttle() {
      return throttle.snapshot
    },
    get slowdown() {
      return throttle.slowdown
    },
    close: async () => {
      throttle[Symbol.dispose]()
      lifetime[Symbol.dispose]()
      await context.client.close()
    },
  }
}

function createContext(options: SourceOptions, origin: string): RequestContext {
  const {
    apiKey,
    requestTimeoutMs = DEFAULT_TIMEOUT_MS,
    concurrency = DEFAULT_CONCURRENCY,
    userAgent = `headcount/${version()} (+mirror)`,
  } = options
  const redactor = createRedactor(apiKey)
  const lifetime = startLifetime(options.signal, options.runDeadline ?? null)
  const pauseGate = new PauseGate(lifetime.signal)
  const permits = pLimit(concurrency)
  const log: RequestContext['log'] = (level, message, fields) =>
    options.log?.(level, redactor.text(message), fields)
  return {
    // One more than there are permits: a list that holds the permit for large lists needs none (send-request.ts).
    client: createClient({ origin, apiKey, userAgent, requestTimeoutMs, connections: concurrency + 1 }),
    lifetime,
    pauseGate,
    clock: systemClock,
    timeouts: new RequestTimeouts(lifetime.signal),
    permits,
    throttle: createThrottle({ permits, pauseGate, requestTimeoutMs, clock: systemClock, log }),
    redactor,
    keyRemedy: rejectedKeyRemedy(apiKey),
    requestTimeoutMs,
    counts: {
      requests: 0,
      retries: 0,
      rejected: 0,
      rejectedRetries: 0,
      notModified: 0,
      bytesReceived: 0,
      statuses: new Set(),
    },
    random: options.random ?? Math.random,
    log,
  }
}

function spoolFor(
  permits: LimitFunction,
  { maxBufferedBytes = DEFAULT_MAX_BUFFERED_BYTES }: SourceOptions,
): BodySpool {
  return new BodySpool(permits, maxBufferedBytes)
}

type ListRequest = Pick<RequestSpec, 'queueState' | 'url' | 'maxBytes' | 'etag'>

/** @returns a function that fetches a list; one too large for memory waits for one of `permits` */
function createListFetcher(context: RequestContext, options: SourceOptions) {
  const { chunkBytes = DEFAULT_CHUNK_BYTES } = options
  const { redactor } = context
  const keyRemover = createKeyRemover(options.apiKey)

  async function fetchList(
    permits: LimitFunction,
    request: ListRequest & { readonly etag: null },
  ): Promise<FetchedList>
  async function fetchList(
    permits: LimitFunction,
    request: ListRequest,
  ): Promise<FetchedList | 'not_modified'>
  async function fetchList(permits: LimitFunction, request: ListRequest) {
    const spool = spoolFor(permits, options)
    try {
      const pages = await fetchPages(context, { ...request, expected: 'list', spool, bytesBefore: 0 })
      if (pages === 'not_modified') return pages
      return createFetchedList(request.url.pathname, pages, { spool, chunkBytes, redactor, keyRemover })
    } catch (error) {
      spool[Symbol.dispose]()
      throw error
    }
  }
  return fetchList
}

/** Disposes of the spool. */
async function fetchPing(
  context: RequestContext,
  url: URL,
  spool: BodySpool,
): Promise<{ email: string | null; serverDate: Date | null }> {
  using ownSpool = spool
  const request = {
    queueState: 'unqueued',
    url,
    expected: 'object',
    spool: ownSpool,
    bytesBefore: 0,
    maxBytes: MAX_PING_BYTES,
    etag: null,
  } as const
  const { body, headers } = await withRetries(context, () => sendRequest(context, request), {
    queueState: 'unqueued',
    pagesRead: 0,
    onFailure: () => {},
  })
  const instant = readHttpDate(headerOf(headers, 'date'))
  const { email } = parsePing(decodeUtf8(await readStart(body)))
  // The address is stored and shown. One that contains the key is left out.
  const isSafe = email === null || context.redactor.text(email) === email
  return { email: isSafe ? email : null, serverDate: instant === null ? null : new Date(instant) }
}
