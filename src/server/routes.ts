import type { HttpBindings } from '@hono/node-server'
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response'
import { Hono, type Context } from 'hono'
import { DatabaseError } from '../common/errors.ts'
import { createAdmission, type Admitted } from './http/admission.ts'
import { jsonAnswer, OWN_DATA, responseOf, sendAnswer, type Answer } from './http/http-response.ts'
import { createLists } from './lists.ts'
import { openApi } from './openapi/document.ts'
import { docsPage } from './openapi/page.ts'
import type { Pace } from './http/slow-client.ts'
import { keyRefused, problem, unavailable } from './problems.ts'
import { EVENTS, type Found, type ListName, type Store } from './stores/store.ts'
import { UnavailableError } from './unavailable.ts'
import { BadQueryError, readWindow } from './http/pagination.ts'

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
  readonly pace: Pace
}

/** Everything that the service answers. `docs/service.md` tells what the specification leaves open and how it is decided here. */
export function createRoutes({ store, onError, keptBytes, pace }: RoutesOptions) {
  const app = new Hono<Bindings>()
  const lists = createLists(keptBytes)
  const admission = createAdmission()

  /** Answers who shows a valid key, and nobody else; `list` is the one that the path asks for. */
  function keyed(
    answer: (request: Request, found: Found, admitted: Admitted) => Answer | Promise<Answer>,
    list: (request: Request) => ListName | null = () => null,
  ) {
    return open(async (request, held) => {
      const key = request.req.header('X-API-Key')
      const found = key ? await store.find(key, list(request)) : undefined
      if (found === undefined) return keyRefused
      const isWanted = () => request.env?.outgoing?.destroyed !== true
      return answer(request, found, admission.admit(found.holder, held, isWanted))
    })
  }

  /** @param answer what it holds until the answer has gone, it gives to `held` */
  function open(answer: (request: Request, held: DisposableStack) => Answer | Promise<Answer>) {
    return async (request: Request): Promise<Response> => {
      using held = new DisposableStack()
      let made: Answer
      try {
        made = await answer(request, held)
      } catch (error) {
        made = failed(error)
      }
      return await give(request, made, held)
    }
  }

  function failed(thrown: unknown): Answer {
    // What ended the reading of a list; that its transaction could not be ended well follows from it.
    const error: unknown = thrown instanceof SuppressedError ? thrown.suppressed : thrown
    if (error instanceof BadQueryError) return problem('bad_query', error.message)
    if (error instanceof UnavailableError && error.cause === undefined) return unavailable(error)
    onError(error)
    if (error instanceof UnavailableError) return unavailable(error)
    if (error instanceof DatabaseError) {
      return unavailable(
        new UnavailableError('not_ready', 'the mirror cannot be read now: try again later', 5),
      )
    }
    return problem('internal', 'the service could not answer: try again later')
  }

  async function give(request: Request, answer: Answer, held = new DisposableStack()): Promise<Response> {
    const isHead = request.req.method === 'HEAD'
    const outgoing = request.env?.outgoing
    if (outgoing === undefined) return responseOf(answer, isHead, onError, held.move())
    try {
      await sendAnswer(outgoing, answer, isHead, pace)
    } catch (error) {
      onError(error)
    }
    return RESPONSE_ALREADY_SENT
  }

  const listOf = (ids: 'text' | 'integer') =>
    async function (request: Request, { list }: Found, admitted: Admitted): Promise<Answer> {
      if (!list) return unknownEvent()
      const { req } = request
      const window = readWindow(req.queries(), ids)
      const headers = {
        'if-none-match': req.header('If-None-Match'),
        'cache-control': req.header('Cache-Control'),
        'accept-encoding': req.header('Accept-Encoding'),
      }
      const made = await lists.answer({ list, window, isHead: req.method === 'HEAD', admitted, headers })
      return made ?? unknownEvent()
    }

  const answers: readonly (readonly [string, ReturnType<typeof keyed>])[] = [
    ['/api/v1/ping', keyed((_, { email }) => pong(email))],
    ['/api/v1/events', keyed(listOf('text'), () => EVENTS)],
    [
      '/api/v1/events/:event_id/responses',
      keyed(listOf('integer'), (request) => request.req.param('event_id') ?? null),
    ],
  ]
  for (const [path, answer] of answers) app.get(path, answer)
  for (const [path] of answers) app.all(path, keyed(methodNotAllowed))

  // For people who open the bare address.
  app.get(
    '/',
    open(() => ({ status: 302, headers: { Location: '/docs' }, body: null })),
  )
  app.get('/api/v1/openapi.json', open(once(describe)))
  app.get('/docs', open(once(page)))
  app.get(
    '/healthz',
    open(() => state('alive')),
  )
  app.get(
    '/readyz',
    open(async () => {
      await store.requireReady()
      return state('ready')
    }),
  )
  app.notFound(keyed(unknownPath))
  // What is thrown beside an answer; by default it is written to the console.
  app.onError((error, request) => give(request, failed(error)))
  return app
}

function pong(email: string | null): Answer {
  return jsonAnswer(email === null ? {} : { email }, OWN_DATA)
}

function state(status: 'alive' | 'ready'): Answer {
  return jsonAnswer({ status }, { 'Cache-Control': 'no-store' })
}

/** Made once, when it is first asked for: that costs more than any answer. */
function once(make: () => Answer): () => Answer {
  let made: Answer | null = null
  return () => (made ??= make())
}

function describe(): Answer {
  return jsonAnswer(openApi(), { 'Cache-Control': 'no-cache' })
}

function page(): Answer {
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

function unknownEvent(): Answer {
  return problem('unknown_event', 'this account has no event with that id; GET /events lists those it has')
}

function unknownPath(): Answer {
  const detail = 'there are /ping, /events and /events/:event_id/responses below /api/v1'
  return problem('unknown_path', detail)
}

function methodNotAllowed(): Answer {
  return problem('method_not_allowed', 'this service is only read: use GET', { Allow: 'GET, HEAD' })
}
