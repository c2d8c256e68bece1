/** The responses to what Node does not give as a request: bytes that it cannot parse, and CONNECT. */
import { STATUS_CODES } from 'node:http'
import type { Duplex } from 'node:stream'
import { problem, type ProblemCode } from '../problems.ts'
import { MAX_URL_CHARACTERS } from './limits.ts'

/** A connection that is closed with unread bytes may lose the response: the rest is read for so long. */
const LINGER_MS = 1_000

/** Matches a request line in the last packet. */
const longUrl = new RegExp(`^[A-Z]+ [^ \\r\\n]{${MAX_URL_CHARACTERS}}`)

interface ClientError extends NodeJS.ErrnoException {
  readonly rawPacket?: Buffer
}

/** Answers the `clientError` of a Node server, and ends the connection. No other response may be in flight on it. */
export function respondToParseError(error: ClientError, socket: Duplex): void {
  // The connection is ending already; these are its last bytes.
  if (socket.writableEnded) return
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy()
    return
  }
  endWith(socket, problemOf(error))
}

/** CONNECT asks for a tunnel, which Node gives as a bare socket. No other response may be in flight on it. */
export function rejectTunnel(socket: Duplex): void {
  // Node listens to it no more.
  socket.on('error', () => socket.destroy()).resume()
  endWith(socket, 'method_not_allowed', { Allow: 'GET, HEAD' })
}

function endWith(socket: Duplex, code: ProblemCode, more: Readonly<Record<string, string>> = {}): void {
  const { status, headers, body } = problem(code, { ...more, Connection: 'close' })
  const lines = Object.entries({ ...headers, 'Content-Length': body.length })
  const head = lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')
  socket.end(Buffer.concat([Buffer.from(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${head}\r\n`), body]))
  const cut = setTimeout(() => socket.destroy(), LINGER_MS)
  socket.once('close', () => clearTimeout(cut))
}

function problemOf({ code, rawPacket }: ClientError): ProblemCode {
  // guard: large headers
  if (code === 'HPE_HEADER_OVERFLOW') {
    return longUrl.test(rawPacket?.toString('latin1') ?? '') ? 'address_too_long' : 'headers_too_large'
  }
  return code === 'ERR_HTTP_REQUEST_TIMEOUT' ? 'request_timeout' : 'bad_request'
}
