/** Connections through an HTTP proxy. */
import { isIP } from 'node:net'
import { buildConnector, Pool, ProxyAgent, type Dispatcher } from 'undici'
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
    // Explicit: no environment variable can switch off the check of certificates.
    requestTls: {
      /* guard: certificates behind a proxy */ rejectUnauthorized: true,
      timeout: connectTimeoutMs,
    },
    clientFactory: () => new Tunnels(proxy, connectTimeoutMs),
    ...(connections !== undefined && { connections }),
    allowH2: false,
    headersTimeout: 0,
    bodyTimeout: 0,
  })
}

/** The connections to the proxy itself. */
class Tunnels extends Pool {
  readonly #proxy: URL

  constructor(proxy: URL, connectTimeoutMs: number) {
    // HTTP/1.1 only, as to services: undici sends a header with CONNECT that HTTP/2 forbids.
    const connect = buildConnector({ rejectUnauthorized: true, allowH2: false, timeout: connectTimeoutMs })
    super(proxy.origin, {
      // undici takes the address of a proxy for a name: TLS has no such names, and no certificate has `[::1]`.
      connect: (to, done) => {
        const { servername: _, ...toAddress } = to
        connect(isIP(to.hostname) === 0 ? to : toAddress, done)
      },
      allowH2: false,
      headersTimeout: connectTimeoutMs,
    })
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
