import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { isIPv6 } from 'node:net'
import { getRequestListener } from '@hono/node-server'
import { listenOn } from '../common/listen.ts'
import { toFetchResponse, sendResponse, type HttpResponse } from './http/http-response.ts'
import { DEFAULT_SEND_TIMEOUT, type SendTimeout } from './http/slow-client.ts'
import { problem } from './problems.ts'
import { createRoutes } from './routes.ts'
import type { Store } from './stores/store.ts'
import { safeCallback } from './safe-callback.ts'
import { respondToParseError } from './http/bad-requests.ts'
import { MAX_HEADER_BYTES, MAX_URL_CHARACTERS } from './http/limits.ts'
import { ConnectionQueues } from './http/request-queue.ts'

export interface HttpServiceOptions {
  readonly store: Store
  /** Told what went wrong while a request was answered, and what the socket reported. */
  readonly onError?: (error: unknown) => void
  /** How long `close` waits for answers in flight, in milliseconds. Default 5,000. */
  readonly closeTimeout?: number
  /** How many bytes of answered bodies are kept in memory to be sent again. Default 64 MiB. */
  readonly keptBytes?: number
  readonly clientTimeouts?: Partial<ClientTimeouts>
}

/** How long clients may take. */
export interface ClientTimeouts {
  /** Over a request, in milliseconds. */
  readonly requestMs: number
  /** Over an answer. */
  readonly send: SendTimeout
}

export interface Service {
  /** Answers one request without a server. The body is to be read or cancelled: a large one is read meanwhile. */
  fetch(request: Request): Promise<Response>
  /**
   * Listens for HTTP. `port` 0 takes any free port; the answer names the one taken, and the base address,
   * which ends in `/api/v1`.
   *
   * @throws UsageError when the address cannot be listened on, or the service listens already.
   */
  listen(address: { host: string; port: number }): Promise<{ url: string; port: number }>
  /** Takes no more requests, lets answers in flight end and cuts what is left after the time-out; called again, it waits for the same. */
  close(): Promise<void>
}

const DEFAULT_CACHE_BYTES = 64 * 1024 ** 2
/** Nobody needs longer to send a request without a body. */
const REQUEST_MS = 10_000
const CHECK_INTERVAL_MS = 2_000
/** An answer is due on few of them at a time; one more is closed. */
const MAX_CONNECTIONS = 4_000
/** Longer than most clients keep a connection that they do not use: they close first, and meet no closing one. */
const KEEP_ALIVE_MS = 65_000

/** The service of the specification over HTTP. It writes no log and changes no global of the process. */
export function createHttpService({
  store,
  onError = () => {},
  closeTimeout = 5_000,
  keptBytes = DEFAULT_CACHE_BYTES,
  clientTimeouts: { requestMs = REQUEST_MS, send: sendTimeout = DEFAULT_SEND_TIMEOUT } = {},
}: HttpServiceOptions): Service {
  // guard: listeners that throw
  const report = safeCallback(onError)
  const routes = createRoutes({ store, onError: report, keptBytes, sendTimeout })
  const answer = getRequestListener(routes.fetch, {
    // By default the adapter puts its own Request and Response in the place of the process's own.
    overrideGlobalObjects: false,
    // HTTP/1.0 has no Host header.
    hostname: 'localhost',
    errorHandler: () => toFetchResponse(unreadableUrl, false, report, new DisposableStack()),
  })

  async function respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const rejected = rejection(request)
    if (rejected === null) await answer(request, response)
    else await sendResponse(response, rejected, false, sendTimeout)
  }
  const queues = new ConnectionQueues(
    (request, response) => void respond(request, response).catch(report),
    () => endWhenIdle(),
  )
  const server = serverOver(queues, requestMs)

  // Node closes a kept-alive socket only after its idle time, and one that has sent nothing not at all.
  function endWhenIdle(): void {
    if (!server.listening && queues.isIdle) server.closeAllConnections()
  }

  let closing: Promise<void> | undefined

  async function shut(): Promise<void> {
    const closed = once(server, 'close')
    server.close()
    for (const response of queues.lastResponses()) response.shouldKeepAlive = false
    const cut = setTimeout(() => server.closeAllConnections(), closeTimeout)
    endWhenIdle()
    await closed
    clearTimeout(cut)
  }

  return {
    fetch: async (request) => routes.fetch(request),

    async listen({ host, port }) {
      const remedy = 'choose another host or port'
      const taken = await listenOn(server, { host, port }, { who: '', remedy })
      server.on('error', report)
      return { url: `http://${isIPv6(host) ? `[${host}]` : host}:${taken}/api/v1`, port: taken }
    },

    async close() {
      if (server.listening) closing = shut()
      await closing
      await store.close()
    },
  }
}

/** @param requestMs how long a client may take over a request */
function serverOver(queues: ConnectionQueues, requestMs: number): Server {
  const limits = {
    maxHeaderSize: MAX_HEADER_BYTES,
    headersTimeout: requestMs,
    requestTimeout: requestMs,
    connectionsCheckingInterval: Math.min(CHECK_INTERVAL_MS, requestMs),
    keepAliveTimeout: KEEP_ALIVE_MS,
    // Node's own answers to both have no body.
    requireHostHeader: false,
  }
  const enqueue = (request: IncomingMessage, response: ServerResponse) => {
    if (!server.listening || /* guard: nothing behind a body */ endsConnection(request))
      response.shouldKeepAlive = false
    queues.enqueue(request, response)
  }
  const server = createServer(limits, enqueue)
  // Those beyond a count would be left out; their bytes are counted anyway.
  server.maxHeadersCount = 0
  // Whoever keeps one that he does not use makes room for the next who comes.
  server.maxConnections = MAX_CONNECTIONS
  server.on('drop', () => server.closeIdleConnections())
  // No body is waited for, whatever is expected.
  server.on('checkContinue', enqueue).on('checkExpectation', enqueue)
  server.on('clientError', (error, socket) => {
    queues.onDrained(socket, () => respondToParseError(error, socket))
  })
  return server
}

const unreadableUrl = problem('bad_request', {}, 'send an address that is one')

/** What is said to a request that no route is asked for; null: the routes are. */
function rejection(request: IncomingMessage): HttpResponse | null {
  // guard: one Host
  if (request.httpVersion === '1.1' && !hasOneHost(request)) {
    return problem('bad_request', { Connection: 'close' }, 'send a request of HTTP/1.1 with one Host header')
  }
  // guard: long addresses
  if ((request.url ?? '').length > MAX_URL_CHARACTERS) {
    return problem('address_too_long', { Connection: 'close' })
  }
  return null
}

/**
 * Where a body ends, and whether anything is read after the offer of another protocol, a proxy in front may see otherwise:
 * what follows on the connection could be somebody else's request.
 */
function endsConnection({ headers }: IncomingMessage): boolean {
  return (
    headers['transfer-encoding'] !== undefined ||
    headers.upgrade !== undefined ||
    Number(headers['content-length'] ?? 0) > 0
  )
}

function hasOneHost({ rawHeaders }: IncomingMessage): boolean {
  const names = rawHeaders.filter((name, place) => place % 2 === 0 && name.length === 4)
  return names.filter((name) => name.toLowerCase() === 'host').length === 1
}
