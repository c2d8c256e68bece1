/** Servers of a test on loopback, which nothing outlives. */
import { once } from 'node:events'
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net'

/** Disposed of, it breaks every connection. */
export interface LoopbackServer extends AsyncDisposable {
  readonly port: number
  /** How many connections were made. */
  readonly connections: () => number
}

/** Listens, on any free port when it is 0. A client that breaks off is no fault of the test. */
export async function listenOnLoopback(server: Server, port = 0): Promise<LoopbackServer> {
  const sockets = new Set<Socket>()
  let connections = 0
  server.on('connection', (socket: Socket) => {
    connections += 1
    sockets.add(socket)
    socket.on('error', () => {})
    socket.on('close', () => sockets.delete(socket))
  })
  server.listen(port, '127.0.0.1')
  await once(server, 'listening')
  return {
    port: (server.address() as AddressInfo).port,
    connections: () => connections,
    [Symbol.asyncDispose]: async () => {
      for (const socket of sockets) socket.destroy()
      await server[Symbol.asyncDispose]()
    },
  }
}

/** Accepts connections and says nothing. */
export function startSilentServer(): Promise<LoopbackServer> {
  return listenOnLoopback(createServer())
}
