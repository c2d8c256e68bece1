/** The three endpoints of the service, as the rest of the program sees them. */
import pLimit, { type LimitFunction } from 'p-limit'
import { version } from '../common/version.ts'
import { addressBelow, readBaseAddress } from './url.ts'
import { firstOf } from './body/receive.ts'
import { createClient } from './http/client.ts'
import { systemClock } from '../common/clock.ts'
import { checkApiKey, refusedKeyRemedy } from './api-key.ts'
import { type Counts, exchange, type Line, type Wish } from './http/send-request.ts'
import { Deadlines } from './timeouts/request-timeout.ts'
import { Gate } from './throttle/pause-gate.ts'
import { headerOf } from './http/headers.ts'
import { startLife } from './timeouts/source-lifetime.ts'
import { readPages } from './list/pages.ts'
import { type ShownPace, startPacing } from './throttle/throttle.ts'
import { parsePing } from '../common/json/parse-list.ts'
import { createReading, type ListReading } from './fetched-list.ts'
import { createKeyRemover } from '../common/json/key-in-items.ts'
import { createRedactor } from '../common/redact.ts'
import { readHttpDate } from './retry/retry-after.ts'
import type { Turn } from './retry/rejected-request.ts'
import { withRetries } from './retry/with-retries.ts'
import { BodyRoom } from './body/spool.ts'
import type { Slowdown } from './throttle/slowdown.ts'
import { decodeUtf8 } from '../common/utf8.ts'
import { usableEtag } from './http/etag.ts'

const DEFAULT_TIMEOUT_MS = 60_000
const DEFAULT_CONCURRENCY = 8
const DEFAULT_BODY_BYTES = 1024 ** 3
/** A run has the list of events in memory whole: above this it does not fit. */
const MOST_EVENTS_BYTES = 256 * 1024 ** 2
/** Up to so many bytes a list stays in memory; beyond it is read in pieces, from a file. */
const IN_MEMORY_BYTES = 4 * 1024 ** 2
/** A little below the longest item that is stored, so that most pieces need no look for a longer one. */
const PIECE_BYTES = 1_000_000
const MOST_PING_BYTES = 1024 ** 2

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
  readonly inMemoryBytes?: number
  /** About how long the pieces are in which a larger list is read. */
  readonly pieceBytes?: number
}

export interface Source {
  /** The e-mail address of the key's owner, and the service's clock (`Date` header) when it shows it. */
  ping(): Promise<{ email: string | null; serverDate: Date | null }>
  /** The whole list of events. Dispose of the reading when its payload has been used. */
  events(): Promise<ListReading>
  /**
   * The whole list of responses to one event. Dispose of the reading when its payload has been used.
   *
   * @param etag the `etag` of an earlier reading: `not_modified` when the service says that the list is still that one
   * @param turn `only` when not given; in another one, a RefusedError is thrown when it is refused and others are not
   */
  responses(eventId: string, etag?: string | null, turn?: Turn): Promise<ListReading | 'not_modified'>
  readonly counts: Readonly<Counts>
  /** How fast the service is asked at this moment. */
  readonly pace: ShownPace
  /** While the service refuses requests so that it slows the caller down; else null. */
  readonly slowdown: Slowdown | null
  /** Ends what is under way and closes every connection. */
  close(): Promise<void>
}

/** @throws UsageError for a base address, ConfigurationError for a key, that cannot be used */
export function createSource(options: SourceOptions): Source {
  checkApiKey(options.apiKey)
  const base = readBaseAddress(options.baseUrl)
  const {
    apiKey,
    requestTimeoutMs = DEFAULT_TIMEOUT_MS,
    userAgent = `headcount/${version()} (+mirror)`,
  } = options
  const counts: Counts = {
    requests: 0,
    retries: 0,
    refused: 0,
    askedAgain: 0,
    notModified: 0,
    bytesReceived: 0,
    statuses: new Map(),
  }
  const redactor = createRedactor(apiKey)
  const key = createKeyRemover(apiKey)
  const life = startLife(options.signal, options.runDeadline ?? null)
  const concurrency = options.concurrency ?? DEFAULT_CONCURRENCY
  const gate = new Gate(life.signal)
  const places = pLimit(concurrency)
  const log: Line['log'] = (level, message, fields) => options.log?.(level, redactor.text(message), fields)
  const line: Line = {
    // One more than there are places: a reading that holds the place for large lists needs none (send-request.ts).
    client: createClient({
      origin: base.origin,
      apiKey,
      userAgent,
      requestTimeoutMs,
      connections: concurrency + 1,
    }),
    life,
    gate,
    clock: systemClock,
    deadlines: new Deadlines(life.signal),
    places,
    pacing: startPacing({ places, gate, requestTimeoutMs, clock: systemClock, log }),
    redactor,
    keyRemedy: refusedKeyRemedy(apiKey),
    requestTimeoutMs,
    counts,
    random: options.random ?? Math.random,
    log,
  }
  const largeLists = pLimit(1)
  const { inMemoryBytes = IN_MEMORY_BYTES, pieceBytes = PIECE_BYTES } = options
  const limit = options.maxBodyBytes ?? DEFAULT_BODY_BYTES

  type Asked = Pick<Wish, 'turn' | 'url' | 'limit' | 'etag'>
  async function list(places: LimitFunction, asked: Asked & { readonly etag: null }): Promise<ListReading>
  async function list(places: LimitFunction, asked: Asked): Promise<ListReading | 'not_modified'>
  async function list(places: LimitFunction, asked: Asked) {
    const room = new BodyRoom(places, inMemoryBytes)
    try {
      const pages = await readPages(line, { ...asked, kind: 'list', room, before: 0 })
      if (pages === 'not_modified') return pages
      return createReading(asked.url.pathname, pages, { room, pieceBytes, redactor, key })
    } catch (error) {
      room[Symbol.dispose]()
      throw error
    }
  }
  const ping: Source['ping'] = async () => {
    using room = new BodyRoom(largeLists, inMemoryBytes)
    const wish = {
      turn: 'only',
      url: addressBelow(base, 'ping'),
      kind: 'object',
      room,
      before: 0,
      limit: MOST_PING_BYTES,
      etag: null,
    } as const
    const { body, headers } = await withRetries(line, () => exchange(line, wish), {
      turn: 'only',
      pages: 0,
      failed: () => {},
    })
    const instant = readHttpDate(headerOf(headers, 'date'))
    const { email } = parsePing(decodeUtf8(await firstOf(body)))
    // It is stored and told: one that repeats the key is none.
    const isSafe = email === null || redactor.text(email) === email
    return { email: isSafe ? email : null, serverDate: instant === null ? null : new Date(instant) }
  }
  const withoutKey = async <T>(work: Promise<T>): Promise<T> => {
    try {
      return await work
    } catch (error) {
      throw redactor.error(error)
    }
  }
  return {
    ping: () => withoutKey(ping()),
    // The events list has a place of its own: there is one at a time, and a caller may keep it while it reads the
    // responses, which must not wait for it.
    events: async () => {
      const most = Math.min(limit, MOST_EVENTS_BYTES)
      return withoutKey(
        list(pLimit(1), { url: addressBelow(base, 'events'), limit: most, etag: null, turn: 'only' }),
      )
    },
    responses: async (eventId, etag, turn = 'only') => {
      const url = addressBelow(base, 'events', eventId, 'responses')
      return withoutKey(list(largeLists, { url, limit, etag: usableEtag(etag), turn }))
    },
    counts,
    get pace() {
      return line.pacing.now
    },
    get slowdown() {
      return line.pacing.slowdown
    },
    close: async () => {
      line.pacing[Symbol.dispose]()
      life[Symbol.dispose]()
      await line.client.close()
    },
  }
}
