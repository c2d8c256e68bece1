/**
 * The requests of a connection are answered one after the other. A client may send many ahead of their answers; were they
 * answered at once, each would keep its body in memory until its turn, however slowly the client reads.
 */
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'

/** Nobody sends more requests than these ahead of their answers; the connection is cut. */
const MAX_BUFFERED_BYTES = 1_000
/** Of all connections: when more is sent ahead, the connection is cut on which most waits. */
const MOST_WAITING_BYTES = 16 * 1024 ** 2
/** What a request takes beside its text. */
const REQUEST_BYTES = 4 * 1024

export interface Turns {
  /** Answers a request when those before it on its connection are. */
  take(request: IncomingMessage, response: ServerResponse): void
  /** Does it when everything that was asked on the connection is answered; only the first that is to be done is. */
  afterwards(connection: Duplex, last: () => void): void
  /** The last answer that is due on each connection. */
  lastAnswers(): readonly ServerResponse[]
  readonly isIdle: boolean
}

interface Exchange {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  /** Of the request, as long as it waits. */
  readonly bytes: number
}

/** Of a connection, from its first request until it is closed. */
interface Line {
  /** The first is being answered. */
  exchanges: Exchange[]
  /** Of those that wait. */
  bytes: number
  last: (() => void) | null
}

/**
 * @param answer begins an answer
 * @param onIdle called when an answer has ended that was the last one due on its connection
 */
export function createTurns(
  answer: (request: IncomingMessage, response: ServerResponse) => void,
  onIdle: () => void,
): Turns {
  const lines = new Map<Duplex, Line>()
  let waitingBytes = 0

  function lineOf(connection: Duplex): Line {
    const known = lines.get(connection)
    if (known !== undefined) return known
    const line: Line = { exchanges: [], bytes: 0, last: null }
    lines.set(connection, line)
    connection.once('close', () => {
      drop(connection, line)
      onIdle()
    })
    return line
  }

  function drop(connection: Duplex, line: Line): void {
    lines.delete(connection)
    count(line, -line.bytes)
    line.exchanges = []
  }

  function count(line: Line, bytes: number): void {
    line.bytes += bytes
    waitingBytes += bytes
  }

  function end(connection: Duplex, line: Line, ended: Exchange): void {
    if (line.exchanges[0] !== ended) return
    line.exchanges.shift()
    const [next] = line.exchanges
    if (next === undefined) {
      line.last?.()
      onIdle()
      return
    }
    count(line, -next.bytes)
    if (connection.writable) answer(next.request, next.response)
  }

  function cutLongest(): void {
    const [longest] = [...lines].toSorted(([, a], [, b]) => b.bytes - a.bytes)
    if (longest === undefined) return
    drop(...longest)
    longest[0].destroy()
  }

  return {
    take(request, response) {
      const { socket } = request
      // What came with what it was cut for.
      if (socket.destroyed) return
      const line = lineOf(socket)
      const isFirst = line.exchanges.length === 0
      const exchange = { request, response, bytes: isFirst ? 0 : bytesOf(request) }
      line.exchanges.push(exchange)
      response.once('close', () => end(socket, line, exchange))
      if (isFirst) return answer(request, response)
      count(line, exchange.bytes)
      if (line.exchanges.length > MAX_BUFFERED_BYTES) socket.destroy()
      else if (waitingBytes > MOST_WAITING_BYTES) cutLongest()
    },
    afterwards(connection, last) {
      const line = lines.get(connection)
      if (line === undefined || line.exchanges.length === 0) last()
      else line.last ??= last
    },
    lastAnswers: () => [...lines.values()].flatMap(({ exchanges }) => exchanges.at(-1)?.response ?? []),
    get isIdle() {
      return [...lines.values()].every(({ exchanges }) => exchanges.length === 0)
    },
  }
}

function bytesOf({ rawHeaders, url }: IncomingMessage): number {
  return rawHeaders.reduce((sum, { length }) => sum + length, REQUEST_BYTES + (url?.length ?? 0))
}
