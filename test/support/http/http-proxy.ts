/** An HTTP proxy that opens tunnels (CONNECT) to one server, whatever name it is asked for. */
import { createServer, type IncomingMessage } from 'node:http'
import { connect, type Socket } from 'node:net'
import { createSecureServer } from 'node:http2'
import type { Certificate } from './certificate.ts'
import { listenOnLoopback } from './loopback.ts'

/** Answers one request for a tunnel by itself. */
export type Refuse = (socket: Socket) => void

export interface HttpProxy extends AsyncDisposable {
  readonly origin: string
  readonly host: string
  /** The hosts that it was asked for, each with its port, and what the client said of itself. */
  readonly asked: readonly { readonly host: string; readonly authorization: string | undefined }[]
  /** What clients sent through the tunnels. */
  readonly sent: () => string
  /** From now on no tunnel is opened, until it is called without. */
  refuse(how?: Refuse): void
}

/**
 * @param behind the server that every tunnel leads to
 * @param tls makes it speak TLS, and HTTP/2 before HTTP/1.1 where the client can
 */
export async function startHttpProxy(
  behind: { readonly origin: string },
  tls?: Certificate,
): Promise<HttpProxy> {
  const port = Number(new URL(behind.origin).port)
  const asked: HttpProxy['asked'][number][] = []
  const sent: Buffer[] = []
  const opened = new Set<Socket>()
  let refuse: Refuse | undefined
  const server = tls === undefined ? createServer() : createSecureServer({ ...tls, allowHTTP1: true })
  server.on('tlsClientError', () => {})
  server.on('connect', (request: IncomingMessage, client: Socket) => {
    client.on('error', () => {})
    asked.push({ host: request.url ?? '', authorization: request.headers['proxy-authorization'] })
    if (refuse !== undefined) {
      refuse(client)
      return
    }
    const upstream = connect(port, '127.0.0.1', () => {
      client.write('HTTP/1.1 200 Connection Established\r\n\r\n')
      client.on('data', (bytes) => sent.push(bytes))
      client.pipe(upstream).pipe(client)
    })
    opened.add(upstream)
    upstream.on('error', () => client.destroy())
    upstream.on('close', () => client.destroy())
    client.on('close', () => upstream.destroy())
  })
  const listening = await listenOnLoopback(server)
  const host = `${tls === undefined ? '127.0.0.1' : 'localhost'}:${listening.port}`
  return {
    origin: `${tls === undefined ? 'http' : 'https'}://${host}`,
    host,
    asked,
    sent: () => Buffer.concat(sent).toString('latin1'),
    refuse: (how) => (refuse = how),
    [Symbol.asyncDispose]: async () => {
      for (const socket of opened) socket.destroy()
      await listening[Symbol.asyncDispose]()
    },
  }
}

/** Answers with a status and nothing else. */
export function answer(status: number): Refuse {
  return (socket) => socket.end(`HTTP/1.1 ${status} No\r\nContent-Length: 0\r\n\r\n`)
}
