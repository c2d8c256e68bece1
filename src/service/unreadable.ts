/** What is answered to bytes that node cannot read as a request: there is no request to route. */
import { STATUS_CODES } from 'node:http'
import type { Duplex } from 'node:stream'
import { PROBLEM_TYPE, problems, problemText } from './problems.ts'
import type { ProblemCode } from './problems.ts'

export const MOST_HEADER_BYTES = 16 * 1024

/**
 * Answers the `clientError` of a server of node's, and ends the connection.
 *
 * @param isAnswering whether an earlier request of this connection is being answered: nothing may come between then
 */
export function answerUnreadable(error: NodeJS.ErrnoException, socket: Duplex, isAnswering: boolean): void {
  if (error.code === 'ECONNRESET' || !socket.writable || isAnswering) {
    socket.destroy()
    return
  }
  const [code, detail] = reasonOf(error)
  const { status } = problems[code]
  const body = problemText(code, detail)
  const head = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    `Content-Type: ${PROBLEM_TYPE}`,
    `Content-Length: ${Buffer.byteLength(body)}`,
    'Cache-Control: no-store',
    'Connection: close',
  ]
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`)
}

function reasonOf({ code }: NodeJS.ErrnoException): readonly [ProblemCode, string] {
  if (code === 'HPE_HEADER_OVERFLOW') {
    return ['headers_too_large', `address and headers together may have ${MOST_HEADER_BYTES} bytes`]
  }
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return ['request_timeout', 'send a request within ten seconds']
  return ['bad_request', 'send a request of HTTP/1.1 with a Host header']
}
