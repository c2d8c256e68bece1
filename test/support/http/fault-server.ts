/**
 * A peer on a real socket that answers HTTP, well or badly, as a test says for each request: by itself, or with
 * the answers of a real service behind it (`upstream`).
 */
import { once } from 'node:events'
import { request as httpRequest } from 'node:http'
import { createServer, type Socket } from 'node:net'
import { setImmediate, setTimeout } from 'node:timers/promises'
import { createServer as createTlsServer } from 'node:tls'
import { listenOnLoopback } from './loopback.ts'

export interface SeenRequest {
  readonly method: string
  readonly path: string
  /** By lower-case name. */
  readonly headers: Readonly<Record<string, string>>
  /** Which connection it came on, from 1. */
  readonly connection: number
  /** On the clock of performance.now(), in ms. */
  readonly at: number
}

export interface Answer {
  readonly status?: number
  readonly headers?: Readonly<Record<string, string | readonly string[]>>
  /** Bytes and text as they are, anything else as JSON. */
  readonly body?: unknown
}

export type Answering = Answer | ((request: SeenRequest) => Answer | Promise<Answer>)

/** What happens to one request; the socket may be written to, reset, or left alone. */
export type Step = (socket: Socket, request: SeenRequest) => void | Promise<void>

export interface FaultServer extends AsyncDisposable {
  readonly origin: string
  /** The origin with `/api/v1`. */
  readonly baseUrl: URL
  readonly requests: readonly SeenRequest[]
  /** How many connections were made. */
  readonly connections: number
  /** For the next requests, in order, whatever their path. */
  next(...steps: readonly Step[]): void
  /** For the next requests to a path below the base address, such as `/events`; before those of `next`. */
  at(path: string, ...steps: readonly Step[]): void
  /** For every request that nothing else was said about; without it: 404. */
  always(step: Step): void
}

export async function startFaultServer(
  options: { readonly tls?: { readonly key: string; readonly cert: string } } = {},
): Promise<FaultServer> {
  const requests: SeenRequest[] = []
  const planned: Step[] = []
  const plannedAt = new Map<string, Step[]>()
  let otherwise: Step = send({ status: 404, body: { error: 'nothing was planned here' } })
  let connections = 0

  const serve = (socket: Socket): void => {
    connections += 1
    const connection = connections
    socket.setNoDelay(true)
    socket.on('error', () => {})
    let text = ''
    socket.on('data', (piece: Buffer) => {
      text += piece.toString('latin1')
      for (let end = text.indexOf('\r\n\r\n'); end >= 0; end = text.indexOf('\r\n\r\n')) {
        const request = readHead(text.slice(0, end), connection)
        text = text.slice(end + 4)
        requests.push(request)
        const step = plannedAt.get(request.path)?.shift() ?? planned.shift() ?? otherwise
        void Promise.resolve(step(socket, request)).catch(() => socket.destroy())
      }
    })
  }
  const server = options.tls === undefined ? createServer(serve) : createTlsServer(options.tls, serve)
  // A client that refuses the certificate breaks off: that is what such a test is about.
  server.on('tlsClientError', () => {})
  const listening = await listenOnLoopback(server)
  const origin = `${options.tls === undefined ? 'http' : 'https'}://127.0.0.1:${listening.port}`
  return {
    origin,
    baseUrl: new URL(`${origin}/api/v1`),
    requests,
    get connections() {
      return connections
    },
    next: (...steps) => void planned.push(...steps),
    at: (path, ...steps) => void plannedAt.set(`/api/v1${path}`, [...steps]),
    always: (step) => {
      otherwise = step
    },
    [Symbol.asyncDispose]: () => listening[Symbol.asyncDispose](),
  }
}

function readHead(head: string, connection: number): SeenRequest {
  const [first = '', ...lines] = head.split('\r\n')
  const [method = '', path = ''] = first.split(' ')
  const headers = lines.map((line) => [
    line.slice(0, line.indexOf(':')).toLowerCase(),
    line.slice(line.indexOf(':') + 1).trim(),
  ])
  return { method, path, headers: Object.fromEntries(headers), connection, at: performance.now() }
}

/** How a body goes over the wire; the head has no framing headers yet. */
type Sending = (socket: Socket, head: string, body: Buffer) => void | Promise<void>

/** Answers, in the way given: whole unless said otherwise. */
export function send(answering: Answering, sending: Sending = whole): Step {
  return async (socket, request) => {
    const {
      status = 200,
      headers = {},
      body,
    } = await (typeof answering === 'function' ? answering(request) : answering)
    const all: Record<string, string | readonly string[]> = { 'Content-Type': 'application/json', ...headers }
    const lines = Object.entries(all).flatMap(([name, value]) =>
      [value].flat().map((one) => `${name}: ${one}\r\n`),
    )
    await sending(socket, `HTTP/1.1 ${status} Status\r\n${lines.join('')}`, bytesOf(body))
  }
}

/** A list with Content-Length. */
export function list(items: readonly unknown[], headers: Answer['headers'] = {}): Step {
  return send({ body: items, headers })
}

/** These very bytes, and the end of the connection. */
export function raw(bytes: string): Step {
  return (socket) => void socket.end(bytes, 'latin1')
}

/** The answers of a real service; faults are then a matter of the sending. */
export function upstream(origin: string): (request: SeenRequest) => Promise<Answer> {
  return async ({ method, path, headers }) => {
    const sent = httpRequest(origin + path, { method, headers: { ...headers, connection: 'close' } })
    sent.end()
    const [response] = (await once(sent, 'response')) as [import('node:http').IncomingMessage]
    const pieces: Buffer[] = []
    for await (const piece of response) pieces.push(piece)
    const framing = new Set(['content-length', 'transfer-encoding', 'connection', 'keep-alive'])
    const kept = Object.entries(response.headersDistinct).filter(([name]) => !framing.has(name))
    return {
      status: response.statusCode ?? 0,
      headers: Object.fromEntries(kept.map(([name, values]) => [name, values ?? []])),
      body: Buffer.concat(pieces),
    }
  }
}

function bytesOf(body: unknown): Buffer {
  if (Buffer.isBuffer(body)) return body
  return Buffer.from(typeof body === 'string' ? body : body === undefined ? '' : JSON.stringify(body))
}

export const whole: Sending = (socket, head, body) => {
  socket.write(Buffer.concat([Buffer.from(`${head}Content-Length: ${body.length}\r\n\r\n`), body]))
}

export const chunked: Sending = (socket, head, body) => {
  socket.write(`${head}Transfer-Encoding: chunked\r\n\r\n`)
  socket.write(chunk(body.subarray(0, Math.ceil(body.length / 2))))
  socket.write(chunk(body.subarray(Math.ceil(body.length / 2))))
  socket.write('0\r\n\r\n')
}

/** Neither Content-Length nor chunks: the end of the connection is the end of the body. */
export const untilClose: Sending = (socket, head, body) => {
  socket.write(`${head}Connection: close\r\n\r\n`)
  socket.end(body)
}

/** The same, but only half of the body arrives. */
export const untilCloseHalf: Sending = (socket, head, body) => untilClose(socket, head, half(body))

/** Each byte in a packet of its own, so that characters and tokens are torn apart. */
export const oneByteSlices: Sending = async (socket, head, body) => {
  socket.write(`${head}Content-Length: ${body.length}\r\n\r\n`)
  for (const byte of body) {
    socket.write(Buffer.from([byte]))
    await setImmediate()
  }
}

/** The connection ends in good order before Content-Length is reached. */
export const cutShort: Sending = (socket, head, body) => {
  socket.write(`${head}Content-Length: ${body.length}\r\n\r\n`)
  socket.end(half(body))
}

/** The whole body, but the connection ends before the last chunk, which is the end mark. */
export const withoutLastChunk: Sending = (socket, head, body) => {
  socket.write(`${head}Transfer-Encoding: chunked\r\n\r\n`)
  socket.end(chunk(body))
}

export const resetInBody: Sending = async (socket, head, body) => {
  socket.write(`${head}Content-Length: ${body.length}\r\n\r\n`)
  socket.write(half(body))
  await setTimeout(20)
  socket.resetAndDestroy()
}

/** One byte every so many ms, for as long as the client listens. */
export function drip(everyMs: number): Sending {
  return async (socket, head, body) => {
    socket.write(`${head}Content-Length: ${body.length}\r\n\r\n`)
    for (const byte of body) {
      if (socket.destroyed) return
      socket.write(Buffer.from([byte]))
      await setTimeout(everyMs)
    }
  }
}

/** The connection is reset before any answer. */
export const resetBeforeHeaders: Step = (socket) => void socket.resetAndDestroy()

/** The connection is closed in good order before any answer, as a peer does that no longer keeps it alive. */
export const closeBeforeHeaders: Step = (socket) => void socket.end()

/** No answer ever comes. */
export const silence: Step = () => {}

export { freePort as closedPort } from './free-port.ts'

function half(body: Buffer): Buffer {
  return body.subarray(0, Math.floor(body.length / 2))
}

function chunk(bytes: Buffer): Buffer {
  return Buffer.concat([Buffer.from(`${bytes.length.toString(16)}\r\n`), bytes, Buffer.from('\r\n')])
}
