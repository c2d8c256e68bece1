/** Connections through an HTTP proxy. Loaded only where there is one. */
import { Pool, ProxyAgent, type Dispatcher } from 'undici'
import { ProxyError } from './proxy.ts'

export interface ProxyAgentOptions {
  /** For the connection to the proxy, and for its answer. */
  readonly connectTimeoutMs: number
  /** The maximum of connections to one origin. */
  readonly connections?: number
}

/**
 * Every connection is a tunnel (CONNECT), also for plain http: what is sent over https is hidden from the proxy, and nothing comes out
 * of its cache. Requests fail with a ProxyError as long as there is no tunnel.
 */
export function createProxyAgent(
  proxy: URL,
  { connectTimeoutMs, connections }: ProxyAgentOptions,
): Dispatcher {
  return new ProxyAgent({
    uri: proxy.href,
    /* guard: key and proxy */ proxyTunnel: true,
    connectTimeout: connectTimeoutMs,
    // Explicit: no environment variable can switch off the check of certificates.
    requestTls: {
      /* guard: certificates behind a proxy */ rejectUnauthorized: true,
      timeout: connectTimeoutMs,
    },
    proxyTls: { rejectUnauthorized: true },
    clientFactory: (_url, options) => new Tunnels(proxy, { ...options, headersTimeout: connectTimeoutMs }),
    ...(connections !== undefined && { connections }),
    allowH2: false,
    headersTimeout: 0,
    bodyTimeout: 0,
  })
}

/** The connections to the proxy itself. */
class Tunnels extends Pool {
  readonly #proxy: URL

  constructor(proxy: URL, options: Pool.Options) {
    super(proxy.origin, options)
    this.#proxy = proxy
  }

  override async connect(params: Dispatcher.ConnectOptions): Promise<Dispatcher.ConnectData> {
    let answer: Dispatcher.ConnectData
    try {
      answer = await super.connect(params)
    } catch (cause) {
      throw new ProxyError(this.#proxy, null, cause)
    }
    if (answer.statusCode === 200) return answer
    answer.socket.on('error', () => {}).destroy()
    throw new ProxyError(this.#proxy, answer.statusCode)
  }
}
