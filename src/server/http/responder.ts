/** Sends the result of a route, or the problem for its error. */
import type { HttpBindings } from '@hono/node-server'
import type { Context } from 'hono'
import { DatabaseError } from '../../common/errors.ts'
import { problem, UnavailableError, unavailableProblem, RETRY_SOON_SECONDS } from '../problems.ts'
import { sendResponse, toFetchResponse, type HttpResponse } from './http-response.ts'
import { BadQueryError } from './pagination.ts'
import type { SendTimeout } from './slow-client.ts'

/** Node's request and response; absent when `fetch` was called. */
export type Bindings = { readonly Bindings: Partial<HttpBindings> }
export type Request = Context<Bindings>

/** For Hono, which makes another one of it for HEAD. */
const ALREADY_SENT = new Response(null, { headers: { 'x-already-sent': 'true' } })

/**
 * Whether a response was sent over node:http. The adapter has a mark of its own for that, and sends such a response once more where its `serve`
 * had put another `Response` in place of the global one before this module was loaded.
 */
export function isAlreadySent({ headers }: Response): boolean {
  return headers.has('x-already-sent')
}

/** @param held is disposed of when the response has been sent */
type Route = (request: Request, held: DisposableStack) => HttpResponse | Promise<HttpResponse>

/**
 * @param onError called with each error of a request; the client gets no details
 * @param timeout how long clients may take to read responses
 */
export function createResponder(onError: (error: unknown) => void, timeout: SendTimeout) {
  function errorResponse(thrown: unknown): HttpResponse {
    // The first error ended the reading of a list; the failed end of its transaction follows from it.
    const error: unknown = thrown instanceof SuppressedError ? thrown.suppressed : thrown
    if (error instanceof BadQueryError) return problem('bad_query', {}, error.message)
    if (error instanceof UnavailableError && error.cause === undefined) return unavailableProblem(error)
    onError(error)
    if (error instanceof UnavailableError) return unavailableProblem(error)
    if (error instanceof DatabaseError) {
      return unavailableProblem(new UnavailableError('not_ready', RETRY_SOON_SECONDS))
    }
    return problem('internal')
  }

  async function send(request: Request, answer: HttpResponse, held: DisposableStack): Promise<Response> {
    const isHead = request.req.method === 'HEAD'
    const outgoing = request.env?.outgoing
    if (outgoing === undefined) return toFetchResponse(answer, isHead, onError, held.move())
    try {
      await sendResponse(outgoing, answer, isHead, timeout)
    } catch (error) {
      onError(error)
    }
    return ALREADY_SENT
  }

  return {
    handle: (route: Route) => async (request: Request) => {
      using held = new DisposableStack()
      let answer: HttpResponse
      try {
        answer = await route(request, held)
      } catch (error) {
        answer = errorResponse(error)
      }
      return await send(request, answer, held)
    },
    /** Answers an error outside a route. */
    fail: (error: unknown, request: Request) => send(request, errorResponse(error), new DisposableStack()),
  }
}
