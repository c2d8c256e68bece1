/** The only place that speaks HTTP outwards: one pool of connections a run, bound to one origin. */
import { Pool } from 'undici'
import { ResponseStream } from './response-stream.ts'

const MAX_CONNECT_MS = 10_000

export interface Client {
  /**
   * Sends one GET. Follows nothing, retries nothing.
   *
   * @param etag asks for the list only if it is no longer the one that this validator belongs to
   * @param onBytes is called with the size of each chunk of the body that is read
   */
  get(url: URL, etag: string | null, onBytes: (bytes: number) => void): ResponseStream
  /** Breaks off what is under way and closes every connection. */
  close(): Promise<void>
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
  const connectTimeout = Math.min(MAX_CONNECT_MS, options.requestTimeoutMs)
  const pool = new Pool(options.origin, {
    connections: options.connections,
    // Said aloud, so that no environment variable can switch the check of certificates off.
    connect: { /* guard: certificates */ rejectUnauthorized: true, timeout: connectTimeout },
    // One protocol, whose end marks of a body are checked: Content-Length and the last chunk.
    allowH2: false,
    // The request's own deadline (request-timeout.ts) bounds these; a pause between chunks alone proves nothing.
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
    get: (url, etag, onBytes) => {
      if (url.origin !== options.origin) throw new RangeError(`The key is not sent to ${url.origin}.`)
      const stream = new ResponseStream(onBytes)
      pool.dispatch(
        {
          method: 'GET',
          path: url.pathname + url.search,
          headers: etag === null ? headers : { ...headers, 'if-none-match': etag },
        },
        stream,
      )
      return stream
    },
    close: () => pool.destroy(),
  }
}
