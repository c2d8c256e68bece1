/** The response to one request: its head, its body chunk by chunk, and its abort. */
import type { Dispatcher } from 'undici'
import type { Headers } from './headers.ts'

/** Above so many unread bytes the connection is paused. */
const MAX_BUFFERED_BYTES = 64 * 1024

/** The head of a response. */
export interface ResponseHead {
  readonly status: number
  readonly headers: Headers
}

/**
 * A handler for undici's `dispatch`. undici's `request` creates a stream for each body and listeners for each signal:
 * for a body of some kilobytes that took longer than the transfer.
 */
export class ResponseStream
  implements Dispatcher.DispatchHandler, AsyncIterable<Buffer>, AsyncIterator<Buffer>
{
  readonly #head = Promise.withResolvers<ResponseHead>()
  readonly #onBytes: (bytes: number) => void
  #controller: Dispatcher.DispatchController | null = null
  #chunks: Buffer[] = []
  #bufferedBytes = 0
  #isOver = false
  #error: Error | null = null
  #wake: () => void = () => {}

  /** @param onBytes is called with the size of each chunk that the reader takes */
  constructor(onBytes: (bytes: number) => void) {
    this.#onBytes = onBytes
  }

  /** Rejects with the client's error, or with the reason of `abort`. */
  get head(): Promise<ResponseHead> {
    return this.#head.promise
  }

  /** Whether there was a connection for the request. */
  get isSent(): boolean {
    return this.#controller !== null
  }

  /** Closes the connection unless the response is complete. Pending reads throw the reason. */
  abort(reason: Error): void {
    if (this.#isOver) return
    this.#fail(reason)
    this.#controller?.abort(reason)
  }

  /** Aborts the rest of the body. */
  discard(): void {
    if (!this.#isOver) this.abort(new Error('The rest of the answer is not wanted.'))
  }

  [Symbol.asyncIterator](): this {
    return this
  }

  async next(): Promise<IteratorResult<Buffer, undefined>> {
    for (;;) {
      const value = this.#chunks.shift()
      if (value !== undefined) return { done: false, value: this.#take(value) }
      // guard: whole body
      if (this.#error !== null) throw this.#error
      if (this.#isOver) return { done: true, value: undefined }
      await new Promise<void>((resolve) => (this.#wake = resolve))
    }
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller
    // The request was aborted before it had a connection.
    if (this.#error !== null) controller.abort(this.#error)
  }

  onResponseStart(_controller: Dispatcher.DispatchController, status: number, headers: Headers): void {
    // An informational response (1xx) precedes the final one.
    if (status >= 200) this.#head.resolve({ status, headers })
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.#isOver) return
    this.#chunks.push(chunk)
    this.#bufferedBytes += chunk.length
    if (this.#bufferedBytes >= MAX_BUFFERED_BYTES) controller.pause()
    this.#wake()
  }

  onResponseEnd(): void {
    this.#isOver = true
    this.#wake()
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    if (!this.#isOver) this.#fail(error)
  }

  #take(chunk: Buffer): Buffer {
    this.#bufferedBytes -= chunk.length
    if (this.#bufferedBytes === 0 && this.#controller?.paused === true) this.#controller.resume()
    this.#onBytes(chunk.length)
    return chunk
  }

  #fail(error: Error): void {
    this.#isOver = true
    this.#error = error
    this.#chunks = []
    this.#head.reject(error)
    this.#wake()
  }
}
