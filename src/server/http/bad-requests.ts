/** What is answered to bytes that node cannot read as a request: there is no request to route. */
import { STATUS_CODES } from 'node:http'
import type { Duplex } from 'node:stream'
import { problem } from '../problems.ts'
import type { ProblemCode } from '../problems.ts'

export const MAX_HEADER_BYTES = 16 * 1024
export const MAX_URL_CHARACTERS = 8 * 1024

/** A connection that is closed while something of the client's is unread takes the answer with it: so long it is read. */
const LINGER_MS = 1_000

/** Of a request line; the packet is what came last. */
const longUrl = new RegExp(`^[A-Z]+ [^ \\r\\n]{${MAX_URL_CHARACTERS}}`)

interface ClientError extends NodeJS.ErrnoException {
  readonly rawPacket?: Buffer
}

/** Answers the `clientError` of a server of node's, and ends the connection. Nothing may be being answered on it. */
export function respondToParseError(error: ClientError, socket: Duplex): void {
  // It is ending, and this is what still comes.
  if (socket.writableEnded) return
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy()
    return
  }
  const [code, detail] = problemFor(error)
  const { status, headers, body } = problem(code, detail, { Connection: 'close' })
  const lines = Object.entries({ ...headers, 'Content-Length': body.length })
  const head = lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')
  socket.end(Buffer.concat([Buffer.from(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${head}\r\n`), body]))
  const cut = setTimeout(() => socket.destroy(), LINGER_MS)
  socket.once('close', () => clearTimeout(cut))
}

function problemFor({ code, rawPacket }: ClientError): readonly [ProblemCode, string] {
  // guard: large headers
  if (code === 'HPE_HEADER_OVERFLOW') {
    if (longUrl.test(rawPacket?.toString('latin1') ?? '')) {
      return ['address_too_long', `the address may have ${MAX_URL_CHARACTERS} characters`]
    }
    return ['headers_too_large', `address and headers together may have ${MAX_HEADER_BYTES} bytes`]
  }
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return ['request_timeout', 'send a request within ten seconds']
  return ['bad_request', 'send a request of HTTP/1.1']
}
