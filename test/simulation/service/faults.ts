/** What the service can do wrong to one request, how it looks on the wire, and what it means. */
import {
  chunked,
  closeBeforeHeaders,
  cutShort,
  oneByteSlices,
  resetBeforeHeaders,
  resetInBody,
  send,
  silence,
  untilClose,
  untilCloseHalf,
  withoutLastChunk,
} from '../../support/http/fault-server.ts'
import type { Step } from '../../support/http/fault-server.ts'

/**
 * What a request's end means for the list that was asked for: `passing` may be tried again; `refused`, `missing`
 * and `broken` are final.
 */
export type Meaning = 'passing' | 'refused' | 'missing' | 'broken'

export const failures = {
  reset: ['passing', () => resetBeforeHeaders],
  close: ['passing', () => closeBeforeHeaders],
  cut: ['passing', (body) => send({ body }, cutShort)],
  resetInBody: ['passing', (body) => send({ body }, resetInBody)],
  noLastChunk: ['passing', (body) => send({ body }, withoutLastChunk)],
  // A half that ends like a whole one is broken JSON, not a connection that broke off.
  halfUntilClose: [
    'passing',
    (body) => send({ body }, /[\]}]\s*$/.test(half(body)) ? cutShort : untilCloseHalf),
  ],
  silence: ['passing', () => silence],
  s500: ['passing', () => refusal(500)],
  s503: ['passing', () => refusal(503)],
  s503soon: ['passing', () => refusal(503, { 'Retry-After': '0' })],
  s429: ['passing', () => refusal(429)],
  s429soon: ['passing', () => refusal(429, { 'Retry-After': '0' })],
  s429later: ['passing', () => refusal(429, { 'Retry-After': '1' })],
  s401: ['refused', () => refusal(401)],
  s403: ['refused', () => refusal(403)],
  s404: ['missing', () => refusal(404)],
  s410: ['missing', () => refusal(410)],
  s400: ['broken', () => refusal(400)],
  html: [
    'broken',
    () => send(({ headers }) => ({ body: `<html>Please log in, ${headers['x-api-key']}</html>` })),
  ],
  object: ['broken', () => send(({ headers }) => ({ body: { error: `odd ${headers['x-api-key']}` } }))],
  empty: ['broken', () => send({ body: '' })],
  corrupt: ['broken', (body) => send({ body: `${body.slice(0, -1)},]` })],
  truncated: ['broken', (body) => send({ body: body.slice(0, Math.max(1, body.length - 2)) })],
  partial: ['broken', (body) => send({ status: 206, headers: { 'Content-Range': 'items 0-1/9' }, body })],
} satisfies Record<string, readonly [Meaning, (body: string) => Step]>

export type Failure = keyof typeof failures

function half(body: string): string {
  const bytes = Buffer.from(body)
  return bytes.toString('utf8', 0, Math.floor(bytes.length / 2))
}

/** Ways to send a whole answer. `no_end_mark` and `paging` are signs that forbid deletions. */
export const ways = {
  plain: [null, (body, headers) => send({ body, headers })],
  chunked: [null, (body, headers) => send({ body, headers }, chunked)],
  slices: [null, (body, headers) => send({ body, headers }, body.length < 400 ? oneByteSlices : chunked)],
  /** Two pages, chained as RFC 8288 says. */
  pages: [null, (body, headers) => send({ body, headers })],
  noEndMark: ['no_end_mark', (body, headers) => send({ body, headers }, untilClose)],
  moreItems: [
    'paging',
    (body, headers) => send({ body, headers: { ...headers, 'X-Total-Count': '100000' } }),
  ],
  oddLink: ['paging', (body, headers) => send({ body, headers: { ...headers, Link: 'nonsense' } })],
} satisfies Record<string, readonly [Sign | null, (body: string, headers: Record<string, string>) => Step]>

export type Sign = 'paging' | 'no_end_mark'
export type Way = keyof typeof ways

/**
 * How a list in pages changes after its first page was answered: something on that page goes, and what follows slides
 * forward; or something comes before it, and what follows slides back.
 */
export type Shift = 'forward' | 'back'

/** Complete answers that are not what the account holds. */
export type Lie = 'none' | 'nothing' | 'half' | 'page' | 'shuffled' | 'without_last'
export const lies: readonly Lie[] = ['nothing', 'half', 'page', 'shuffled']

/** A careless service quotes the key that it was asked with. */
function refusal(status: number, headers: Record<string, string> = {}): Step {
  return send((request) => ({ status, headers, body: { error: `refused ${request.headers['x-api-key']}` } }))
}
