import type { HttpBindings } from '@hono/node-server'
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response'
import { Hono, type Context } from 'hono'
import { DatabaseError } from '../common/errors.ts'
import { createAdmission, type AdmittedRequest } from './http/admission.ts'
import {
  jsonResponse,
  PRIVATE_CACHE_HEADERS,
  toFetchResponse,
  sendResponse,
  type HttpResponse,
} from './http/http-response.ts'
import { createListResponder } from './lists.ts'
import { openApi } from './openapi/document.ts'
import { docsPage } from './openapi/page.ts'
import type { SendTimeout } from './http/slow-client.ts'
import { unauthorized, problem, unavailableProblem } from './problems.ts'
import { EVENTS, type Access, type ListName, type Store } from './stores/store.ts'
import { UnavailableError } from './unavailable.ts'
import { BadQueryError, parsePageRequest } from './http/pagination.ts'

/** Called by node's server there are both sides of the connection; called as a function there are not. */
type Bindings = { readonly Bindings: Partial<HttpBindings> }
type Request = Context<Bindings>

export interface RoutesOptions {
  readonly store: Store
  /** Told what went wrong while a request was answered; the client gets no particulars. */
  readonly onError: (error: unknown) => void
  /** How many bytes of bodies are kept in memory to be sent again. */
  readonly keptBytes: number
  /** How long clients may take over answers. */
  readonly sendTimeout: SendTimeout
}

/** Everything that the service answers. `docs/service.md` tells what the specification leaves open and how it is decided here. */
export function createRoutes({ store, onError, keptBytes, sendTimeout }: RoutesOptions) {
  const app = new Hono<Bindings>()
  const lists = createListResponder(keptBytes)
  const admission = createAdmission()

  /** Answers who shows a valid key, and nobody else; `list` is the one that the path asks for. */
  function authenticated(
    answer: (
      request: Request,
      found: Access,
      admitted: AdmittedRequest,
    ) => HttpResponse | Promise<HttpResponse>,
    list: (request: Request) => ListName | null = () => null,
  ) {
    return handle(async (request, held) => {
      const key = request.req.header('X-API-Key')
      const found = /* guard: no key, no question */ key ? await store.resolve(key, list(request)) : undefined
      if (found === undefined) return unauthorized
      const isWanted = () => request.env?.outgoing?.destroyed !== true
      return answer(request, found, admission.admit(found.requester, held, isWanted))
    })
  }

  /** @param answer what it holds until the answer has gone, it gives to `held` */
  function handle(answer: (request: Request, held: DisposableStack) => HttpResponse | Promise<HttpResponse>) {
    return async (request: Request): Promise<Response> => {
      using held = new DisposableStack()
      let made: HttpResponse
      try {
        made = await answer(request, held)
      } catch (error) {
        made = errorResponse(error)
      }
      return await send(request, made, held)
    }
  }

  function errorResponse(thrown: unknown): HttpResponse {
    // What ended the reading of a list; that its transaction could not be ended well follows from it.
    const error: unknown = thrown instanceof SuppressedError ? thrown.suppressed : thrown
    if (error instanceof BadQueryError) return problem('bad_query', error.message)
    if (error instanceof UnavailableError && error.cause === undefined) return unavailableProblem(error)
    onError(error)
    if (error instanceof UnavailableError) return unavailableProblem(error)
    if (error instanceof DatabaseError) {
      return unavailableProblem(
        new UnavailableError('not_ready', 'the mirror cannot be read now: try again later', 5),
      )
    }
    return problem('internal', 'the service could not answer: try again later')
  }

  async function send(
    request: Request,
    answer: HttpResponse,
    held = new DisposableStack(),
  ): Promise<Response> {
    const isHead = request.req.method === 'HEAD'
    const outgoing = request.env?.outgoing
    if (outgoing === undefined) return toFetchResponse(answer, isHead, onError, held.move())
    try {
      await sendResponse(outgoing, answer, isHead, sendTimeout)
    } catch (error) {
      onError(error)
    }
    return RESPONSE_ALREADY_SENT
  }

  const listRoute = (ids: 'text' | 'integer') =>
    async function (request: Request, { list }: Access, admitted: AdmittedRequest): Promise<HttpResponse> {
      if (!list) return unknownEvent()
      const { req } = request
      const window = parsePageRequest(req.queries(), ids)
      const headers = {
        'if-none-match': req.header('If-None-Match'),
        'cache-control': req.header('Cache-Control'),
        'accept-encoding': req.header('Accept-Encoding'),
      }
      const made = await lists.answer({
        list,
        page: window,
        isHead: req.method === 'HEAD',
        admitted,
        headers,
      })
      return made ?? unknownEvent()
    }

  const answers: readonly (readonly [string, ReturnType<typeof authenticated>])[] = [
    ['/api/v1/ping', authenticated((_, { email }) => pong(email))],
    ['/api/v1/events', authenticated(listRoute('text'), () => EVENTS)],
    [
      '/api/v1/events/:event_id/responses',
      authenticated(listRoute('integer'), (request) => request.req.param('event_id') ?? null),
    ],
  ]
  for (const [path, answer] of answers) app.get(path, answer)
  for (const [path] of answers) app.all(path, /* guard: key before methods */ authenticated(methodNotAllowed))

  // For people who open the bare address.
  app.get(
    '/',
    handle(() => ({ status: 302, headers: { Location: '/docs' }, body: null })),
  )
  app.get('/api/v1/openapi.json', handle(memoised(openApiResponse)))
  app.get('/docs', handle(memoised(docsResponse)))
  app.get(
    '/healthz',
    handle(() => statusResponse('alive')),
  )
  app.get(
    '/readyz',
    handle(async () => {
      await store.requireReady()
      return statusResponse('ready')
    }),
  )
  app.notFound(/* guard: key before paths */ authenticated(unknownPath))
  // What is thrown beside an answer; by default it is written to the console.
  app.onError((error, request) => send(request, errorResponse(error)))
  return app
}

function pong(email: string | null): HttpResponse {
  return jsonResponse(email === null ? {} : { email }, PRIVATE_CACHE_HEADERS)
}

function statusResponse(status: 'alive' | 'ready'): HttpResponse {
  return jsonResponse({ status }, { 'Cache-Control': 'no-store' })
}

/** Made once, when it is first asked for: that costs more than any answer. */
function memoised(make: () => HttpResponse): () => HttpResponse {
  let made: HttpResponse | null = null
  return () => (made ??= make())
}

function openApiResponse(): HttpResponse {
  return jsonResponse(openApi(), { 'Cache-Control': 'no-cache' })
}

function docsResponse(): HttpResponse {
  const { html, contentSecurityPolicy } = docsPage()
  const headers = {
    'Content-Type': 'text/html; charset=utf-8',
    'Content-Security-Policy': contentSecurityPolicy,
    'X-Content-Type-Options': 'nosniff',
    'Referrer-Policy': 'no-referrer',
    'Cache-Control': 'no-cache',
  }
  return { status: 200, headers, body: Buffer.from(html) }
}

function unknownEvent(): HttpResponse {
  return problem('unknown_event', 'this account has no event with that id; GET /events lists those it has')
}

function unknownPath(): HttpResponse {
  const detail = 'there are /ping, /events and /events/:event_id/responses below /api/v1'
  return problem('unknown_path', detail)
}

function methodNotAllowed(): HttpResponse {
  return problem('method_not_allowed', 'this service is only read: use GET', { Allow: 'GET, HEAD' })
}
