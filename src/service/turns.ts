/**
 * The requests of a connection are answered one after the other. A client may send many ahead of their answers; were they
 * answered at once, each would keep its body in memory until its turn, however slowly the client reads.
 */
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'

/** Nobody sends more requests than these ahead of their answers; the connection is cut. */
const MOST_WAITING = 1_000

export interface Turns {
  /** Answers a request when those before it on its connection are. */
  take(request: IncomingMessage, response: ServerResponse): void
  /** Does it when everything that was asked on the connection is answered; only the first that is to be done is. */
  afterwards(connection: Duplex, last: () => void): void
  /** The last answer that is due on each connection. */
  lastAnswers(): readonly ServerResponse[]
  readonly isIdle: boolean
}

interface Line {
  /** The first is being answered. */
  readonly exchanges: { readonly request: IncomingMessage; readonly response: ServerResponse }[]
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

  function end(connection: Duplex, line: Line, response: ServerResponse): void {
    const { exchanges } = line
    const place = exchanges.findIndex((exchange) => exchange.response === response)
    exchanges.splice(place, 1)
    const [next] = exchanges
    if (next === undefined) {
      lines.delete(connection)
      line.last?.()
      onIdle()
    } else if (place === 0 && connection.writable) answer(next.request, next.response)
  }

  return {
    take(request, response) {
      const { socket } = request
      const line = lines.get(socket) ?? { exchanges: [], last: null }
      lines.set(socket, line)
      line.exchanges.push({ request, response })
      response.once('close', () => end(socket, line, response))
      if (line.exchanges.length === 1) answer(request, response)
      else if (line.exchanges.length > MOST_WAITING) socket.destroy()
    },
    afterwards(connection, last) {
      const line = lines.get(connection)
      if (line === undefined) last()
      else line.last ??= last
    },
    lastAnswers: () => [...lines.values()].flatMap(({ exchanges }) => exchanges.at(-1)?.response ?? []),
    get isIdle() {
      return lines.size === 0
    },
  }
}
