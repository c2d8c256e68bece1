/**
 * One deadline for a whole request, from the first byte sent to the last byte received. A limit on pauses between chunks
 * would not end a slow drip. The deadline grows with the bytes received, so that a large list can finish.
 */
import { UnreachableError } from '../../common/errors.ts'
import { optionName } from '../../common/options/option-names.ts'
import { onAbort, MAX_TIMER_MS } from '../../common/abort.ts'

const BYTES_PER_SECOND = 256 * 1024

export class RequestTimeout implements Disposable {
  readonly #expired: (bytes: number) => Error
  readonly #leaveLifetime: () => void
  #due: number
  #bytes = 0
  #waits = 0
  #timer: NodeJS.Timeout | undefined
  #reason: Error | null = null
  #stop: (reason: Error) => void = () => {}

  /**
   * @param lifetime of the source: the request ends with it, with the same reason
   * @param expired creates the error, from the number of bytes received
   */
  constructor(lifetime: AbortSignal, timeoutMs: number, expired: (bytes: number) => Error) {
    this.#expired = expired
    this.#due = performance.now() + timeoutMs
    this.#check()
    this.#leaveLifetime = onAbort(lifetime, (reason) => this.end(reason))
  }

  /** Why it has ended; null while it has not. */
  get reason(): Error | null {
    return this.#reason
  }

  /** Sets what the time-out aborts. Replaces the earlier callback. */
  onTimeout(stop: (reason: Error) => void): void {
    this.#stop = stop
    if (this.#reason !== null) stop(this.#reason)
  }

  /** Adds one second for every 256 KiB received over the wire. */
  extendFor(bytes: number): void {
    this.#bytes += bytes
    this.#due += (bytes / BYTES_PER_SECOND) * 1000
  }

  /** Stops the clock while something other than the service is awaited. */
  async pauseWhile<T>(wait: Promise<T>): Promise<T> {
    const since = performance.now()
    this.#waits += 1
    clearTimeout(this.#timer)
    try {
      return await wait
    } finally {
      this.#waits -= 1
      this.#due += performance.now() - since
      this.#check()
    }
  }

  /** Ends it before its time. */
  end(reason: Error): void {
    if (this.#reason !== null) return
    clearTimeout(this.#timer)
    this.#reason = reason
    this.#stop(reason)
  }

  [Symbol.dispose](): void {
    this.#waits = Infinity
    clearTimeout(this.#timer)
    this.#leaveLifetime()
  }

  #check(): void {
    if (this.#waits > 0 || this.#reason !== null) return
    const left = this.#due - performance.now()
    // guard: deadline
    if (left <= 0) return this.end(this.#expired(this.#bytes))
    this.#timer = setTimeout(() => this.#check(), Math.min(Math.ceil(left), MAX_TIMER_MS))
  }
}

/** A request timed out: perhaps there are too many concurrent requests. */
export class RequestTimeoutError extends UnreachableError {}

/** @param proxy the HTTP proxy through which there was no connection at all */
export function noConnectionError(timeoutMs: number, path: string, proxy: string): RequestTimeoutError {
  return new RequestTimeoutError(
    `GET ${path} failed: there was no connection through the proxy ${proxy} within ${timeoutMs / 1000} s. ` +
      `Check ${optionName('proxy')}, and whether the proxy reaches the service; ${optionName('requestTimeoutMs')} allows for more time.`,
  )
}

/** @param bytes how much of the body came */
export function requestTimeoutError(timeoutMs: number, path: string, bytes: number): RequestTimeoutError {
  return new RequestTimeoutError(
    `GET ${path}: no whole answer within ${timeoutMs / 1000} s (and 1 s more for every 256 KiB of body); ` +
      `${bytes} bytes came. Is the service overloaded? ${optionName('requestTimeoutMs')} allows for more time.`,
  )
}
