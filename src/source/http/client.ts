/** The only HTTP client for a service: one pool of connections, bound to one origin. */
import { Pool } from 'undici'
import { ResponseStream } from './response-stream.ts'

const MAX_CONNECT_MS = 10_000

export interface Client {
  /**
   * Sends one GET, without redirects and retries.
   *
   * @param headers with the key of the account: the connections are shared, a key is not
   * @param onBytes is called with the size of each chunk of the body that is read
   */
  get(url: URL, headers: RequestHeaders, onBytes: (bytes: number) => void): ResponseStream
  /** Aborts every request and closes every connection. */
  close(): Promise<void>
}

export type RequestHeaders = Readonly<Record<string, string>>

export interface ClientOptions {
  readonly origin: string
  readonly requestTimeoutMs: number
  /** The maximum of connections; further requests wait. */
  readonly connections: number
}

export function createClient(options: ClientOptions): Client {
  const connectTimeout = Math.min(MAX_CONNECT_MS, options.requestTimeoutMs)
  const pool = new Pool(options.origin, {
    connections: options.connections,
    // Explicit: no environment variable can switch off the check of certificates.
    connect: { /* guard: certificates */ rejectUnauthorized: true, timeout: connectTimeout },
    // HTTP/1.1 only: its end marks of a body (Content-Length, the last chunk) are checked.
    allowH2: false,
    // One deadline for the whole request replaces these (request-timeout.ts).
    headersTimeout: 0,
    bodyTimeout: 0,
  })
  return {
    get: (url, headers, onBytes) => {
      if (url.origin !== options.origin) throw new RangeError(`The key is not sent to ${url.origin}.`)
      const stream = new ResponseStream(onBytes)
      pool.dispatch({ method: 'GET', path: url.pathname + url.search, headers }, stream)
      return stream
    },
    close: () => pool.destroy(),
  }
}
