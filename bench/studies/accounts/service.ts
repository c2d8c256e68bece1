/**
 * A service of many accounts, in a process of its own: `node service.ts <accounts> <events> <responses>`. The key of an
 * account is its number. It sends its port when it listens, and what it counted for every message.
 */
import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface ServiceCounts {
  readonly requests: number
  /** The most at once. */
  readonly open: number
  readonly connections: number
}

const [accounts = 0, events = 0, responses = 0] = process.argv.slice(2).map(Number)
const DAY_MS = 86_400_000
/** As long as a service on the same continent takes. */
const LATENCY_MS = 20
/** Of a hundred events five are to come or not long past, as in bench:requests. */
const ACTIVE_SHARE = 0.05

const started = Date.now()
let requests = 0
let open = 0
let most = 0
let connections = 0

/** The same for all accounts. */
function eventsOf(): object[] {
  const active = Math.max(1, Math.round(events * ACTIVE_SHARE))
  return Array.from({ length: events }, (_, n) => {
    const days = n < active ? 7 * (n + 1) : -(40 + 20 * n)
    const event_at = new Date(started + days * DAY_MS).toISOString()
    return { id: `event-${n}`, title: `Event ${n}`, event_type: 'rsvp', event_at }
  })
}

function responsesOf(event: string): object[] {
  return Array.from({ length: responses }, (_, n) => ({
    id: n + 1,
    name: `Guest ${n} of ${event}`,
    email: `guest${n}@example.org`,
    rsvp: n % 3 === 0 ? 'no' : 'yes',
    quantity: 1 + (n % 4),
    created_at: new Date(started - n * DAY_MS).toISOString(),
  }))
}

function answer(path: string, key: string): object | null {
  const account = Number(key.replace('key-of-account-', ''))
  if (!(account >= 0 && account < accounts)) return null
  const [, , , first, id] = path.split('/')
  if (first === 'ping') return { email: 'owner@example.org' }
  return id === undefined ? eventsOf() : responsesOf(id)
}

function send(response: ServerResponse, body: object | null): void {
  const text = JSON.stringify(body ?? { error: 'no such key' })
  response.writeHead(body === null ? 401 : 200, {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(text),
  })
  response.end(text, () => (open -= 1))
}

const server = createServer((request, response) => {
  requests += 1
  most = Math.max(most, (open += 1))
  const body = answer(request.url ?? '', String(request.headers['x-api-key']))
  setTimeout(() => send(response, body), LATENCY_MS)
})
server.on('connection', () => (connections += 1))
server.listen(0, '127.0.0.1')
await once(server, 'listening')
process.send?.((server.address() as AddressInfo).port)
process.on('message', () => {
  process.send?.({ requests, open: most, connections } satisfies ServiceCounts)
  requests = 0
  most = 0
  connections = 0
})
process.on('disconnect', () => process.exit())
