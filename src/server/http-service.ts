import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { getRequestListener } from '@hono/node-server'
import { MAX_TIMER_MS } from '../common/abort.ts'
import { UsageError } from '../common/errors.ts'
import { listenOn, withBrackets } from '../common/listen.ts'
import { observeServed } from '../telemetry/served-requests.ts'
import { AnsweredKeys, logAccess, type AccessLog } from './http/access-log.ts'
import { toFetchResponse, sendResponse, type HttpResponse } from './http/http-response.ts'
import { DEFAULT_SEND_TIMEOUT, type SendTimeout } from './http/slow-client.ts'
import { problem } from './problems.ts'
import type { Links } from './links/link-responder.ts'
import { createRoutes } from './routes.ts'
import type { Store } from './stores/store.ts'
import { safeCallback } from '../common/options/callbacks.ts'
import { rejectTunnel, respondToParseError } from './http/bad-requests.ts'
import { MAX_HEADER_BYTES, MAX_URL_CHARACTERS } from './http/limits.ts'
import { ConnectionQueues } from './http/request-queue.ts'
import { isAlreadySent } from './http/responder.ts'

export interface HttpServiceOptions {
  readonly store: Store
  /** None by default. */
  readonly links?: Links
  /** Called with each error of a request or of the socket. */
  readonly onError?: (error: unknown) => void
  /** How long `close` waits for responses in flight, in milliseconds; 5,000 by default. */
  readonly closeTimeoutMs?: number
  /** The size of the cache of responses, in bytes; 64 MiB by default. */
  readonly keptBytes?: number
  readonly clientTimeouts?: Partial<ClientTimeouts>
  /** Where the service stands inside another server; '' (the root) by default. */
  readonly mountPath?: string
  /** Called when the response to a request over node:http has ended. */
  readonly onRequest?: AccessLog
}

interface ClientTimeouts {
  /** How long a client may take to send a request. */
  readonly requestMs: number
  /** How long a client may take to read a response. */
  readonly send: SendTimeout
}

export interface Service {
  /** Answers one request without a server. The caller must read or cancel the body, for a large one holds resources. */
  fetch(request: Request): Promise<Response>
  /**
   * Answers one request of a server of `node:http`, Express or the like: `createServer(service.requestListener)`. What
   * fails goes to `onError`. Close the server before the service.
   */
  readonly requestListener: (request: IncomingMessage, response: ServerResponse) => void
  /**
   * Listens for HTTP. `port` 0 takes any free port. Returns the port and the base address, which ends in `/api/v1`.
   *
   * @throws UsageError when the address cannot be listened on, or the service listens already
   */
  listen(address: { host: string; port: number }): Promise<{ url: string; port: number }>
  /** Stops accepting requests, waits for responses in flight, and closes the rest after the time-out. Idempotent. */
  close(): Promise<void>
}

const DEFAULT_CACHE_BYTES = 64 * 1024 ** 2
/** Enough for a request without a body. */
const REQUEST_MS = 10_000
const CHECK_INTERVAL_MS = 2_000
/** Further connections are closed. */
const MAX_CONNECTIONS = 4_000
/** Longer than most clients keep an idle connection: the client closes first, and never uses a closing connection. */
const KEEP_ALIVE_MS = 65_000

/** Answers requests of the Fetch API and of `node:http`. */
function createAnswering({
  store,
  links,
  onError = () => {},
  keptBytes = DEFAULT_CACHE_BYTES,
  clientTimeouts: { send: sendTimeout = DEFAULT_SEND_TIMEOUT } = {},
  mountPath = '',
  onRequest,
}: HttpServiceOptions): Pick<Service, 'fetch' | 'requestListener'> {
  // guard: listeners that throw
  const report = safeCallback(onError)
  const log = onRequest && safeCallback(onRequest)
  const answered = new AnsweredKeys()
  const routes = createRoutes({
    store,
    onError: report,
    keptBytes,
    sendTimeout,
    mountPath,
    answered,
    links: links ?? null,
  })
  const send: typeof routes.fetch = async (request, bindings) => {
    const response = await routes.fetch(request, bindings)
    // Of an error without a response the adapter sends nothing.
    if (isAlreadySent(response)) throw alreadySent
    return response
  }
  const answer = getRequestListener(send, {
    // By default the adapter replaces the global Request and Response.
    overrideGlobalObjects: false,
    // For HTTP/1.0, which has no Host header.
    hostname: 'localhost',
    errorHandler: (error) =>
      error === alreadySent
        ? undefined
        : toFetchResponse(unreadableUrl, false, report, new DisposableStack()),
  })

  async function respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (log) logAccess(request, response, answered, log)
    observeServed(request, response)
    const rejected = rejection(request)
    if (rejected === null) await answer(request, response)
    else await sendResponse(response, rejected, false, sendTimeout)
  }
  return {
    fetch: async (request) => routes.fetch(request),
    requestListener: (request, response) => void respond(request, response).catch(report),
  }
}

/** The service of the specification over HTTP. It writes no log of its own and changes no globals. */
export function createHttpService(options: HttpServiceOptions): Service {
  const { store, links, onError = () => {}, closeTimeoutMs = 5_000, clientTimeouts } = options
  const answering = createAnswering(options)
  const queues = new ConnectionQueues(answering.requestListener, () => endWhenIdle())
  const server = serverOver(queues, clientTimeouts?.requestMs ?? REQUEST_MS)

  // Node closes idle sockets only after the keep-alive time, and sockets without a request never.
  function endWhenIdle(): void {
    if (!server.listening && queues.isIdle) server.closeAllConnections()
  }

  let isListening = false
  let closing: Promise<void> | undefined

  async function shut(): Promise<void> {
    const closed = once(server, 'close')
    server.close()
    for (const response of queues.lastResponses()) response.shouldKeepAlive = false
    const cut = setTimeout(() => server.closeAllConnections(), Math.min(closeTimeoutMs, MAX_TIMER_MS))
    endWhenIdle()
    await closed
    clearTimeout(cut)
  }

  return {
    ...answering,

    async listen({ host, port }) {
      if (isListening)
        throw new UsageError('This service listens already. Make another one with createService.')
      isListening = true
      const remedy = 'choose another host or port'
      const taken = await listenOn(server, { host, port }, { who: '', remedy }).catch((error: unknown) => {
        isListening = false
        throw error
      })
      server.on('error', safeCallback(onError))
      return { url: `http://${withBrackets(host)}:${taken}/api/v1`, port: taken }
    },

    async close() {
      if (server.listening) closing = shut()
      await closing
      await Promise.all([store.close(), links?.close()])
    },
  }
}

/** @param requestMs how long a client may take to send a request */
function serverOver(queues: ConnectionQueues, requestMs: number): Server {
  const limits = {
    maxHeaderSize: MAX_HEADER_BYTES,
    headersTimeout: requestMs,
    requestTimeout: requestMs,
    connectionsCheckingInterval: Math.min(CHECK_INTERVAL_MS, requestMs),
    keepAliveTimeout: KEEP_ALIVE_MS,
    // Node's own response has no body.
    requireHostHeader: false,
  }
  const enqueue = (request: IncomingMessage, response: ServerResponse) => {
    if (!server.listening || /* guard: nothing behind a body */ endsConnection(request))
      response.shouldKeepAlive = false
    queues.enqueue(request, response)
  }
  const server = createServer(limits, enqueue)
  // By default Node drops headers beyond a count. The limit on their bytes is enough.
  server.maxHeadersCount = 0
  // Idle connections make room for new ones.
  server.maxConnections = MAX_CONNECTIONS
  server.on('drop', () => server.closeIdleConnections())
  // The service reads no request body, also with an `Expect` header.
  server.on('checkContinue', enqueue).on('checkExpectation', enqueue)
  // Node takes its listeners off the socket, so that a response that is under way would never end.
  server.on('connect', (_, socket) => (queues.isBusy(socket) ? socket.destroy() : rejectTunnel(socket)))
  server.on('clientError', (error, socket) => {
    queues.onDrained(socket, () => respondToParseError(error, socket))
  })
  return server
}

const alreadySent = new Error('the response was sent')

const unreadableUrl = problem(
  'bad_request',
  {},
  'send a Host header that is a host, and a path that is percent-encoded',
)

/** The error response before any route; null for a valid request. */
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
 * Whether this must be the last request of its connection. A proxy in front may see the end of a body or an upgrade
 * differently: the next bytes could be the request of another client (request smuggling).
 */
function endsConnection({ headers }: IncomingMessage): boolean {
  return (
    headers['transfer-encoding'] !== undefined ||
    headers.upgrade !== undefined ||
    Number(headers['content-length'] ?? 0) > 0
  )
}

function hasOneHost({ rawHeaders }: IncomingMessage): boolean {
  const names = rawHeaders.filter((name, index) => index % 2 === 0 && name.length === 4)
  return names.filter((name) => name.toLowerCase() === 'host').length === 1
}
