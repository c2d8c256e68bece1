import { send, startFaultServer } from '../../../test/support/http/fault-server.ts'
import type { Answer } from '../../../test/support/http/fault-server.ts'
import type { LivingEvent } from './living-account.ts'
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
  const server = await startFaultServer()
  const byId = new Map(events.map((event) => [event.id, event]))
  let [now, before] = [0, 0]
  server.always(send(({ path }) => answer(path)))

  function answer(path: string): Answer {
    if (path === '/api/v1/ping') return { body: { email: 'owner@example.org' } }
    if (path === '/api/v1/events') {
      return { body: listedAt(events, now).map((event) => eventItem(event, origin - now)) }
    }
    const event = byId.get(readIn(path))
    return event === undefined ? { status: 404 } : { body: [responseItem(changesUntil(event, now))] }
  }

  return {
    baseUrl: server.baseUrl.href,
    moveTo: (moment) => {
      now = moment
      before = server.requests.length
    },
    asked: () => {
      const paths = server.requests.slice(before).map(({ path }) => path)
      return {
        read: paths
          .map(readIn)
          .filter((id) => id !== '')
          .toSorted(),
        requests: paths.length,
      }
    },
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  }
}

/** The event whose responses a path asks for; empty for another path. */
function readIn(path: string): string {
  return /^\/api\/v1\/events\/([\w-]+)\/responses$/.exec(path)?.[1] ?? ''
}

function eventItem({ id, at }: LivingEvent, origin: number): object {
  return { id, title: id, event_at: `${new Date(origin + at).toISOString().slice(0, 19)}Z` }
}

/** One response, of which each change makes another. */
function responseItem(changes: number): object {
  const moment = '2026-01-01T00:00:00Z'
  return { id: 1, name: 'Ada', rsvp: 'yes', quantity: changes, created_at: moment, updated_at: moment }
}
