/**
 * The requests of a connection are answered one after the other. A client may send many ahead of their answers; were they
 * answered at once, each would keep its body in memory until its turn, however slowly the client reads.
 */
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'

/** Nobody sends more requests than these ahead of their answers; the connection is cut. */
const MAX_WAITING = 1_000
/** Of all connections: when more is sent ahead, the connection is cut on which most waits. */
const MAX_WAITING_BYTES = 16 * 1024 ** 2
/** What a request takes beside its text. */
const REQUEST_BYTES = 4 * 1024

export interface ConnectionQueues {
  /** Answers a request when those before it on its connection are. */
  enqueue(request: IncomingMessage, response: ServerResponse): void
  /** Does it when everything that was asked on the connection is answered; only the first that is to be done is. */
  onDrained(connection: Duplex, last: () => void): void
  /** The last answer that is due on each connection. */
  lastResponses(): readonly ServerResponse[]
  readonly isIdle: boolean
}

interface QueuedRequest {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  /** Of the request, as long as it waits. */
  readonly bytes: number
}

/** Of a connection, from its first request until it is closed. */
interface ConnectionQueue {
  /** The first is being answered. */
  requests: QueuedRequest[]
  /** Of those that wait. */
  waitingBytes: number
  onDrained: (() => void) | null
}

/**
 * @param answer begins an answer
 * @param onIdle called when an answer has ended that was the last one due on its connection
 */
export function createConnectionQueues(
  answer: (request: IncomingMessage, response: ServerResponse) => void,
  onIdle: () => void,
): ConnectionQueues {
  const queues = new Map<Duplex, ConnectionQueue>()
  let waitingBytes = 0

  function queueOf(connection: Duplex): ConnectionQueue {
    const known = queues.get(connection)
    // guard: one answer at a time
    if (known !== undefined) return known
    const queue: ConnectionQueue = { requests: [], waitingBytes: 0, onDrained: null }
    queues.set(connection, queue)
    connection.once('close', () => {
      drop(connection, queue)
      onIdle()
    })
    return queue
  }

  function drop(connection: Duplex, queue: ConnectionQueue): void {
    queues.delete(connection)
    count(queue, -queue.waitingBytes)
    queue.requests = []
  }

  function count(queue: ConnectionQueue, bytes: number): void {
    queue.waitingBytes += bytes
    waitingBytes += bytes
  }

  function end(connection: Duplex, queue: ConnectionQueue, ended: QueuedRequest): void {
    if (queue.requests[0] !== ended) return
    queue.requests.shift()
    const [next] = queue.requests
    if (next === undefined) {
      queue.onDrained?.()
      onIdle()
      return
    }
    count(queue, -next.bytes)
    if (connection.writable) answer(next.request, next.response)
  }

  function cutLongestQueue(): void {
    const [longest] = [...queues].toSorted(([, a], [, b]) => b.waitingBytes - a.waitingBytes)
    if (longest === undefined) return
    drop(...longest)
    longest[0].destroy()
  }

  return {
    enqueue(request, response) {
      const { socket } = request
      // What came with what it was cut for.
      if (socket.destroyed) return
      const queue = queueOf(socket)
      const isFirst = queue.requests.length === 0
      const exchange = { request, response, bytes: isFirst ? 0 : bytesOf(request) }
      queue.requests.push(exchange)
      response.once('close', () => end(socket, queue, exchange))
      if (isFirst) return answer(request, response)
      count(queue, exchange.bytes)
      if (queue.requests.length > MAX_WAITING) socket.destroy()
      // guard: sent ahead together
      else if (waitingBytes > MAX_WAITING_BYTES) cutLongestQueue()
    },
    onDrained(connection, last) {
      const queue = queues.get(connection)
      if (queue === undefined || queue.requests.length === 0) last()
      else queue.onDrained ??= last
    },
    lastResponses: () => [...queues.values()].flatMap(({ requests }) => requests.at(-1)?.response ?? []),
    get isIdle() {
      return [...queues.values()].every(({ requests }) => requests.length === 0)
    },
  }
}

function bytesOf({ rawHeaders, url }: IncomingMessage): number {
  return rawHeaders.reduce((sum, { length }) => sum + length, REQUEST_BYTES + (url?.length ?? 0))
}
