import { once } from 'node:events'
import { createServer } from 'node:http'
import { listenOn } from '../common/listen.ts'
import type { Health } from './health.ts'

/** Only for the same machine or container. */
const host = '127.0.0.1'

export interface HealthEndpoint extends AsyncDisposable {
  readonly url: string
}

/**
 * Answers `GET /healthz` with what `health` says: 200 or 503, the reason as JSON.
 *
 * @throws UsageError when the port cannot be listened on
 */
export async function serveHealth(port: number, health: () => Health): Promise<HealthEndpoint> {
  const [{ Hono }, { getRequestListener }] = await Promise.all([import('hono'), import('@hono/node-server')])
  const routes = new Hono().get('/healthz', (context) => {
    const current = health()
    return context.json(current, current.healthy ? 200 : 503, { 'Cache-Control': 'no-store' })
  })
  // By default the adapter replaces the global Request and Response.
  const answer = getRequestListener(routes.fetch, { overrideGlobalObjects: false })
  const server = createServer((request, response) => void answer(request, response))
  const remedy = 'choose another HEADCOUNT_HEALTH_PORT'
  const taken = await listenOn(server, { host, port }, { who: 'the health endpoint ', remedy })
  return {
    url: `http://${host}:${taken}/healthz`,
    [Symbol.asyncDispose]: async () => {
      const closed = once(server, 'close')
      server.close()
      server.closeAllConnections()
      await closed
    },
  }
}
