/** The client for the three endpoints of the service. */
import { setImmediate } from 'node:timers/promises'
import { Semaphore, type Member } from '../common/semaphore.ts'
import { version } from '../common/version.ts'
import { resolvePath } from './url.ts'
import { readFrom } from './body/receive.ts'
import { createHost, type Host } from './host.ts'
import { systemClock } from './throttle/clock.ts'
import { assertValidApiKey, rejectedKeyRemedy } from './api-key.ts'
import {
  noRequests,
  type RequestCounts,
  sendRequest,
  type RequestContext,
  type RequestSpec,
} from './http/send-request.ts'
import { PauseGate, type SuspendableTurn } from './throttle/pause-gate.ts'
import { headerOf } from './http/headers.ts'
import { startLifetime } from './timeouts/source-lifetime.ts'
import { fetchPages } from './list/pages.ts'
import type { ThrottleSnapshot } from './throttle/throttle.ts'
import { parsePing } from '../common/json/parse-ping.ts'
import { FetchedList } from './fetched-list.ts'
import { createKeyRemover } from '../common/json/key-in-items.ts'
import { createRedactor } from '../common/redact.ts'
import { readHttpDate } from './retry/retry-after.ts'
import type { QueueState } from './retry/rejected-request.ts'
import { withRetries } from './retry/with-retries.ts'
import { MAX_PAUSE_MS } from './retry/policy.ts'
import { BodySpool } from './body/spool.ts'
import type { Slowdown } from './throttle/slowdown.ts'
import { decodeUtf8 } from '../common/json/utf8.ts'
import { usableEtag } from './http/etag.ts'
import { requestObserver } from '../telemetry/http-requests.ts'

const DEFAULT_TIMEOUT_MS = 60_000
const DEFAULT_CONCURRENCY = 8
const DEFAULT_MAX_BODY_BYTES = 1024 ** 3
/** A run holds the whole event list in memory. */
const MAX_EVENT_LIST_BYTES = 256 * 1024 ** 2
/** A larger list goes to a file and is read in chunks. */
const DEFAULT_IN_MEMORY_BYTES = 4 * 1024 ** 2
/** A little below the longest item that is stored: most chunks then need no check for a longer one. */
const DEFAULT_CHUNK_BYTES = 1_000_000
const MAX_PING_BYTES = 1024 ** 2

export interface SourceOptions {
  /** As `baseAddress` or `serviceUrl` (url.ts) returned it. */
  readonly baseUrl: URL
  /** Printable ASCII, trimmed by the caller. */
  readonly apiKey: string
  readonly userAgent?: string
  /** Of one attempt; every 256 KiB of body received add 1 s. */
  readonly requestTimeoutMs?: number | undefined
  /** The limit for all pages of a list together, before and after decompression. */
  readonly maxBodyBytes?: number | undefined
  /** When the run must end, by `performance.now()`; null: no deadline. */
  readonly runDeadline?: number | null
  /** Ends everything at once; a HeadcountError as its reason is thrown as it is. */
  readonly signal?: AbortSignal
  /** Random numbers for the waits between attempts, from 0 to below 1. */
  readonly random?: () => number
  readonly log?: (level: 'debug' | 'info' | 'warn', message: string, fields?: object) => void
  /** The longest pause (`Retry-After`) that is waited for, in ms; until the run's deadline, or 15 minutes, when not given. */
  readonly maxPauseMs?: number
  /** The maximum of concurrent requests. */
  readonly concurrency?: number
  /** The HTTP proxy that leads to the service; null: none does. */
  readonly proxy?: URL | null
  /** Shared with other sources; without it the source has one of its own. */
  readonly host?: Host | null
  /** Given to other runs while the service asks this source for a pause. */
  readonly turn?: SuspendableTurn | null
  /** Whether messages may quote the bodies of lists, which hold personal data; they may when not given. */
  readonly mayQuote?: () => boolean
  /** Called when the service begins to slow the requests down, and when that is over. */
  readonly onSlowdown?: () => void
  /** A larger list goes to a temporary file. */
  readonly inMemoryBytes?: number | undefined
  /** A list in a file is read in chunks of about this size. */
  readonly chunkBytes?: number | undefined
}

export interface Source {
  /** The e-mail address of the key's owner, and the service's clock (`Date` header) when it shows it. */
  ping(): Promise<{ email: string | null; serverDate: Date | null }>
  /** The whole event list. The caller disposes of it. */
  events(): Promise<FetchedList>
  /**
   * The whole list of responses to one event. The caller disposes of it.
   *
   * @param etag of the stored list: the result is `not_modified` when the service confirms that tag
   * @param queueState `unqueued` by default
   * @throws RejectedRequestError when the service rejects a queued event and answers others
   */
  responses(
    eventId: string,
    etag?: string | null,
    queueState?: QueueState,
  ): Promise<FetchedList | 'not_modified'>
  readonly counts: Readonly<RequestCounts>
  /** The current limits on requests. */
  readonly throttle: ThrottleSnapshot
  /** Null unless rejections slow the requests down. */
  readonly slowdown: Slowdown | null
  /** Aborts every request of this source, and closes every connection of a host of its own. */
  close(): Promise<void>
}

/** @throws ConfigurationError for an invalid API key */
export function createSource(options: SourceOptions): Source {
  assertValidApiKey(options.apiKey)
  const base = options.baseUrl
  const opened = new AsyncDisposableStack()
  const context = createContext(options, opened)
  const { redactor, throttle } = context
  const largeLists = new Semaphore(1).join()
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
    // The event list has a permit of its own: a caller may keep the list while it reads large lists of responses.
    events: async () =>
      redactErrors(
        fetchList(new Semaphore(1).join(), {
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
    close: () => opened.disposeAsync(),
  }
}

/** What it opens is closed with `opened`. */
function createContext(options: SourceOptions, opened: AsyncDisposableStack): RequestContext {
  const { apiKey, requestTimeoutMs = DEFAULT_TIMEOUT_MS, concurrency = DEFAULT_CONCURRENCY } = options
  const redactor = createRedactor(apiKey)
  const log: RequestContext['log'] = (level, message, fields) =>
    options.log?.(level, redactor.text(message), fields)
  const { origin } = options.baseUrl
  const host =
    options.host ??
    opened.use(createHost({ origin, concurrency, requestTimeoutMs, proxy: options.proxy ?? null, log }))
  opened.defer(host.onSlowdown(() => options.onSlowdown?.()))
  const permits = {
    ordinary: opened.use(host.permits.join(concurrency)),
    ofLargeLists: opened.use(host.largeListPermits.join()),
  }
  const lifetime = opened.use(startLifetime(options.signal, options.runDeadline ?? null))
  const maxWaitMs = () => options.maxPauseMs ?? lifetime.remainingMs() ?? MAX_PAUSE_MS
  return {
    client: host.client,
    headers: headersOf(options),
    lifetime,
    pauseGate: new PauseGate(lifetime.signal, {
      pause: host.pauses.of(apiKey),
      maxWaitMs,
      turn: options.turn ?? null,
    }),
    clock: systemClock,
    permits,
    throttle: host.throttle,
    redactor,
    mayQuote: options.mayQuote ?? (() => true),
    keyRemedy: rejectedKeyRemedy(apiKey),
    requestTimeoutMs,
    counts: noRequests(),
    random: options.random ?? Math.random,
    observe: requestObserver(),
    log,
  }
}

function headersOf({ apiKey, userAgent = `headcount/${version()} (+mirror)` }: SourceOptions) {
  return {
    'x-api-key': apiKey,
    'user-agent': userAgent,
    accept: 'application/json',
    'accept-encoding': 'gzip, identity',
  }
}

function spoolFor(permits: Member, { inMemoryBytes = DEFAULT_IN_MEMORY_BYTES }: SourceOptions): BodySpool {
  return new BodySpool(permits, inMemoryBytes)
}

type ListRequest = Pick<RequestSpec, 'queueState' | 'url' | 'maxBytes' | 'etag'>

/** @returns a function that fetches a list; a list too large for memory waits for one of `permits` */
function createListFetcher(context: RequestContext, options: SourceOptions) {
  const { chunkBytes = DEFAULT_CHUNK_BYTES } = options
  const { redactor } = context
  const keyRemover = createKeyRemover(options.apiKey)

  async function fetchList(
    permits: Member,
    request: ListRequest & { readonly etag: null },
  ): Promise<FetchedList>
  async function fetchList(permits: Member, request: ListRequest): Promise<FetchedList | 'not_modified'>
  async function fetchList(permits: Member, request: ListRequest) {
    const spool = spoolFor(permits, options)
    try {
      const pages = await fetchPages(context, { ...request, expected: 'list', spool, bytesBefore: 0 })
      if (pages === 'not_modified') return pages
      return new FetchedList(request.url.pathname, pages, { spool, chunkBytes, redactor, keyRemover })
    } catch (error) {
      spool[Symbol.dispose]()
      throw error
    }
  }
  return fetchList
}

/** Disposes of the spool. The next request finds the connection free: a new one would cost two round trips more. */
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
  // undici says that a response has ended a moment before it uses the connection again.
  // guard: one connection
  await setImmediate()
  const instant = readHttpDate(headerOf(headers, 'date'))
  const { email } = parsePing(decodeUtf8(await readFrom(body, 0)))
  // The e-mail address is stored and shown. One that contains the key is omitted.
  const isSafe = email === null || context.redactor.text(email) === email
  return { email: isSafe ? email : null, serverDate: instant === null ? null : new Date(instant) }
}
