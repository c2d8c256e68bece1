import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { LivingEvent } from './life.ts'
import { changesUntil, listedAt } from './ticks.ts'

/** A service whose account moves on with the simulated time; it notes whose responses were asked for. */
export interface LivingService extends AsyncDisposable {
  readonly baseUrl: string
  /** Sets the simulated time, and forgets what was asked. */
  moveTo(now: number): void
  /** Events whose responses were asked for since then, ascending, and all requests. */
  asked(): { readonly read: readonly string[]; readonly requests: number }
}

/** `origin`: what the wall clock shows all the time; when an event takes place is told as seen from there. */
export async function startLivingService(
  events: readonly LivingEvent[],
  origin: number,
): Promise<LivingService> {
  const byId = new Map(events.map((event) => [event.id, event]))
  let now = 0
  let requests = 0
  let read: string[] = []

  function answer(path: string): unknown {
    if (path === '/api/v1/ping') return { email: 'owner@example.org' }
    if (path === '/api/v1/events') return listedAt(events, now).map((event) => eventItem(event, origin - now))
    const event = byId.get(/^\/api\/v1\/events\/([\w-]+)\/responses$/.exec(path)?.[1] ?? '')
    if (event === undefined) return null
    read.push(event.id)
    return [responseItem(changesUntil(event, now))]
  }

  const server = createServer((request, response) => {
    requests += 1
    const body = answer(request.url ?? '')
    response.writeHead(body === null ? 404 : 200, { 'Content-Type': 'application/json' })
    response.end(JSON.stringify(body))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    baseUrl: `http://127.0.0.1:${port}/api/v1`,
    moveTo: (moment) => {
      now = moment
      requests = 0
      read = []
    },
    asked: () => ({ read: read.toSorted(), requests }),
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

function eventItem({ id, at }: LivingEvent, origin: number): object {
  return { id, title: id, event_at: `${new Date(origin + at).toISOString().slice(0, 19)}Z` }
}

/** One response, of which each change makes another. */
function responseItem(changes: number): object {
  const moment = '2026-01-01T00:00:00Z'
  return { id: 1, name: 'Ada', rsvp: 'yes', quantity: changes, created_at: moment, updated_at: moment }
}
