/** The only place that speaks HTTP outwards: one pool of connections a run, bound to one origin. */
import { Pool } from 'undici'
import type { Headers } from './headers.ts'

const LONGEST_CONNECT_MS = 10_000

export interface Client {
  /**
   * Sends one GET and gives the answer as soon as its headers are there. Follows nothing, retries nothing.
   *
   * @param etag asks for the list only if it is no longer the one that this validator belongs to
   */
  get(url: URL, etag: string | null, signal: AbortSignal): Promise<Answer>
  /** Breaks off what is under way and closes every connection. */
  close(): Promise<void>
}

export interface Answer {
  readonly status: number
  readonly headers: Headers
  readonly body: AsyncIterable<Buffer>
  /** Lets go of what is left of the body; a connection that still carries some of it is closed. */
  discard(): void
}

export interface ClientOptions {
  readonly origin: string
  readonly apiKey: string
  readonly userAgent: string
  readonly requestTimeoutMs: number
  /** The most connections at once; a request above them waits for one. */
  readonly connections: number
}

export function createClient(options: ClientOptions): Client {
  const connectTimeout = Math.min(LONGEST_CONNECT_MS, options.requestTimeoutMs)
  const pool = new Pool(options.origin, {
    connections: options.connections,
    // Said aloud, so that no environment variable can switch the check of certificates off.
    connect: { rejectUnauthorized: true, timeout: connectTimeout },
    // One protocol, whose end marks of a body are checked: Content-Length and the last chunk.
    allowH2: false,
    // The request's own deadline (deadline.ts) bounds these; a pause between chunks alone proves nothing.
    headersTimeout: 0,
    bodyTimeout: 0,
  })
  const headers = {
    'x-api-key': options.apiKey,
    'user-agent': options.userAgent,
    accept: 'application/json',
    'accept-encoding': 'gzip, identity',
  }
  return {
    get: async (url, etag, signal) => {
      if (url.origin !== options.origin) throw new RangeError(`The key is not sent to ${url.origin}.`)
      const answer = await pool.request({
        method: 'GET',
        path: url.pathname + url.search,
        headers: etag === null ? headers : { ...headers, 'if-none-match': etag },
        signal,
      })
      const { body } = answer
      // An error after the last piece was wanted has nobody left to hear it.
      body.on('error', () => {})
      // One that has no body is over already. To destroy it would be an abort, whose error takes longer to make than
      // the answer took to read.
      const discard = () => void (hasBody(answer.statusCode) ? body.destroy() : body.resume())
      return { status: answer.statusCode, headers: answer.headers, body, discard }
    },
    close: () => pool.destroy(),
  }
}

function hasBody(status: number): boolean {
  return status !== 204 && status !== 304
}
