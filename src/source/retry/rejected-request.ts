/** What a request of an event does when it is rejected: 429, or 503 and when to come back. */
import { UnreachableError } from '../../common/errors.ts'

/**
 * - `queued`: the event's turn in the queue. Its first rejection closes the pause gate for all.
 * - `requeued`: it comes from the back of the queue, where its rejections sent it. They bind only itself.
 * - `unqueued`: there is no queue to go back to.
 */
export type QueueState = 'queued' | 'requeued' | 'unqueued'

/** The service rejects this list, and not the others: it is asked again when all others were. */
export class RejectedRequestError extends UnreachableError {
  /** On the clock of the source: the service asked for patience until then. */
  readonly notBefore: number
  /** Pages of the list that it did answer. */
  readonly pagesRead: number

  constructor(message: string, notBefore: number, pagesRead: number, options?: ErrorOptions) {
    super(message, options)
    this.notBefore = notBefore
    this.pagesRead = pagesRead
  }
}
