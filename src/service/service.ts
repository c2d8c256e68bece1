import { once } from 'node:events'
import { createServer, type Server, type ServerResponse } from 'node:http'
import { isIPv6 } from 'node:net'
import { getRequestListener } from '@hono/node-server'
import { UsageError } from '../errors.ts'
import { createRoutes } from './routes.ts'
import type { Store } from './store.ts'

export interface ServiceOptions {
  readonly store: Store
  /** Told what the store threw while a request was answered with 500, and what the socket reported. */
  readonly onError?: (error: unknown) => void
  /** How long `close` waits for answers in flight, in milliseconds. Default 5,000. */
  readonly closeTimeout?: number
}

export interface Service {
  /** Answers one request without a server. */
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

/** The service of the specification over HTTP. It writes no log and changes no global of the process. */
export function createService({ store, onError = () => {}, closeTimeout = 5_000 }: ServiceOptions): Service {
  const routes = createRoutes(store, onError)
  // By default the adapter puts its own Request and Response in the place of the process's own.
  const answer = getRequestListener(routes.fetch, { overrideGlobalObjects: false })
  const inFlight = new Set<ServerResponse>()
  const server = createServer((request, response) => {
    inFlight.add(response)
    response.once('close', () => {
      inFlight.delete(response)
      endWhenIdle()
    })
    if (!server.listening) response.shouldKeepAlive = false
    void answer(request, response)
  })

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
