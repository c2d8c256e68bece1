/** One try of one request: a place, the gate, the deadline, redirects by hand, the status, the body. */
import type { LimitFunction } from 'p-limit'
import { HeadcountError } from '../../common/errors.ts'
import { type Body, receiveBody } from '../body/receive.ts'
import type { Client } from './client.ts'
import type { Clock } from '../../common/clock.ts'
import type { Deadline, Deadlines } from '../timeouts/request-timeout.ts'
import { readFraming } from './body-framing.ts'
import type { Gate } from '../throttle/pause-gate.ts'
import { type Headers, headerOf } from './headers.ts'
import type { Life } from '../timeouts/source-lifetime.ts'
import { explainNetworkFailure } from './network-errors.ts'
import type { Pacing } from '../throttle/throttle.ts'
import { acquire } from '../../common/semaphore.ts'
import type { Redactor } from '../../common/redact.ts'
import { followRedirect, isRedirect } from './redirects.ts'
import type { Turn } from '../retry/rejected-request.ts'
import type { BodyRoom } from '../body/spool.ts'
import { requireShape } from '../body/sniff.ts'
import { explainStatus } from './status.ts'
import { tooSlow } from '../timeouts/request-timeout-error.ts'
import type { Head, Transfer } from './response-stream.ts'
import { provesUnchanged } from './etag.ts'
import { toError } from '../../common/abort.ts'

const LARGEST_QUOTED_BODY = 64 * 1024

/** What all requests of a source share. */
export interface Line {
  readonly client: Client
  readonly life: Life
  readonly gate: Gate
  readonly clock: Clock
  readonly deadlines: Deadlines
  /** Bounds the requests at once; the pace narrows and widens it. */
  readonly places: LimitFunction
  readonly pacing: Pacing
  readonly redactor: Redactor
  /** What to do when the service refuses the key. */
  readonly keyRemedy: string
  readonly requestTimeoutMs: number
  readonly counts: Counts
  readonly random: () => number
  readonly log: (level: 'debug' | 'info' | 'warn', message: string, fields?: object) => void
}

/** What a source has counted so far. */
export interface Counts {
  /** Every request sent: retries, pages and redirects too. */
  requests: number
  /** Requests sent again, but for those that were refused. */
  retries: number
  /** Refusals: 429, and 503 with `Retry-After`. They spend neither a try nor the budget of retries. */
  refused: number
  /** Refused requests that were sent again. */
  askedAgain: number
  notModified: number
  /** Bytes of bodies as they came over the wire. */
  bytesReceived: number
  /** How often each status was answered, by endpoint: `responses 429` (`page` for a next page at another path). */
  readonly statuses: Map<string, number>
}

export interface Wish {
  readonly turn: Turn
  readonly url: URL
  readonly kind: 'list' | 'object'
  readonly room: BodyRoom
  /** Bytes that the same reading has already. */
  readonly before: number
  /** The most bytes that the body may have. */
  readonly limit: number
  /** The validator of the list that is known; null asks for the list whatever it is. */
  readonly etag: string | null
}

export interface Received {
  /** The address that answered in the end. */
  readonly url: URL
  readonly headers: Headers
  readonly body: Body
  readonly hasEndMark: boolean
}

/** A 304: the list is the one of our validator, or (`unproven`) the answer speaks of another one. */
export type Unsent = 'not_modified' | 'unproven'

/** @throws one of the error family; what may pass by itself is `retryable` */
export async function exchange(line: Line, wish: Wish & { readonly etag: null }): Promise<Received>
export async function exchange(line: Line, wish: Wish): Promise<Received | Unsent>
export async function exchange(line: Line, wish: Wish): Promise<Received | Unsent> {
  return paced(line, wish, () => askInTime(line, wish))
}

/** Sends a request when the pace allows it, and tells the pace how it ended. */
export async function paced<T>(
  line: Pick<Line, 'places' | 'gate' | 'pacing'>,
  { room, turn }: { readonly room: Pick<BodyRoom, 'isLarge'>; readonly turn: Turn },
  send: () => Promise<T>,
): Promise<T> {
  // A reading that holds the place for large lists goes first: the others may be waiting for it, each in a place
  // for requests, and it must be able to finish before they can.
  const giveBack = room.isLarge ? null : await acquire(line.places, line.gate.signal)
  try {
    const start = await line.pacing.start()
    try {
      const received = await send()
      line.pacing.ended(start, null, turn)
      return received
    } catch (error) {
      line.pacing.ended(start, error, turn)
      throw error
    }
  } finally {
    giveBack?.()
  }
}

async function askInTime(line: Line, wish: Wish): Promise<Received | Unsent> {
  using deadline = line.deadlines.start(line.requestTimeoutMs, (bytes) =>
    tooSlow(line.requestTimeoutMs, wish.url.pathname, bytes),
  )
  try {
    return await ask(line, wish, deadline)
  } catch (error) {
    if (line.life.signal.aborted) throw toError(line.life.signal.reason)
    // A status that was read counts, even when the time ran out over the body that came with it.
    if (error instanceof HeadcountError) throw error
    if (deadline.reason !== null) throw deadline.reason
    throw explainNetworkFailure(error, wish.url) ?? error
  }
}

async function ask(line: Line, wish: Wish, deadline: Deadline): Promise<Received | Unsent> {
  const way = [wish.url]
  const received = (bytes: number): void => {
    line.counts.bytesReceived += bytes
    deadline.received(bytes)
    line.pacing.silence.heard()
  }
  for (let url = wish.url; ; way.push(url)) {
    // Where a redirect leads is asked no sooner than anything else.
    if (way.length > 1) await deadline.standStill(line.pacing.start())
    line.counts.requests += 1
    const transfer = line.client.get(url, wish.etag, received)
    deadline.breaksOff((reason) => transfer.breakOff(reason))
    const head = await line.pacing.silence.head(transfer.head)
    noteStatus(line.counts.statuses, wish.url, head.status)
    try {
      if (!isRedirect(head.status)) return await read(line, wish, { head, transfer, url, deadline })
      url = followRedirect(way, head.status, headerOf(head.headers, 'location'))
    } finally {
      transfer.discard()
    }
  }
}

const endpoints: ReadonlySet<string> = new Set(['ping', 'events', 'responses'])

/** Under the last segment of the path that was wanted; a next page may have any. */
function noteStatus(statuses: Map<string, number>, { pathname }: URL, status: number): void {
  const last = pathname.slice(pathname.lastIndexOf('/') + 1)
  const key = `${endpoints.has(last) ? last : 'page'} ${status}`
  statuses.set(key, (statuses.get(key) ?? 0) + 1)
}

interface Answered {
  readonly head: Head
  readonly transfer: Transfer
  readonly url: URL
  readonly deadline: Deadline
}

async function read(line: Line, wish: Wish, answered: Answered): Promise<Received | Unsent> {
  const { transfer, url, deadline } = answered
  const { headers, status } = answered.head
  const path = url.pathname
  if (status === 304 && wish.etag !== null) {
    if (!provesUnchanged(headers, wish.etag)) return 'unproven'
    line.counts.notModified += 1
    return 'not_modified'
  }
  if (status !== 200) {
    const excerpt = line.redactor.excerpt(await quotedBody(headers, transfer, path))
    throw explainStatus(status, headers, path, excerpt, line.keyRemedy)
  }
  const { gzip, hasEndMark } = readFraming(headers, path, wish.limit)
  const { limit, before, room } = wish
  const body = await receiveBody(transfer, gzip, {
    deadline,
    room,
    before,
    limit,
    path,
    signal: line.gate.signal,
  })
  await requireShape(body, wish.kind, { path, hasEndMark, excerpt: line.redactor.excerpt })
  return { url, headers, body, hasEndMark }
}

/** As much of the body as a message may need. That it breaks off matters less than the status that came with it. */
async function quotedBody(headers: Headers, body: AsyncIterable<Buffer>, path: string): Promise<string> {
  const pieces: Buffer[] = []
  try {
    const { gzip } = readFraming(headers, path, Infinity)
    if (gzip) return '(compressed)'
    let size = 0
    for await (const piece of body) {
      pieces.push(piece)
      size += piece.length
      if (size >= LARGEST_QUOTED_BODY) break
    }
  } catch (error) {
    pieces.push(Buffer.from(` (the body broke off: ${toError(error).name})`))
  }
  return Buffer.concat(pieces).toString('utf8')
}
