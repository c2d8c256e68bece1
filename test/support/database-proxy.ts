/** Between a run and its Postgres: hands everything on, but for one answer. */
import { once } from 'node:events'
import { connect, createServer } from 'node:net'
import type { AddressInfo, Socket } from 'node:net'

export interface FailingProxy extends AsyncDisposable {
  /** The same database, by way of the proxy. */
  readonly url: string
  /** How many connections were cut so far. */
  readonly cut: number
}

/**
 * Cuts one connection at the COMMIT of the first transaction that had this text in a statement: the server
 * commits, and the answer never arrives.
 */
export async function startFailingProxy(url: string, statement: string): Promise<FailingProxy> {
  const target = new URL(url)
  const sockets = new Set<Socket>()
  let cut = 0
  const proxy = createServer((client) => {
    const server = connect(Number(target.port), target.hostname)
    for (const socket of [client, server]) {
      sockets.add(socket)
      socket.on('error', () => {})
    }
    let isMeant = false
    let isCommitting = false
    client.on('data', (piece) => {
      const text = piece.toString('latin1')
      isMeant ||= cut === 0 && text.includes(statement)
      isCommitting ||= isMeant && /\0commit\0/i.test(text)
      server.write(piece)
    })
    server.on('data', (piece) => {
      if (!isCommitting) return client.write(piece)
      // The server has answered: it has committed.
      cut += 1
      client.destroy()
      return server.destroy()
    })
    client.on('close', () => server.destroy())
    server.on('close', () => client.destroy())
  })
  proxy.listen(0, '127.0.0.1')
  await once(proxy, 'listening')
  const through = new URL(url)
  through.port = String((proxy.address() as AddressInfo).port)
  return {
    url: through.href,
    get cut() {
      return cut
    },
    [Symbol.asyncDispose]: async () => {
      for (const socket of sockets) socket.destroy()
      proxy.close()
      await once(proxy, 'close')
    },
  }
}
