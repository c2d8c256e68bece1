/** What happens to the event of a rejected request: 429, or 503 with `Retry-After`. */
import { UnreachableError } from '../../common/errors.ts'

/**
 * - `queued`: the first attempt of the event. Its first rejection pauses all requests.
 * - `requeued`: earlier rejections sent the event to the back of the queue. Further ones pause only the event itself.
 * - `unqueued`: the request cannot be requeued.
 */
export type QueueState = 'queued' | 'requeued' | 'unqueued'

/** The service rejects this list and answers others: it is requested again after all others. */
export class RejectedRequestError extends UnreachableError {
  /** The end of the pause that the service named, on the clock of the source. */
  readonly notBefore: number
  /** Pages of the list that were read before. */
  readonly pagesRead: number

  constructor(message: string, notBefore: number, pagesRead: number, options?: ErrorOptions) {
    super(message, options)
    this.notBefore = notBefore
    this.pagesRead = pagesRead
  }
}
