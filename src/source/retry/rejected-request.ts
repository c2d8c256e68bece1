/** What a request of an event does when it is refused: 429, or 503 and when to come back. */
import { UnreachableError } from '../../common/errors.ts'

/**
 * - `first`: the event's turn in the queue. Its first refusal closes the gate for all.
 * - `again`: it comes from the back of the queue, where its refusals sent it. They bind only itself.
 * - `only`: there is no queue to go back to.
 */
export type Turn = 'first' | 'again' | 'only'

/** The service refuses this list, and not the others: it is asked again when all others were. */
export class RefusedError extends UnreachableError {
  /** On the clock of the source: the service asked for patience until then. */
  readonly notBefore: number
  /** Pages of the list that it did answer. */
  readonly pages: number

  constructor(message: string, notBefore: number, pages: number, options?: ErrorOptions) {
    super(message, options)
    this.notBefore = notBefore
    this.pages = pages
  }
}
