import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { isIPv6 } from 'node:net'
import { getRequestListener } from '@hono/node-server'
import { UsageError } from '../errors.ts'
import { responseOf, sendAnswer } from './answers.ts'
import { problem } from './problems.ts'
import { createRoutes } from './routes.ts'
import type { Store } from './store.ts'
import { answerUnreadable, MOST_HEADER_BYTES } from './unreadable.ts'

export interface HttpServiceOptions {
  readonly store: Store
  /** Told what went wrong while a request was answered, and what the socket reported. */
  readonly onError?: (error: unknown) => void
  /** How long `close` waits for answers in flight, in milliseconds. Default 5,000. */
  readonly closeTimeout?: number
  /** How many bytes of answered bodies are kept in memory to be sent again. Default 64 MiB. */
  readonly keptBytes?: number
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

const KEPT_BYTES = 64 * 1024 ** 2
const MOST_ADDRESS_CHARACTERS = 8 * 1024
/** Nobody needs longer to send a request without a body. */
const REQUEST_MS = 10_000
const LOOK_MS = 2_000
/** Longer than most clients keep a connection that they do not use: they close first, and meet no closing one. */
const KEEP_ALIVE_MS = 65_000

/** The service of the specification over HTTP. It writes no log and changes no global of the process. */
export function createHttpService({
  store,
  onError = () => {},
  closeTimeout = 5_000,
  keptBytes = KEPT_BYTES,
}: HttpServiceOptions): Service {
  const routes = createRoutes({ store, onError, keptBytes })
  const answer = getRequestListener(routes.fetch, {
    // By default the adapter puts its own Request and Response in the place of the process's own.
    overrideGlobalObjects: false,
    // HTTP/1.0 has no Host header.
    hostname: 'localhost',
    errorHandler: () => responseOf(problem('bad_request', 'send an address that is one'), false),
  })
  const inFlight = new Set<ServerResponse>()
  const limits = {
    maxHeaderSize: MOST_HEADER_BYTES,
    headersTimeout: REQUEST_MS,
    requestTimeout: REQUEST_MS,
    connectionsCheckingInterval: LOOK_MS,
    keepAliveTimeout: KEEP_ALIVE_MS,
  }
  const server = createServer(limits, (request, response) => {
    inFlight.add(response)
    response.once('close', () => {
      inFlight.delete(response)
      endWhenIdle()
    })
    if (!server.listening) response.shouldKeepAlive = false
    void respond(request, response)
  })
  server.on('clientError', (error, socket) => {
    const isAnswering = [...inFlight].some((response) => response.socket === socket)
    answerUnreadable(error, socket, isAnswering)
  })

  async function respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if ((request.url ?? '').length > MOST_ADDRESS_CHARACTERS) {
      const detail = `the address may have ${MOST_ADDRESS_CHARACTERS} characters`
      return sendAnswer(response, problem('address_too_long', detail, { Connection: 'close' }), false)
    }
    await answer(request, response)
  }

  // Node closes a kept-alive socket only after its idle time, and one that has sent nothing not at all.
  function endWhenIdle(): void {
    if (!server.listening && inFlight.size === 0) server.closeAllConnections()
  }

  let closing: Promise<void> | undefined

  async function shut(): Promise<void> {
    const closed = once(server, 'close')
    server.close()
    for (const response of inFlight) response.shouldKeepAlive = false
    const cut = setTimeout(() => server.closeAllConnections(), closeTimeout)
    endWhenIdle()
    await closed
    clearTimeout(cut)
  }

  return {
    fetch: async (request) => routes.fetch(request),

    async listen({ host, port }) {
      const taken = await listenOn(server, host, port)
      server.on('error', onError)
      return { url: `http://${isIPv6(host) ? `[${host}]` : host}:${taken}/api/v1`, port: taken }
    },

    async close() {
      if (server.listening) closing = shut()
      await closing
      await store.close()
    },
  }
}

async function listenOn(server: Server, host: string, port: number): Promise<number> {
  try {
    server.listen(port, host)
    await once(server, 'listening')
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause)
    throw new UsageError(`cannot listen on ${host}:${port} (${reason}): choose another host or port`, {
      cause,
    })
  }
  const address = server.address()
  return typeof address === 'object' && address !== null ? address.port : port
}
