import { once } from 'node:events'
import { createServer } from 'node:http'
import { listenOn, withBrackets } from '../../common/listen.ts'

/** What is answered, as JSON: with 200, or with 503 when it is not healthy. */
export interface Verdict {
  readonly healthy: boolean
}

/** What is answered for one account. */
export interface AccountVerdicts {
  /** null: nothing is known of it here. */
  readonly of?: (account: string) => Verdict | null
  /** Why nothing is. */
  readonly noAccount?: (account: string) => string
}

const unknownHere = (account: string) => `there is no account "${account}" here`

/** Prometheus' text form. */
const METRICS_TYPE = 'text/plain; version=0.0.4; charset=utf-8'

const UNCACHED = { 'Cache-Control': 'no-store' }

/**
 * Answers `GET /healthz` with what `health` says: 200 or 503, the reason as JSON; `GET /healthz/NAME` with what `of` says of
 * an account, 404 with `noAccount` when it says null; and `GET /metrics` with `metricsText`, where there is one.
 *
 * @throws UsageError when the port cannot be listened on
 */
export async function serveHealth(
  { host, port }: { readonly host: string; readonly port: number },
  health: () => Verdict,
  metricsText: (() => Promise<string>) | null = null,
  { of = () => null, noAccount = unknownHere }: AccountVerdicts = {},
): Promise<AsyncDisposable & { readonly url: string }> {
  const [{ Hono }, { getRequestListener }] = await Promise.all([import('hono'), import('@hono/node-server')])
  const routes = new Hono()
    .get('/healthz', (context) => {
      const current = health()
      return context.json(current, current.healthy ? 200 : 503, UNCACHED)
    })
    .get('/healthz/:account', (context) => {
      const account = context.req.param('account')
      const current = of(account)
      if (current === null) return context.json({ reason: noAccount(account) }, 404, UNCACHED)
      return context.json(current, current.healthy ? 200 : 503, UNCACHED)
    })
  if (metricsText !== null)
    routes.get('/metrics', async (context) =>
      context.text(await metricsText(), 200, { 'Content-Type': METRICS_TYPE, ...UNCACHED }),
    )
  // By default the adapter replaces the global Request and Response.
  const answer = getRequestListener(routes.fetch, { overrideGlobalObjects: false })
  const server = createServer((request, response) => void answer(request, response))
  const remedy = 'choose another HEADCOUNT_HEALTH_PORT or HEADCOUNT_HEALTH_HOST'
  const taken = await listenOn(server, { host, port }, { who: 'the health endpoint ', remedy })
  return {
    url: `http://${withBrackets(host)}:${taken}/healthz`,
    [Symbol.asyncDispose]: async () => {
      const closed = once(server, 'close')
      server.close()
      server.closeAllConnections()
      await closed
    },
  }
}
