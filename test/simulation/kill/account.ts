/** An account of the simulation, large enough that a run writes several batches, and its service, slow to answer. */
import { setTimeout } from 'node:timers/promises'
import { accountOf, newResponse } from '../account/account.ts'
import type { Account } from '../account/account.ts'
import type { Chance } from '../account/chance.ts'
import { drawResponse } from '../account/draw-items.ts'
import { isGood } from '../account/items.ts'
import type { EventItem, EventRow, ResponseRow } from '../account/items.ts'
import { ownKeys } from '../service/keys.ts'
import { startService } from '../service/service.ts'
import type { Heard } from '../service/service.ts'

/** An event as the service has it: its record, and its responses by id. */
export interface ServedUnit {
  readonly record: EventRow
  readonly responses: ReadonlyMap<string, ResponseRow>
}

export function killAccount(chance: Chance, events: number, responses: number): Account {
  const account = accountOf(chance, { events: [], validators: 'none' }, 'owner')
  for (let place = 0; place < events; place++) addEvent(account, chance, responses)
  return account
}

/** Of the rows that there are: a run that loses a tenth of them holds what goes beyond, and would not end well. */
const LOST_SHARE = 1 / 12

/** Every run finds work: rows come, change and go in most lists, and a few events too; none grows to a page's length. */
export function moveOn(account: Account, chance: Chance): void {
  let mayGo = LOST_SHARE * account.events.reduce((sum, { responses }) => sum + 1 + responses.length, 0)
  const going = new Set(chance.shuffle(account.events).slice(0, 2))
  for (const { responses } of going) {
    mayGo -= 1 + responses.length
    addEvent(account, chance, responses.length)
  }
  account.events = account.events.filter((event) => !going.has(event))
  for (const event of account.events) {
    if (chance.odds(0.2)) continue
    if (chance.odds(0.2)) event.item = eventItem(event.item.row?.id ?? '', chance)
    event.responses = event.responses.map((item) => {
      return isGood(item) && chance.odds(0.2) ? drawResponse(chance, item.row.id) : item
    })
    if (mayGo < 1) continue
    mayGo -= 1
    event.responses.splice(chance.int(0, event.responses.length), 1)
    event.responses.push(newResponse(account, chance))
  }
}

export function servedUnits({ events }: Account): Map<string, ServedUnit> {
  const units = new Map<string, ServedUnit>()
  for (const { item, responses } of events) {
    if (item.row === null) continue
    const rows = responses.filter(isGood).map(({ row }) => [row.id, row] as const)
    units.set(item.row.id, { record: item.row, responses: new Map(rows) })
  }
  return units
}

function addEvent(account: Account, chance: Chance, responses: number): void {
  const item = eventItem(`event-${(account.nextId += 1)}`, chance)
  const list = Array.from({ length: responses }, () => newResponse(account, chance))
  account.events.push({ item, responses: list })
}

/** Without a time, so that it is always due. */
function eventItem(id: string, chance: Chance): EventItem {
  const title = `Title ${chance.int(1, 1e6)}`
  const row = { id, title, event_at: null, description: null, event_type: null, location: null, extra: null }
  return { text: JSON.stringify({ id, title }), row, asides: 0 }
}

export interface KillService extends AsyncDisposable {
  readonly baseUrl: string
  /** Ids of the events whose responses were asked for since `forget`. */
  readonly asked: ReadonlySet<string>
  /** Called at each request with how many there were since `forget`. */
  onRequest: (count: number) => void
  forget(): void
}

const ANSWERS_AFTER_MS = 4

export async function startKillService(account: Account): Promise<KillService> {
  const server = await startService()
  const asked = new Set<string>()
  const heard: Heard[] = []
  let requests = 0
  const service: KillService = {
    baseUrl: server.baseUrl,
    asked,
    onRequest: () => {},
    forget: () => {
      asked.clear()
      heard.length = 0
      requests = 0
    },
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  }
  server.episodes.set(ownKeys[0], {
    account,
    troubles: new Map(),
    refusedFrom: null,
    heard,
    moved: [],
    onRequest: async (subject) => {
      if (subject.includes('/')) asked.add(subject.slice(subject.indexOf('/') + 1))
      service.onRequest((requests += 1))
      await setTimeout(ANSWERS_AFTER_MS)
    },
  })
  return service
}
