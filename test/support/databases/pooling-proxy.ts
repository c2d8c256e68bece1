/**
 * A transaction-pooling proxy before a real Postgres, as PgBouncer in `pool_mode = transaction` is one, but meaner:
 * every transaction of a client runs on another server connection than its last one, and the sessions there are
 * left as careless strangers leave them.
 *
 * As with PgBouncer, an unknown start-up parameter is refused, a server connection is closed when its client goes
 * in the middle of a transaction, and a client whose server connection breaks is told and let go.
 */
import { createServer, Socket } from 'node:net'
import { Client } from 'pg'
import { listenOnLoopback } from '../http/loopback.ts'
import {
  authenticated,
  fatal,
  idle,
  IncomingMessages,
  parameter,
  readStart,
  startCodes,
} from './postgres-messages.ts'
import type { Message } from './postgres-messages.ts'

export interface PoolingProxy extends AsyncDisposable {
  /** The same database, by way of the proxy. */
  readonly url: string
}

const MOST_SERVERS = 12
/** The start-up parameters that PgBouncer takes. */
const known: ReadonlySet<string> = new Set([
  'user',
  'database',
  'client_encoding',
  'datestyle',
  'timezone',
  'standard_conforming_strings',
  'application_name',
])
/** What others left in the sessions: who relies on session state, or on its absence, is found out. */
const leftovers = `set search_path to ''; set time zone 'Asia/Kathmandu'; set intervalstyle to sql_standard;
  set extra_float_digits to 0; set bytea_output to 'escape'; prepare stranger as select 1`

export async function startPoolingProxy(url: string): Promise<PoolingProxy> {
  const servers = new Pool(url)
  const proxy = createServer({ noDelay: true }, (socket) => void serve(socket, servers))
  const listening = await listenOnLoopback(proxy)
  const through = new URL(url)
  through.port = String(listening.port)
  // Authentication is between the proxy and the server.
  through.password = 'anything'
  return {
    url: through.href,
    [Symbol.asyncDispose]: async () => {
      servers.close()
      await listening[Symbol.asyncDispose]()
    },
  }
}

/** A connection to Postgres, logged in; it works for one client at a time. */
interface Server {
  readonly socket: Socket
  /** Who is told what it answers, and that it broke; null while it is idle. */
  client: { readonly answer: (message: Message) => void; readonly lost: () => void } | null
}

/** The server connections, the one that rested longest first. */
class Pool {
  readonly #url: string
  readonly #idle: Server[] = []
  readonly #all = new Set<Server>()
  readonly #waiting: (() => void)[] = []
  #opening = 0

  constructor(url: string) {
    this.#url = url
  }

  /** An idle connection other than `last`; waits for one when all are in transactions. */
  async take(last: Server | null): Promise<Server> {
    for (;;) {
      const server = this.#idle.find((candidate) => candidate !== last)
      if (server !== undefined) {
        this.#idle.splice(this.#idle.indexOf(server), 1)
        return server
      }
      if (this.#all.size + this.#opening < MOST_SERVERS) await this.#open()
      else await new Promise<void>((resolve) => this.#waiting.push(resolve))
    }
  }

  giveBack(server: Server): void {
    server.client = null
    if (this.#all.has(server)) this.#idle.push(server)
    for (const resume of this.#waiting.splice(0)) resume()
  }

  close(): void {
    for (const { socket } of this.#all) socket.destroy()
  }

  /** pg logs in; then the socket is ours. */
  async #open(): Promise<void> {
    this.#opening += 1
    const socket = new Socket()
    try {
      const client = new Client({ connectionString: this.#url, stream: () => socket })
      await client.connect()
      await client.query(leftovers)
    } finally {
      this.#opening -= 1
    }
    for (const event of ['data', 'error', 'close', 'end']) socket.removeAllListeners(event)
    const server: Server = { socket, client: null }
    socket.on('error', () => {})
    this.#all.add(server)
    this.#idle.push(server)
    void this.#handBack(server)
  }

  /** Gives what the server answers to its client, until the connection ends. */
  async #handBack(server: Server): Promise<void> {
    const messages = new IncomingMessages(server.socket)
    for (let one = await messages.next(); one !== null; one = await messages.next())
      server.client?.answer(one)
    server.socket.destroy()
    this.#all.delete(server)
    const at = this.#idle.indexOf(server)
    if (at >= 0) this.#idle.splice(at, 1)
    server.client?.lost()
    this.giveBack(server)
  }
}

/** One client, from its first byte to its last. */
async function serve(client: Socket, pool: Pool): Promise<void> {
  const messages = new IncomingMessages(client)
  if (!(await begin(client, messages))) return void client.end()
  let server: Server | null = null
  let last: Server | null = null
  /** Answers "ready" that are still to come. */
  let expected = 0
  const link: Server['client'] = {
    answer: (message) => {
      client.write(message.whole)
      if (message.type !== 'Z') return
      expected -= 1
      if (expected > 0 || message.body.toString() !== 'I' || server === null) return
      // The transaction is over: its connection is anyone's.
      last = server
      server = null
      pool.giveBack(last)
    },
    lost: () => {
      server = null
      client.destroySoon()
    },
  }
  for (let one = await messages.next(); one !== null && one.type !== 'X'; one = await messages.next()) {
    server ??= await pool.take(last)
    server.client = link
    if (one.type === 'Q' || one.type === 'S' || one.type === 'F') expected += 1
    server.socket.write(one.whole)
  }
  // In the middle of a transaction only the end of the connection is sure to roll it back.
  server?.socket.destroy()
  client.end()
}

/** Whether the client may go on; it may first ask for encryption, which there is none of. */
async function begin(client: Socket, messages: IncomingMessages): Promise<boolean> {
  for (;;) {
    const message = await messages.next(false)
    if (message === null) return false
    const { code, parameters } = readStart(message)
    if (code === startCodes.tls || code === startCodes.gss) {
      client.write('N')
      continue
    }
    // A cancel request is let fall, as if it came too late.
    if (code !== startCodes.version3) return false
    const unknown = [...parameters.keys()].find((name) => !known.has(name))
    if (unknown !== undefined) {
      client.write(fatal('08P01', `unsupported startup parameter: ${unknown}`))
      return false
    }
    const said = [parameter('server_version', '18.0'), parameter('client_encoding', 'UTF8')]
    client.write(Buffer.concat([authenticated, ...said, idle]))
    return true
  }
}
