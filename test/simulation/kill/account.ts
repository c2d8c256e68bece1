/** An account large enough that a run writes several batches, and its service, which takes some time for each answer. */
import { setTimeout } from 'node:timers/promises'
import { send, startFaultServer } from '../../support/http/fault-server.ts'
import type { Chance } from '../account/chance.ts'
import { drawResponse } from '../account/draw-items.ts'
import { isGood } from '../account/items.ts'
import type { EventItem, EventRow, ResponseItem, ResponseRow } from '../account/items.ts'

export interface KillAccount {
  readonly events: Map<string, { item: EventItem; responses: ResponseItem[] }>
  nextId: number
}

/** An event as the service has it: its record, and its responses by id. */
export interface ServedUnit {
  readonly record: EventRow
  readonly responses: ReadonlyMap<string, ResponseRow>
}

export function killAccount(chance: Chance, events: number, responses: number): KillAccount {
  const account: KillAccount = { events: new Map(), nextId: 1 }
  for (let place = 0; place < events; place++) addEvent(account, chance, responses)
  return account
}

/** Of the rows that there are: a run that loses a tenth of them holds what goes beyond, and would not end well. */
const LOST_SHARE = 1 / 12

/** Every run finds work: rows come, change and go in most lists, and a few events too; none grows to a page's length. */
export function moveOn(account: KillAccount, chance: Chance): void {
  let mayGo = LOST_SHARE * rowsOf(account)
  const ids = [...account.events.keys()]
  for (const id of chance.shuffle(ids).slice(0, 2)) {
    const responses = account.events.get(id)?.responses.length ?? 0
    mayGo -= 1 + responses
    addEvent(account, chance, responses)
    account.events.delete(id)
  }
  for (const event of account.events.values()) {
    if (chance.odds(0.2)) continue
    if (chance.odds(0.2)) event.item = eventItem(event.item.row?.id ?? '', chance)
    event.responses = event.responses.map((item) => {
      return isGood(item) && chance.odds(0.2) ? drawResponse(chance, item.row.id) : item
    })
    if (mayGo < 1) continue
    mayGo -= 1
    event.responses.splice(chance.int(0, event.responses.length), 1)
    event.responses.push(response(account, chance))
  }
}

function rowsOf({ events }: KillAccount): number {
  return [...events.values()].reduce((sum, { responses }) => sum + 1 + responses.length, 0)
}

export function servedUnits({ events }: KillAccount): Map<string, ServedUnit> {
  const units = new Map<string, ServedUnit>()
  for (const [id, { item, responses }] of events) {
    if (item.row === null) continue
    const rows = responses.filter(isGood).map(({ row }) => [row.id, row] as const)
    units.set(id, { record: item.row, responses: new Map(rows) })
  }
  return units
}

function addEvent(account: KillAccount, chance: Chance, responses: number): void {
  const id = `event-${(account.nextId += 1)}`
  const list = Array.from({ length: responses }, () => response(account, chance))
  account.events.set(id, { item: eventItem(id, chance), responses: list })
}

function response(account: KillAccount, chance: Chance): ResponseItem {
  return drawResponse(chance, String((account.nextId += 1)))
}

/** Without a time, so that it is always due. */
function eventItem(id: string, chance: Chance): EventItem {
  const title = `Title ${chance.int(1, 1e6)}`
  const row = { id, title, event_at: null, description: null, event_type: null, location: null, extra: null }
  return { text: JSON.stringify({ id, title }), row, asides: 0 }
}

export interface KillService extends AsyncDisposable {
  readonly baseUrl: string
  /** Paths below the base address, in order; emptied by whoever looks. */
  readonly asked: string[]
  /** Called at each request. */
  onRequest: (count: number) => void
}

const ANSWERS_AFTER_MS = 4

export async function startKillService(account: KillAccount): Promise<KillService> {
  const server = await startFaultServer()
  const service: KillService = {
    baseUrl: server.baseUrl.href,
    asked: [],
    onRequest: () => {},
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  }
  server.always(async (socket, request) => {
    const path = request.path.slice('/api/v1'.length)
    service.onRequest(service.asked.push(path))
    await setTimeout(ANSWERS_AFTER_MS)
    await send(answer(account, path))(socket, request)
  })
  return service
}

function answer({ events }: KillAccount, path: string) {
  if (path === '/ping') return { body: { email: 'owner@example.org' } }
  if (path === '/events') return { body: listOf([...events.values()].map(({ item }) => item)) }
  const event = events.get(path.split('/')[2] ?? '')
  return event === undefined ? { status: 404 } : { body: listOf(event.responses) }
}

function listOf(items: readonly { readonly text: string }[]): string {
  return `[${items.map(({ text }) => text).join(',')}]`
}
