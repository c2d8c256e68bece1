/** An account whose events and responses a test edits freely, and the answers that the service gives for it. */
import type { Answer, SeenRequest } from '../http/fault-server.ts'
import { testKey } from '../http/reading.ts'

export type Item = Record<string, unknown>

export interface Account {
  email: string | null
  /** Of which one opens it. */
  keys: readonly string[]
  /** In the order in which they are listed; anything that JSON can say. */
  events: unknown[]
  /** By event id. An event without an entry is answered with 404. */
  readonly responses: Map<string, unknown[]>
  /** Adds an event with so many responses, numbered from 1, and gives its own record. */
  add(id: string, responses: number, fields?: Item): Item
  /** The responses to an event, to be edited in place. */
  of(id: string): unknown[]
  /** Takes an event away, from the list and with its responses. */
  remove(...ids: readonly string[]): void
  answer(request: SeenRequest): Answer
}

/** An account with these events, each with so many responses. */
export function accountOf(events: Readonly<Record<string, number>>): Account {
  const account: Account = {
    email: 'owner@example.org',
    keys: [testKey],
    events: [],
    responses: new Map(),
    add: (id, responses, fields = {}) => {
      const event = { id, title: `The ${id}`, event_type: 'rsvp', ...fields }
      account.events.push(event)
      account.responses.set(id, responsesFrom(1, responses))
      return event
    },
    of: (id) => {
      const list = account.responses.get(id)
      if (list === undefined) throw new Error(`the account has no event ${id}`)
      return list
    },
    remove: (...ids) => {
      account.events = account.events.filter((event) => !ids.includes(String(Object(event).id)))
      for (const id of ids) account.responses.delete(id)
    },
    answer: (request) => answerFor(account, request),
  }
  for (const [id, responses] of Object.entries(events)) account.add(id, responses)
  return account
}

/** So many responses with ids from `first`, of every kind in turn. */
export function responsesFrom(first: number, count: number): Item[] {
  return Array.from({ length: count }, (_, place) => responseItem(first + place))
}

export function responseItem(id: number, fields: Item = {}): Item {
  const common = {
    id,
    name: `Guest ${id}`,
    email: `guest${id}@example.org`,
    created_at: '2026-03-01T10:00:00Z',
  }
  return { ...common, ...shapes[id % shapes.length], ...fields }
}

const shapes: readonly Item[] = [
  { quantity: 2, rsvp: 'yes' },
  { amount: '12.50', processing_fee: '0.40' },
  {
    quantity: 1,
    slots: [
      { name: 'Setup', start_date: '2026-05-01T08:00:00+02:00', end_date: '2026-05-01T09:00:00+02:00' },
      { name: 'Bar', start_date: '2026-05-01T20:00:00+02:00', end_date: null },
    ],
  },
]

/** Faults of the account quote the key, as a careless service might: it must go no further. */
function answerFor(account: Account, { path, headers }: SeenRequest): Answer {
  if (!account.keys.includes(headers['x-api-key'] ?? '')) return refusal(401)({ headers })
  const [, api, version, first, id, last] = path.split('/')
  if (api !== 'api' || version !== 'v1') return refusal(404)({ headers })
  if (first === 'ping') return { body: account.email === null ? {} : { email: account.email } }
  if (first === 'events' && id === undefined) return { body: account.events }
  const list = last === 'responses' ? account.responses.get(decodeURIComponent(id ?? '')) : undefined
  return list === undefined ? refusal(404)({ headers }) : { body: list }
}

/** An answer with this status that quotes the key it was asked with. */
export function refusal(status: number, headers: Record<string, string> = {}) {
  return (request: Pick<SeenRequest, 'headers'>): Answer => ({
    status,
    headers,
    body: { error: `refused ${request.headers['x-api-key']}` },
  })
}
