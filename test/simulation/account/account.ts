/** The account at the service: what it truly holds, in the order in which it is listed. */
import type { Chance } from './chance.ts'
import { drawEvent, drawResponse } from './draw-items.ts'
import { idOf } from './items.ts'
import type { EventItem, ResponseItem } from './items.ts'

export interface ServedEvent {
  item: EventItem
  responses: ResponseItem[]
}

/** Whether the service sends entity tags, and whether they tell the truth. */
export type Validators = 'none' | 'true' | 'stuck'

export interface Account {
  readonly validators: Validators
  email: string | null
  events: ServedEvent[]
  /** What was taken away and may come back, by the event's id. */
  readonly goneEvents: ServedEvent[]
  readonly goneResponses: Map<string, ResponseItem[]>
  /** Ids that were never used. */
  nextId: number
}

/** How large an account is at first. */
export interface Size {
  readonly seed: number
  /** Responses of each event. */
  readonly events: readonly number[]
  readonly validators: Validators
}

const oddIds = [
  'a/b',
  'q?x',
  'two words',
  'ünï',
  '77',
  'Case',
  'case',
  '.hidden',
  '%2e%2e',
  "o'clock",
  '__proto__',
]

export function accountOf(chance: Chance, { events, validators }: Omit<Size, 'seed'>, name: string): Account {
  const account: Account = {
    validators,
    email: `${name}@example.org`,
    events: [],
    goneEvents: [],
    goneResponses: new Map(),
    nextId: 1,
  }
  for (const responses of events) addEvent(account, chance, name, responses)
  return account
}

export function addEvent(account: Account, chance: Chance, name: string, responses: number): ServedEvent {
  const taken = new Set(account.events.flatMap(({ item }) => idOf(item) ?? []))
  const odd = oddIds.filter((id) => !taken.has(id) && name === 'owner')
  account.nextId += 1
  const id = odd.length > 0 && chance.odds(0.15) ? chance.pick(odd) : `${name}-${account.nextId}`
  const event = { item: drawEvent(chance, id), responses: [] as ResponseItem[] }
  for (let count = 0; count < responses; count++) event.responses.push(newResponse(account, chance))
  account.events.push(event)
  return event
}

export function newResponse(account: Account, chance: Chance): ResponseItem {
  account.nextId += 1
  const id = chance.odds(0.03) ? String(2n ** 53n + BigInt(account.nextId)) : String(account.nextId)
  return drawResponse(chance, id)
}

export function goneOf(account: Account, event: ServedEvent): ResponseItem[] {
  const id = idOf(event.item) ?? ''
  const gone = account.goneResponses.get(id) ?? []
  account.goneResponses.set(id, gone)
  return gone
}

/** A copy that later moves do not touch. */
export function snapshot(account: Account): Account {
  return {
    ...account,
    events: account.events.map(({ item, responses }) => ({ item, responses: [...responses] })),
    goneEvents: [...account.goneEvents],
    goneResponses: new Map([...account.goneResponses].map(([id, gone]) => [id, [...gone]])),
  }
}
