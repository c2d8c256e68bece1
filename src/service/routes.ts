import { Hono, type Context } from 'hono'
import type { ServedAccount, Store } from './store.ts'

type Variables = { account: ServedAccount }

/**
 * The three endpoints of the service's specification, answered from a store. `docs/service.md` lists what the
 * specification leaves open and how it is decided here.
 *
 * @param onError is told what a store threw; the client gets a 500 without particulars.
 */
export function createRoutes(store: Store, onError: (error: unknown) => void) {
  const app = new Hono<{ Variables: Variables }>()

  app.use('*', async (context, next) => {
    const key = context.req.header('X-API-Key')
    const account = key ? await store.accountOf(key) : undefined
    if (account === undefined) return refuseKey(context, key)
    context.set('account', account)
    return next()
  })

  app.get('/api/v1/ping', (context) => json(context, { email: context.get('account').email }))

  app.get('/api/v1/events', async (context) => json(context, await context.get('account').events()))

  app.get('/api/v1/events/:event_id/responses', async (context) => {
    const responses = await context.get('account').responses(context.req.param('event_id'))
    return responses === undefined
      ? fault(
          context,
          404,
          'unknown_event',
          'this account has no event with that id; GET /events lists those it has',
        )
      : json(context, responses)
  })

  for (const path of ['/api/v1/ping', '/api/v1/events', '/api/v1/events/:event_id/responses']) {
    app.all(path, (context) => {
      context.header('Allow', 'GET, HEAD')
      return fault(context, 405, 'method_not_allowed', 'this service is only read: use GET')
    })
  }

  app.notFound((context) =>
    fault(
      context,
      404,
      'unknown_path',
      'there are /ping, /events and /events/:event_id/responses below /api/v1',
    ),
  )

  app.onError((error, context) => {
    onError(error)
    return fault(context, 500, 'internal', 'the service could not answer: try again later')
  })

  return app
}

function refuseKey(context: Context, key: string | undefined): Response {
  context.header('WWW-Authenticate', 'ApiKey')
  return key
    ? fault(context, 401, 'wrong_key', 'the key in the header X-API-Key is not known')
    : fault(context, 401, 'missing_key', 'send the API key of your account in the header X-API-Key')
}

function fault(context: Context, status: 401 | 404 | 405 | 500, error: string, message: string): Response {
  return json(context, { error, message }, status)
}

function json(context: Context, value: object, status: 200 | 401 | 404 | 405 | 500 = 200): Response {
  context.header('Content-Type', 'application/json; charset=utf-8')
  // The data are one person's own: no proxy on the way may keep them.
  context.header('Cache-Control', 'no-store')
  return context.body(JSON.stringify(value), status)
}
