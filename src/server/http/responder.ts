/** Turns what a route answers, or throws, into what the client gets. */
import type { HttpBindings } from '@hono/node-server'
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response'
import type { Context } from 'hono'
import { DatabaseError } from '../../common/errors.ts'
import { problem, UnavailableError, unavailableProblem } from '../problems.ts'
import { sendResponse, toFetchResponse, type HttpResponse } from './http-response.ts'
import { BadQueryError } from './pagination.ts'
import type { SendTimeout } from './slow-client.ts'

/** Called by node's server there are both sides of the connection; called as a function there are not. */
export type Bindings = { readonly Bindings: Partial<HttpBindings> }
export type Request = Context<Bindings>

/** @param held until the answer has gone */
export type Route = (request: Request, held: DisposableStack) => HttpResponse | Promise<HttpResponse>

const RETRY_SOON_SECONDS = 5

/**
 * @param onError told what went wrong while a request was answered; the client gets no particulars
 * @param timeout how long clients may take over answers
 */
export function createResponder(onError: (error: unknown) => void, timeout: SendTimeout) {
  function errorResponse(thrown: unknown): HttpResponse {
    // What ended the reading of a list; that its transaction could not be ended well follows from it.
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
    return RESPONSE_ALREADY_SENT
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
    /** Answers what was thrown beside a route. */
    fail: (error: unknown, request: Request) => send(request, errorResponse(error), new DisposableStack()),
  }
}
