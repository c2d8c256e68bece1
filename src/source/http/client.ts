/** The only HTTP client for a service: one pool of connections, bound to one origin. */
import type { Dispatcher } from 'undici'
import { Pool } from 'undici'
import { toError } from '../../common/abort.ts'
import { ResponseStream } from './response-stream.ts'

const MAX_CONNECT_MS = 10_000

export interface Client {
  /** The host of the HTTP proxy that every connection goes through; null: none does. */
  readonly proxy: string | null
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
  /** The HTTP proxy that every connection goes through; null: none does. */
  readonly proxy: URL | null
}

export function createClient(options: ClientOptions): Client {
  const { origin, requestTimeoutMs, connections, proxy } = options
  const limits = { connections, connectTimeoutMs: Math.min(MAX_CONNECT_MS, requestTimeoutMs) }
  const dispatcher = proxy === null ? createPool(origin, limits) : openProxy(origin, proxy, limits)
  return {
    proxy: proxy?.host ?? null,
    get: (url, headers, onBytes) => {
      if (url.origin !== origin) throw new RangeError(`The key is not sent to ${url.origin}.`)
      const stream = new ResponseStream(onBytes)
      dispatcher.dispatch({ method: 'GET', path: url.pathname + url.search, headers }, stream)
      return stream
    },
    close: () => dispatcher.destroy(),
  }
}

interface Limits {
  readonly connections: number
  readonly connectTimeoutMs: number
}

/** What a client needs of undici's dispatchers. */
interface Connections {
  dispatch(request: Dispatcher.DispatchOptions, stream: ResponseStream): unknown
  destroy(): Promise<void>
}

function createPool(origin: string, { connections, connectTimeoutMs }: Limits): Connections {
  return new Pool(origin, {
    connections,
    // Explicit: no environment variable can switch off the check of certificates.
    connect: { /* guard: certificates */ rejectUnauthorized: true, timeout: connectTimeoutMs },
    // HTTP/1.1 only: its end marks of a body (Content-Length, the last chunk) are checked.
    allowH2: false,
    // One deadline for the whole request replaces these (request-timeout.ts).
    headersTimeout: 0,
    bodyTimeout: 0,
  })
}

/** Loaded for the first request: undici's proxies are most of undici. */
function openProxy(origin: string, proxy: URL, limits: Limits): Connections {
  let opening: Promise<Dispatcher> | null = null
  const open = async () => (await import('./proxy-agent.ts')).createProxyAgent(proxy, limits)
  const dispatch = async (request: Dispatcher.DispatchOptions, stream: ResponseStream): Promise<void> => {
    try {
      opening ??= open()
      const agent = await opening
      agent.dispatch({ ...request, origin }, stream)
    } catch (error) {
      stream.abort(toError(error))
    }
  }
  return { dispatch, destroy: async () => (await opening)?.destroy() }
}
