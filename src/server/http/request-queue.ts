/**
 * Answers the pipelined requests of a connection one after the other. Otherwise the bodies of all responses would wait
 * in memory behind the first one, however slowly the client reads.
 */
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'

/** Of a connection; with more pipelined requests it is closed. */
const MAX_WAITING = 1_000
/** Of all connections; beyond it the connection with the most waiting bytes is closed. */
const MAX_WAITING_BYTES = 16 * 1024 ** 2
/** The memory of a request besides its text. */
const REQUEST_BYTES = 4 * 1024

interface QueuedRequest {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  /** While the request waits; 0 for one that is answered at once. */
  readonly bytes: number
}

interface ConnectionQueue {
  /** The first one is being answered. */
  requests: QueuedRequest[]
  waitingBytes: number
  onDrained: (() => void) | null
}

export class ConnectionQueues {
  readonly #queues = new Map<Duplex, ConnectionQueue>()
  readonly #answer: (request: IncomingMessage, response: ServerResponse) => void
  readonly #onIdle: () => void
  #waitingBytes = 0

  /**
   * @param answer starts a response
   * @param onIdle called after the last response on a connection
   */
  constructor(answer: (request: IncomingMessage, response: ServerResponse) => void, onIdle: () => void) {
    this.#answer = answer
    this.#onIdle = onIdle
  }

  /** Answers a request after the earlier ones of its connection. */
  enqueue(request: IncomingMessage, response: ServerResponse): void {
    const { socket } = request
    // The connection was closed because of an earlier request.
    if (socket.destroyed) return
    const queue = this.#queueOf(socket)
    const isFirst = queue.requests.length === 0
    const exchange = { request, response, bytes: isFirst ? 0 : bytesOf(request) }
    queue.requests.push(exchange)
    response.once('close', () => this.#end(socket, queue, exchange))
    if (isFirst) return this.#answer(request, response)
    this.#count(queue, exchange.bytes)
    if (queue.requests.length > MAX_WAITING) socket.destroy()
    // guard: sent ahead together
    else if (this.#waitingBytes > MAX_WAITING_BYTES) this.#cutLongestQueue()
  }

  /** Calls `last` after the last response on the connection; of several calls only the first counts. */
  onDrained(connection: Duplex, last: () => void): void {
    const queue = this.#queues.get(connection)
    if (queue === undefined || queue.requests.length === 0) last()
    else queue.onDrained ??= last
  }

  /** Whether a request of the connection is not answered to its end. */
  isBusy(connection: Duplex): boolean {
    return (this.#queues.get(connection)?.requests.length ?? 0) > 0
  }

  /** The last response of each connection. */
  lastResponses(): readonly ServerResponse[] {
    return [...this.#queues.values()].flatMap(({ requests }) => requests.at(-1)?.response ?? [])
  }

  get isIdle(): boolean {
    return [...this.#queues.values()].every(({ requests }) => requests.length === 0)
  }

  #queueOf(connection: Duplex): ConnectionQueue {
    const known = this.#queues.get(connection)
    // guard: one answer at a time
    if (known !== undefined) return known
    const queue: ConnectionQueue = { requests: [], waitingBytes: 0, onDrained: null }
    this.#queues.set(connection, queue)
    connection.once('close', () => {
      this.#drop(connection, queue)
      this.#onIdle()
    })
    return queue
  }

  #drop(connection: Duplex, queue: ConnectionQueue): void {
    this.#queues.delete(connection)
    this.#count(queue, -queue.waitingBytes)
    queue.requests = []
  }

  #count(queue: ConnectionQueue, bytes: number): void {
    queue.waitingBytes += bytes
    this.#waitingBytes += bytes
  }

  #end(connection: Duplex, queue: ConnectionQueue, ended: QueuedRequest): void {
    if (queue.requests[0] !== ended) return
    queue.requests.shift()
    const [next] = queue.requests
    if (next === undefined) {
      queue.onDrained?.()
      this.#onIdle()
      return
    }
    this.#count(queue, -next.bytes)
    if (connection.writable) this.#answer(next.request, next.response)
  }

  #cutLongestQueue(): void {
    const [longest] = [...this.#queues].toSorted(([, a], [, b]) => b.waitingBytes - a.waitingBytes)
    if (longest === undefined) return
    this.#drop(...longest)
    longest[0].destroy()
  }
}

function bytesOf({ rawHeaders, url }: IncomingMessage): number {
  return rawHeaders.reduce((sum, { length }) => sum + length, REQUEST_BYTES + (url?.length ?? 0))
}
