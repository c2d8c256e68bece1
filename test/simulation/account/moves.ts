/** How an account moves on between runs, and sometimes while it is read. */
import { addEvent, goneOf, newResponse } from './account.ts'
import type { Account, ServedEvent } from './account.ts'
import type { Chance } from './chance.ts'
import type { Shift } from '../service/faults.ts'
import { drawEvent, drawNameless, drawResponse, spoil } from './draw-items.ts'
import { ownKeys } from '../service/keys.ts'
import { touch } from './touch.ts'
import { idOf } from './items.ts'
import type { ResponseItem } from './items.ts'

type Move = (account: Account, chance: Chance) => void

/** Moves of one event's list; those that find nothing to do, do nothing. */
const ofList: Readonly<Record<string, (event: ServedEvent, account: Account, chance: Chance) => void>> = {
  add: ({ responses }, account, chance) => {
    for (let count = chance.int(1, 3); count > 0; count--) responses.push(newResponse(account, chance))
  },
  edit: ({ responses }, _account, chance) => replaceOne(responses, chance, (id) => drawResponse(chance, id)),
  touch: (event, _account, chance) => {
    event.responses = event.responses.map((item) => (chance.odds(0.3) ? (touch(item, chance) ?? item) : item))
  },
  spoil: ({ responses }, _account, chance) => replaceOne(responses, chance, spoil),
  nameless: ({ responses }, _account, chance) =>
    void responses.push(drawNameless(chance, 'response', ownKeys[0])),
  clean: (event, _account, chance) => {
    event.responses = event.responses.flatMap((item) => {
      if (item.row !== null) return [item]
      return item.id === null ? [] : [drawResponse(chance, item.id)]
    })
  },
  removeOne: (event, account, chance) => remove(event, account, chance, 1),
  removeSome: (event, account, chance) => remove(event, account, chance, chance.int(2, 10)),
  removeMany: (event, account, chance) => remove(event, account, chance, chance.int(11, 60)),
  removeAll: (event, account, chance) => remove(event, account, chance, event.responses.length),
  toPage: (event, account, chance) =>
    remove(event, account, chance, Math.max(0, event.responses.length - 50)),
  restore: (event, account, chance) => {
    const gone = goneOf(account, event)
    const present = new Set(event.responses.map(idOf))
    const back = gone.splice(0, chance.int(1, gone.length + 1))
    event.responses.push(...back.filter((item) => !present.has(idOf(item))))
  },
  shuffle: (event, _account, chance) => {
    event.responses = chance.shuffle(event.responses)
  },
  repeat: ({ responses }, _account, chance) => {
    const item = responses.find(({ row }) => row?.updated_at != null)
    if (item?.row == null) return
    const other = chance.odds(0.5) ? item : drawResponse(chance, item.row.id)
    if (other.row.updated_at !== null) responses.splice(chance.int(0, responses.length), 0, other)
  },
  single: (event) => {
    const seen = new Set<string>()
    event.responses = event.responses.filter((item) => {
      const id = idOf(item)
      return id === null || (!seen.has(id) && seen.add(id))
    })
  },
}

const ofAccount: Readonly<Record<string, Move>> = {
  addEvent: (account, chance) => void addEvent(account, chance, 'owner', chance.int(0, 6)),
  editEvent: (account, chance) => replaceEvent(account, chance, (id) => drawEvent(chance, id)),
  spoilEvent: (account, chance) => replaceEvent(account, chance, spoil),
  namelessEvent: (account, chance) => {
    account.events.push({ item: drawNameless(chance, 'event', ownKeys[0]), responses: [] })
  },
  cleanEvents: (account, chance) => {
    account.events = account.events.filter(({ item }) => idOf(item) !== null)
    for (const event of account.events) {
      if (event.item.row === null && event.item.id !== null) event.item = drawEvent(chance, event.item.id)
    }
  },
  removeEvent: (account, chance) => removeEvents(account, chance, 1),
  removeEvents: (account, chance) => removeEvents(account, chance, chance.int(2, 12)),
  removeAllEvents: (account, chance) => removeEvents(account, chance, account.events.length),
  restoreEvents: (account, chance) => {
    const back = account.goneEvents.splice(0, chance.int(1, account.goneEvents.length + 1))
    const present = new Set(account.events.map(({ item }) => idOf(item)))
    account.events.push(...back.filter(({ item }) => !present.has(idOf(item))))
  },
  /** The id of an event that is gone, given to another one. */
  reuseId: (account, chance) => {
    const gone = account.goneEvents.pop()
    const id = gone && idOf(gone.item)
    if (id == null || account.events.some(({ item }) => idOf(item) === id)) return
    const responses = [newResponse(account, chance), newResponse(account, chance)]
    account.events.push({ item: drawEvent(chance, id), responses })
  },
  shuffleEvents: (account, chance) => {
    account.events = chance.shuffle(account.events)
  },
  /** Ten of every list: each loss is small, all together they are not. */
  thinOut: (account, chance) => {
    for (const event of account.events) remove(event, account, chance, 10)
  },
  mend: (account, chance) => {
    for (const event of account.events) ofList['clean']?.(event, account, chance)
    ofAccount['cleanEvents']?.(account, chance)
  },
  shout: (account) => {
    const { email } = account
    account.email = (email === email?.toLowerCase() ? email?.toUpperCase() : email?.toLowerCase()) ?? null
  },
  newAddress: (account, chance) => {
    account.email = chance.odds(0.4) ? null : `owner${chance.int(1, 9)}@example.org`
  },
}

const weights = {
  add: 10,
  edit: 10,
  touch: 4,
  spoil: 2,
  nameless: 1,
  clean: 2,
  removeOne: 6,
  removeSome: 3,
  removeMany: 2,
  removeAll: 1.5,
  toPage: 2,
  restore: 6,
  shuffle: 2,
  repeat: 1,
  single: 1,
  addEvent: 4,
  editEvent: 4,
  spoilEvent: 1,
  namelessEvent: 0.7,
  cleanEvents: 1.5,
  removeEvent: 2,
  removeEvents: 1,
  removeAllEvents: 0.4,
  restoreEvents: 3,
  reuseId: 1,
  shuffleEvents: 1,
  thinOut: 1.2,
  mend: 1.5,
  shout: 0.3,
  newAddress: 0.2,
}

/** What is on the first page of a list goes, or something comes before it: of the responses to an event, or of the events. */
export function slide(account: Account, id: string | null, shift: Shift, chance: Chance): string {
  const name = `a slide ${shift} in ${id ?? 'the events'}`
  if (id === null) {
    if (shift === 'back') {
      addEvent(account, chance, 'owner', 2)
      account.events.unshift(...account.events.splice(-1))
    } else account.goneEvents.push(...account.events.splice(0, 1).filter(({ item }) => item.row !== null))
    return name
  }
  const event = account.events.find(({ item }) => idOf(item) === id)
  if (event === undefined) return name
  if (shift === 'back') event.responses.unshift(newResponse(account, chance))
  else goneOf(account, event).push(...event.responses.splice(0, 1).filter(({ row }) => row !== null))
  return name
}

/** One move, and its name. */
export function move(account: Account, chance: Chance): string {
  const name = chance.weigh(weights)
  const list = ofList[name]
  if (list === undefined) {
    ofAccount[name]?.(account, chance)
    return name
  }
  const events = account.events.filter(({ item }) => item.row !== null)
  if (events.length === 0) return `${name} (no event)`
  const event = chance.pick(events)
  list(event, account, chance)
  return `${name} in ${idOf(event.item)}`
}

function replaceOne(responses: ResponseItem[], chance: Chance, make: (id: string) => ResponseItem): void {
  const places = responses.flatMap((item, place) => (idOf(item) === null ? [] : [place]))
  if (places.length === 0) return
  const place = chance.pick(places)
  const id = responses[place] && idOf(responses[place])
  // An id that stands twice would be a good row in one place and spoilt in the other.
  if (id != null && responses.filter((item) => idOf(item) === id).length === 1) responses[place] = make(id)
}

function replaceEvent(account: Account, chance: Chance, make: (id: string) => ServedEvent['item']): void {
  const events = account.events.filter(({ item }) => idOf(item) !== null)
  if (events.length === 0) return
  const event = chance.pick(events)
  event.item = make(idOf(event.item) ?? '')
}

function remove(event: ServedEvent, account: Account, chance: Chance, count: number): void {
  const going = new Set(chance.shuffle(event.responses).slice(0, count))
  event.responses = event.responses.filter((item) => !going.has(item))
  goneOf(account, event).push(...[...going].filter((item) => item.row !== null))
}

function removeEvents(account: Account, chance: Chance, count: number): void {
  const going = new Set(chance.shuffle(account.events).slice(0, count))
  account.events = account.events.filter((event) => !going.has(event))
  account.goneEvents.push(...[...going].filter(({ item }) => item.row !== null))
}
