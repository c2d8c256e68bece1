/** The error for a status other than 200. */
import {
  InvalidResponseError,
  type HeadcountError,
  AuthenticationError,
  NotFoundError,
  UnreachableError,
} from '../../common/errors.ts'
import { type Headers, headerOf } from './headers.ts'
import { isTransientStatus } from '../retry/policy.ts'

/** A temporary error status, with the headers for the time of a retry. */
export class TransientStatusError extends UnreachableError {
  readonly status: number
  readonly retryAfter: string | null
  readonly serviceDate: string | null

  constructor(message: string, status: number, headers: Headers) {
    super(message)
    this.status = status
    this.retryAfter = headerOf(headers, 'retry-after')
    this.serviceDate = headerOf(headers, 'date')
  }
}

/**
 * @param excerpt the beginning of the body, without secrets; may be empty
 * @param keyRemedy what to do when the key is rejected
 */
export function errorForStatus(
  status: number,
  headers: Headers,
  path: string,
  excerpt: string,
  keyRemedy: string,
): HeadcountError {
  const answered = `GET ${path} was answered with ${status}${excerpt === '' ? '' : `: ${excerpt}`}`
  if (status === 401 || status === 403) {
    // The run has read the list of events with the same key.
    const ofOneEvent = path.endsWith('/responses')
      ? ' If other events are answered, the key is right: the service keeps this event from it, and knows why.'
      : ''
    return new AuthenticationError(`${answered} - ${keyRemedy}${ofOneEvent}`)
  }
  if (status === 404 || status === 410) {
    return new NotFoundError(`${answered} - there is nothing at this address.`)
  }
  if (isTransientStatus(status)) return new TransientStatusError(asSentence(answered), status, headers)
  return new InvalidResponseError(`${answered} - only 200 is an answer that can be used.`)
}

/** More may follow: the number of tries, when the service asks to come back. */
function asSentence(text: string): string {
  return /[.!?…]$/.test(text) ? text : `${text}.`
}
