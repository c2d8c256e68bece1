/** Whether a service answers, learned from the ends of its requests. */
import {
  AuthenticationError,
  InvalidResponseError,
  NotFoundError,
  RetryLaterError,
  RunTimeoutError,
  UnreachableError,
} from '../../common/errors.ts'
import { TransientStatusError } from '../http/status.ts'

/** So many requests in a row without an answer: as many as one request is tried. */
const MAX_FAILURES = 3

/** Answers of a proxy whose service is away. */
const gatewayStatuses: ReadonlySet<number> = new Set([502, 503, 504])

export class Availability {
  /** Whether several accounts use the service: then the failures of one say nothing of it. */
  isShared = false
  #hasAnswered = false
  #failures = 0
  /** Whose requests failed since the last answer. */
  readonly #failing = new Set<object>()
  readonly #onAnswer = new Set<() => void>()

  /** False until the first answer, and after three requests in a row without one; where several accounts use it, of two of them. */
  get isAnswering(): boolean {
    // guard: failures of one account
    const isOfOne = this.isShared && this.#failing.size < 2
    return this.#hasAnswered && (isOfOne || this.#failures < MAX_FAILURES)
  }

  /** Calls back with each answer. @returns what takes the callback back */
  onAnswer(callback: () => void): () => void {
    this.#onAnswer.add(callback)
    return () => this.#onAnswer.delete(callback)
  }

  /** A request of a source has ended with a response (null) or an error. */
  onEnd(error: unknown, source: object): void {
    const status = error instanceof TransientStatusError ? error.status : null
    // Nothing is known of the end of a request that this program ended.
    if (status === null ? gotNoAnswer(error) : gatewayStatuses.has(status)) {
      this.#failures += 1
      this.#failing.add(source)
    } else if (status !== null || isResponse(error)) {
      this.#hasAnswered = true
      this.#failures = 0
      this.#failing.clear()
      for (const callback of this.#onAnswer) callback()
    }
  }
}

/** The service was out of reach; a run that had to end before, or may not wait so long, says nothing of it. */
export function gotNoAnswer(error: unknown): boolean {
  return (
    error instanceof UnreachableError &&
    !(error instanceof RunTimeoutError) &&
    !(error instanceof RetryLaterError)
  )
}

/** A permanent error status is a response too: the service was not overloaded. */
export function isResponse(error: unknown): boolean {
  if (error === null) return true
  return (
    error instanceof InvalidResponseError ||
    error instanceof NotFoundError ||
    error instanceof AuthenticationError
  )
}
