import { once } from 'node:events'
import { createServer } from 'node:http'
import { isIPv6 } from 'node:net'
import { listenOn } from '../common/listen.ts'

export interface HealthEndpoint extends AsyncDisposable {
  readonly url: string
}

/** Prometheus' text form. */
const METRICS_TYPE = 'text/plain; version=0.0.4; charset=utf-8'

/**
 * Answers `GET /healthz` with what `health` says: 200 or 503, the reason as JSON; and `GET /metrics` with `metricsText`, where there is one.
 *
 * @throws UsageError when the port cannot be listened on
 */
export async function serveHealth(
  { host, port }: { readonly host: string; readonly port: number },
  health: () => { readonly healthy: boolean },
  metricsText: (() => Promise<string>) | null = null,
): Promise<HealthEndpoint> {
  const [{ Hono }, { getRequestListener }] = await Promise.all([import('hono'), import('@hono/node-server')])
  const routes = new Hono().get('/healthz', (context) => {
    const current = health()
    return context.json(current, current.healthy ? 200 : 503, { 'Cache-Control': 'no-store' })
  })
  if (metricsText !== null)
    routes.get('/metrics', async (context) =>
      context.text(await metricsText(), 200, { 'Content-Type': METRICS_TYPE, 'Cache-Control': 'no-store' }),
    )
  // By default the adapter replaces the global Request and Response.
  const answer = getRequestListener(routes.fetch, { overrideGlobalObjects: false })
  const server = createServer((request, response) => void answer(request, response))
  const remedy = 'choose another HEADCOUNT_HEALTH_PORT or HEADCOUNT_HEALTH_HOST'
  const taken = await listenOn(server, { host, port }, { who: 'the health endpoint ', remedy })
  return {
    url: `http://${isIPv6(host) ? `[${host}]` : host}:${taken}/healthz`,
    [Symbol.asyncDispose]: async () => {
      const closed = once(server, 'close')
      server.close()
      server.closeAllConnections()
      await closed
    },
  }
}
