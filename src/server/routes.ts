import { Hono } from 'hono'
import { createAdmission, type AdmittedRequest } from './http/admission.ts'
import type { AnsweredKeys } from './http/access-log.ts'
import { pathBelow } from './http/mount-path.ts'
import { jsonResponse, PRIVATE_CACHE_HEADERS, type HttpResponse } from './http/http-response.ts'
import { parsePageRequest } from './http/pagination.ts'
import { createResponder, type Bindings, type Request } from './http/responder.ts'
import type { NegotiationHeaders } from './http/etag.ts'
import type { SendTimeout } from './http/slow-client.ts'
import type { Links } from './links/link-responder.ts'
import { createListResponder } from './list-responder.ts'
import { openApi } from './openapi/document.ts'
import { docsPage, type DocsPage } from './openapi/docs-page.ts'
import { problem, unauthorized } from './problems.ts'
import { EVENTS, type Access, type ListName, type Store } from './stores/store.ts'

export interface RoutesOptions {
  readonly store: Store
  /** Called with each error of a request; the client gets no details. */
  readonly onError: (error: unknown) => void
  /** The size of the cache of bodies. */
  readonly keptBytes: number
  readonly sendTimeout: SendTimeout
  /** '' or a path without a `/` at its end. */
  readonly mountPath: string
  readonly answered: AnsweredKeys
  /** null: there are none, as over an account in memory. */
  readonly links: Links | null
}

type AccountRoute = (
  request: Request,
  found: Access,
  admitted: AdmittedRequest,
) => HttpResponse | Promise<HttpResponse>

/** All routes of the service. `docs/service.md` has the decisions that the specification leaves open. */
export function createRoutes(options: RoutesOptions) {
  const { store, onError, keptBytes, sendTimeout, mountPath, answered, links } = options
  const app = new Hono<Bindings>({ getPath: pathBelow(mountPath) })
  const { handle, fail } = createResponder(onError, sendTimeout)
  const respondWithList = createListResponder(keptBytes)
  const admit = createAdmission()

  /** Requires a valid key. `list` returns the list that the path names. */
  function authenticated(answer: AccountRoute, list: (request: Request) => ListName | null = () => null) {
    return handle(async (request, held) => {
      const key = request.req.header('X-API-Key')
      const found = /* guard: no key, no question */ key ? await store.resolve(key, list(request)) : undefined
      if (found === undefined) return unauthorized
      answered.note(request.env?.outgoing, found.requester.key)
      return answer(request, found, admit(found.requester, held, isWanted(request)))
    })
  }

  const listRoute =
    (ids: 'text' | 'integer'): AccountRoute =>
    async ({ req }, { list }, admitted) => {
      if (!list) return problem('unknown_event')
      const page = parsePageRequest(req.queries(), new URL(req.url).search, ids)
      const isHead = req.method === 'HEAD'
      const answer = await respondWithList({ list, page, isHead, admitted, headers: headersOf(req) })
      return answer ?? problem('unknown_event')
    }

  const answers: readonly (readonly [string, ReturnType<typeof authenticated>])[] = [
    ['/api/v1/ping', authenticated(ping)],
    ['/api/v1/events', authenticated(listRoute('text'), () => EVENTS)],
    [
      '/api/v1/events/:event_id/responses',
      authenticated(listRoute('integer'), (request) => request.req.param('event_id') ?? null),
    ],
  ]
  for (const [path, answer] of answers) app.get(path, answer)
  for (const [path] of answers) app.all(path, /* guard: key before methods */ authenticated(methodNotAllowed))

  const link = links && handle(linkRoute(links, admit))
  if (link !== null) app.get(LINK_PATH, link).all(LINK_PATH, handle(methodNotAllowed)).all('/l/*', link)

  const requireReady = () => store.requireReady()
  for (const [path, route] of openRoutes(requireReady, mountPath))
    app.get(path, handle(route)).all(path, handle(methodNotAllowed))
  app.notFound(/* guard: key before paths */ authenticated(() => problem('unknown_path')))
  // By default Hono writes errors outside a route to the console.
  app.onError(fail)
  return app
}

const LINK_PATH = '/l/:token/:name'

/** The token alone decides; the name is for programs that look at the end of an address. */
function linkRoute(links: Links, admit: ReturnType<typeof createAdmission>) {
  return (request: Request, held: DisposableStack) =>
    links.respond({
      token: request.req.param('token') ?? '',
      headers: headersOf(request.req),
      admit: (requester) => admit(requester, held, isWanted(request)),
    })
}

/** Whether the client still waits. */
function isWanted({ env }: Request): () => boolean {
  return () => env?.outgoing?.destroyed !== true
}

/** Those that decide in which form a body is sent, and whether one is. */
function headersOf(req: Request['req']): NegotiationHeaders {
  return {
    'if-none-match': req.header('If-None-Match'),
    'accept-encoding': req.header('Accept-Encoding'),
    accept: req.header('Accept'),
  }
}

/** The routes without a key. */
function openRoutes(
  requireReady: () => Promise<void>,
  mountPath: string,
): readonly (readonly [path: string, route: (request: Request) => HttpResponse | Promise<HttpResponse>])[] {
  const document = memoised(() => openApi(mountPath))
  const page = memoised(() => docsPage(document()))
  return [
    // For people who open the bare address.
    ['/', () => ({ status: 302, headers: { Location: `${mountPath}/docs` }, body: null })],
    ['/api/v1/openapi.json', memoised(() => jsonResponse(document(), { 'Cache-Control': 'no-cache' }))],
    ['/docs', (request) => docsResponse(page(), originOf(request))],
    ['/healthz', () => statusResponse('alive')],
    ['/readyz', () => requireReady().then(() => statusResponse('ready'))],
  ]
}

function ping(_: Request, { email }: Access): HttpResponse {
  return jsonResponse(email === null ? {} : { email }, PRIVATE_CACHE_HEADERS)
}

function statusResponse(status: 'alive' | 'ready'): HttpResponse {
  return jsonResponse({ status }, { 'Cache-Control': 'no-store' })
}

function methodNotAllowed(): HttpResponse {
  return problem('method_not_allowed', { Allow: 'GET, HEAD' })
}

/** Made once, on demand: making it costs more than any other response. */
function memoised<Made>(make: () => Made): () => Made {
  let made: Made | null = null
  return () => (made ??= make())
}

/** The address by which the client has reached this server, or the proxy with TLS before it. */
function originOf({ req }: Request): string {
  const { protocol, host } = new URL(req.url)
  return `${req.header('X-Forwarded-Proto') === 'https' ? 'https:' : protocol}//${host}`
}

function docsResponse({ htmlFor, contentSecurityPolicy }: DocsPage, origin: string): HttpResponse {
  const headers = {
    'Content-Type': 'text/html; charset=utf-8',
    'Content-Security-Policy': contentSecurityPolicy,
    'X-Content-Type-Options': 'nosniff',
    'Referrer-Policy': 'no-referrer',
    'Cache-Control': 'no-cache',
  }
  return { status: 200, headers, body: Buffer.from(htmlFor(origin)) }
}
