/** Between a run and its Postgres: hands everything on, but for what a test wants to go wrong. */
import { once } from 'node:events'
import { connect, createServer } from 'node:net'
import type { Socket } from 'node:net'
import { listenOnLoopback } from '../http/loopback.ts'
import { fatal, IncomingMessages, message } from './postgres-messages.ts'

interface Proxy extends AsyncDisposable {
  /** The same database, by way of the proxy. */
  readonly url: string
}

export interface FailingProxy extends Proxy {
  /** How many connections were cut so far. */
  readonly cut: number
}

/**
 * Cuts one connection at the COMMIT of the first transaction that had this text in a statement: the server
 * commits, and the answer never arrives.
 */
export async function startFailingProxy(url: string, statement: string): Promise<FailingProxy> {
  let cut = 0
  const proxy = await startProxy(url, (client, server) => {
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
  })
  return {
    ...proxy,
    get cut() {
      return cut
    },
  }
}

export interface EndingProxy extends Proxy {
  /** How many connections were ended, since it was last said which are. */
  readonly ended: number
  /** Which connections are ended from now on, by their number from 1 on; null: none. */
  end(which: ((number: number) => boolean) | null): void
}

/** What a server sends that is told to stop, or one connection of which is terminated. */
const terminated = fatal('57P01', 'terminating connection due to administrator command')

/** Ends connections at the moment when they become ready: ReadyForQuery and FATAL come in one packet. */
export async function startEndingProxy(url: string): Promise<EndingProxy> {
  let isMeant: ((number: number) => boolean) | null = null
  let [seen, ended] = [0, 0]
  const proxy = await startProxy(url, (client, server) => {
    client.pipe(server)
    seen += 1
    // A connection that breaks meanwhile was not ended here.
    const handedOn = handOn(client, server, isMeant?.(seen) === true).catch(() => false)
    void handedOn.then((isEnded) => (ended += isEnded ? 1 : 0))
  })
  return {
    ...proxy,
    get ended() {
      return ended
    },
    end: (which) => {
      isMeant = which
      seen = 0
      ended = 0
    },
  }
}

/** What the server says up to its being ready, message by message; then all of it, or the end. */
async function handOn(client: Socket, server: Socket, isMeant: boolean): Promise<boolean> {
  const messages = new IncomingMessages(server)
  for (let one = await messages.next(); one !== null; one = await messages.next()) {
    const isReady = one.type === 'Z'
    if (isReady && isMeant) {
      client.end(Buffer.concat([one.whole, terminated]))
      server.destroy()
      return true
    }
    client.write(one.whole)
    if (!isReady) continue
    for await (const piece of messages.rest()) if (!client.write(piece)) await once(client, 'drain')
  }
  return false
}

export interface CountingProxy extends Proxy {
  /** Of all connections, in their order: what was sent before an answer came. That many times somebody waited for the server. */
  readonly trips: readonly string[]
}

/** Counts round trips. What overlaps on two connections may count twice. */
export async function startCountingProxy(url: string): Promise<CountingProxy> {
  const trips: string[] = []
  let isAnswered = true
  const proxy = await startProxy(url, (client, server) => {
    client.on('data', (piece) => {
      server.write(piece)
      if (piece.equals(terminate)) return
      trips.push(`${isAnswered ? '' : trips.pop()}${wordsOf(piece)}`)
      isAnswered = false
    })
    server.on('data', (piece) => {
      isAnswered = true
      client.write(piece)
    })
  })
  return { ...proxy, trips }
}

/** Nobody waits for an answer to it. */
const terminate = message('X')

/** What can be read of messages, without what begins a transaction. */
function wordsOf(piece: Buffer): string {
  const texts = piece.toString('latin1').match(/[\s!-~]{6,}/g) ?? []
  const statements = texts.map((text) => text.replaceAll(/\s+/g, ' ').trim())
  return statements.filter((text) => !/^(?:begin|set local)\b/.test(text)).join('; ')
}

/** Hands everything on, at a port that was taken before. */
export function startProxyAt(port: number, url: string): Promise<Proxy> {
  const handOnAll = (client: Socket, server: Socket) => void client.pipe(server).pipe(client)
  return startProxy(url, handOnAll, port)
}

async function startProxy(
  url: string,
  join: (client: Socket, server: Socket) => void,
  port = 0,
): Promise<Proxy> {
  const target = new URL(url)
  const proxy = createServer({ noDelay: true }, (client) => {
    const server = connect({ port: Number(target.port), host: target.hostname, noDelay: true })
    server.on('error', () => {})
    join(client, server)
    client.on('close', () => server.destroy())
    server.on('close', () => client.destroySoon())
  })
  const listening = await listenOnLoopback(proxy, port)
  const through = new URL(url)
  through.port = String(listening.port)
  return { url: through.href, [Symbol.asyncDispose]: () => listening[Symbol.asyncDispose]() }
}
