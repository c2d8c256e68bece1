/** One request under way: its head as soon as it is there, its body chunk by chunk, and what breaks it off. */
import type { Dispatcher } from 'undici'
import type { Headers } from './headers.ts'

/** So many bytes wait for the reader; above them the service waits. */
const MAX_BUFFERED_BYTES = 64 * 1024

/** What an answer begins with. */
export interface ResponseHead {
  readonly status: number
  readonly headers: Headers
}

/**
 * undici's handler of a request, which it tells what comes. Its own `request` makes a stream of each body, and of each
 * signal listeners: for a body of some kilobytes that took longer than to receive it.
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

  /** Rejects with the client's error, or the reason for which it was broken off. */
  get head(): Promise<ResponseHead> {
    return this.#head.promise
  }

  /** Closes the connection unless the answer is over; whoever awaits something of it gets the reason. */
  abort(reason: Error): void {
    if (this.#isOver) return
    this.#fail(reason)
    this.#controller?.abort(reason)
  }

  /** Lets go of what is left of the body. */
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
    // It was broken off before it had a connection.
    if (this.#error !== null) controller.abort(this.#error)
  }

  onResponseStart(_controller: Dispatcher.DispatchController, status: number, headers: Headers): void {
    // 1xx comes before the answer.
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
