/**
 * One deadline over a whole request, from the first byte sent to the last received: a pause between two chunks
 * says nothing, for a slow drip never pauses long. It grows with what arrives, so that a large list can finish.
 */
import { UnreachableError } from '../../common/errors.ts'
import { optionName } from '../../common/option-names.ts'
import { toError, MAX_TIMER_MS } from '../../common/abort.ts'

const BYTES_PER_SECOND = 256 * 1024

/** The deadlines of all requests of a source: when its life ends, so do they, with its reason. */
export class RequestTimeouts {
  readonly #life: AbortSignal
  readonly #running = new Set<RequestTimeout>()

  constructor(lifetime: AbortSignal) {
    this.#life = lifetime
    // One listener for all: to add and remove one for each request costs more than the request's own checks.
    lifetime.addEventListener('abort', () => {
      for (const deadline of this.#running) deadline.end(toError(lifetime.reason))
    })
  }

  /** @param expired makes the reason, from the number of bytes received until then */
  start(timeoutMs: number, expired: (bytes: number) => Error): RequestTimeout {
    const deadline = new RequestTimeout(timeoutMs, expired, () => this.#running.delete(deadline))
    this.#running.add(deadline)
    if (this.#life.aborted) deadline.end(toError(this.#life.reason))
    return deadline
  }
}

/** Runs until it is disposed of. */
export class RequestTimeout implements Disposable {
  readonly #expired: (bytes: number) => Error
  readonly #forget: () => void
  #due: number
  #bytes = 0
  #waits = 0
  #timer: NodeJS.Timeout | undefined
  #reason: Error | null = null
  #stop: (reason: Error) => void = () => {}

  constructor(timeoutMs: number, expired: (bytes: number) => Error, forget: () => void) {
    this.#expired = expired
    this.#forget = forget
    this.#due = performance.now() + timeoutMs
    this.#check()
  }

  /** Why it has ended; null while it has not. */
  get reason(): Error | null {
    return this.#reason
  }

  /** Names what is broken off at its end, in place of what was named before. */
  onTimeout(stop: (reason: Error) => void): void {
    this.#stop = stop
    if (this.#reason !== null) stop(this.#reason)
  }

  /** Body bytes as they came over the wire: every 256 KiB give one second more. */
  extendFor(bytes: number): void {
    this.#bytes += bytes
    this.#due += (bytes / BYTES_PER_SECOND) * 1000
  }

  /** Awaits something that is not the service's doing; the clock stands still meanwhile. */
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
    this.#forget()
  }

  #check(): void {
    if (this.#waits > 0 || this.#reason !== null) return
    const left = this.#due - performance.now()
    // guard: deadline
    if (left <= 0) return this.end(this.#expired(this.#bytes))
    this.#timer = setTimeout(() => this.#check(), Math.min(Math.ceil(left), MAX_TIMER_MS))
  }
}

/** A request that took too long: the service may be asked for too much at once. */
export class RequestTimeoutError extends UnreachableError {}

/** @param bytes how much of the body came */
export function requestTimeoutError(timeoutMs: number, path: string, bytes: number): RequestTimeoutError {
  return new RequestTimeoutError(
    `GET ${path}: no whole answer within ${timeoutMs / 1000} s (and 1 s more for every 256 KiB of body); ` +
      `${bytes} bytes came. Is the service overloaded? ${optionName('requestTimeoutMs')} allows for more time.`,
  )
}
