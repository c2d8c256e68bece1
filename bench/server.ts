/**
 * The service that is measured against, in a process of its own: bodies made once and kept in memory, so that
 * it costs as little as a server can. Started by service.ts with the size of the account as JSON.
 */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createAccount, isChanging } from './account.ts'
import type { AccountSize, Version } from './account.ts'
import { eventsBody, responsesBody } from './bodies.ts'

/** What the process tells its parent once it listens. */
export interface Listening {
  readonly origin: string
  /** Bytes of all bodies of a run, in the original version. */
  readonly bytes: number
}

type Bodies = ReadonlyMap<string, Buffer>

const size = JSON.parse(process.argv[2] ?? '') as AccountSize
const account = createAccount(size)
const original = makeBodies()
const changed = new Map([...original, ...makeChangedBodies()])
const bodies: Readonly<Record<Version, Bodies>> = { original, changed }
let shown: Bodies = original

const server = createServer((request, response) => {
  const path = request.url ?? ''
  const [, version] = /^\/control\/(original|changed)$/.exec(path) ?? []
  if (request.method === 'POST' && (version === 'original' || version === 'changed')) {
    shown = bodies[version]
    response.writeHead(204).end()
    return
  }
  const body = shown.get(path)
  if (body === undefined) {
    response.writeHead(404).end()
    return
  }
  response.writeHead(200, {
    'Content-Type': 'application/json; charset=utf-8',
    'Content-Length': body.length,
  })
  response.end(body)
})
server.listen(0, '127.0.0.1', () => {
  const { port } = server.address() as AddressInfo
  const bytes = [...original.values()].reduce((sum, body) => sum + body.length, 0)
  const listening: Listening = { origin: `http://127.0.0.1:${port}`, bytes }
  process.send?.(listening)
})
// The parent is gone, however it ended: nobody asks any more.
process.once('disconnect', () => process.exit(0))

function makeBodies(): Bodies {
  const made = new Map([
    ['/api/v1/ping', Buffer.from('{"email":"owner@example.org"}')],
    ['/api/v1/events', eventsBody(account)],
  ])
  for (let place = 0; place < size.events; place++) {
    made.set(pathOf(place), responsesBody(account, place, 'original'))
  }
  return made
}

function* makeChangedBodies(): Generator<[string, Buffer]> {
  for (let place = 0; place < size.events; place++) {
    if (isChanging(place)) yield [pathOf(place), responsesBody(account, place, 'changed')]
  }
}

function pathOf(place: number): string {
  return `/api/v1/events/${account.event(place).id}/responses`
}
