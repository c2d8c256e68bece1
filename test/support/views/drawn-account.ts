/**
 * Accounts for the views: few people under many spellings of their address, every kind of response, days of clock changes, slots of
 * the coming weeks, and between two readings edits, withdrawals and returns. Drawn from a seed.
 */
import { chanceOf } from '../../simulation/account/chance.ts'
import type { Chance } from '../../simulation/account/chance.ts'

type Item = Readonly<Record<string, unknown>>

/** An event with its responses. */
interface DrawnEvent {
  readonly id: string
  fields: Item
  responses: Item[]
  /** What was withdrawn and may come back. */
  readonly withdrawn: Item[]
}

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS

const addresses = [
  'ada@example.org',
  ' Ada@Example.org ',
  'ADA@EXAMPLE.ORG',
  'grace.h@example.org',
  'Grace.H@example.org',
  'famille+kids@example.org',
  'jörg@example.org',
  'JÖRG@example.org',
  'joan@example.org\t',
  '',
  '   ',
]
const names = ['Ada', 'Ada L.', 'Grace', 'Jörg', 'Familie Müller', '', '李']
const rsvps = ['yes', 'yes', 'no', 'maybe', 'perhaps', 'Yes', '']
const quantities = [0, 1, 1, 2, 3, -3, '9223372036854775807', 'two']
const amounts = ['25.00', '0.10', '-12.5', '0', '1e3', '1234567890.123456', 'free', null]
const slotNames = ['Kitchen', 'Door', 'door', '', null]
const titles = ['Choir 2023', 'Choir 2024', 'Choir  2025', 'Repair café', 'Repair café 2', '  ', null]
const messages = ['', 'No nuts, please.', "We bring a cake;\nit's big.", '<b>…</b>']
/** Around changes of clocks in Berlin, New York and Auckland, and around the ends of months and years. */
const oddInstants = [
  '2024-03-31T00:59:59.999999Z',
  '2024-03-31T01:00:00Z',
  '2024-10-27T00:30:00Z',
  '2024-11-03T05:30:00Z',
  '2024-11-03T06:30:00.5Z',
  '2024-04-06T13:59:59Z',
  '2024-09-28T14:00:00Z',
  '2024-12-31T12:30:00Z',
  '2025-01-01T04:30:00Z',
  '2001-02-28T23:30:00Z',
  '2034-12-31T23:59:59Z',
]

/** What the service sends at so many readings one after the other: under `` the events, and the responses to each. */
export function* drawnAccount(seed: number, readings: number, now: number): Generator<Map<string, string>> {
  const chance = chanceOf(seed)
  let nextId = 1
  const draw = (event: DrawnEvent) => {
    const item = drawResponse(chance, now, nextId)
    nextId += chance.odds(0.02) ? 2 ** 40 : 1
    event.responses.push(item)
  }
  const events = Array.from({ length: 7 }, (_, place): DrawnEvent => {
    const event = {
      id: `e${place}`,
      fields: drawEvent(chance, now),
      responses: [],
      withdrawn: [],
    }
    for (let count = chance.int(0, 14); count > 0; count--) draw(event)
    return event
  })
  let listed = events.slice(0, 6)
  for (let reading = 0; reading < readings; reading++) {
    if (reading > 0) {
      listed = events.filter(() => chance.odds(0.85))
      for (const event of events) {
        move(chance, event)
        if (chance.odds(0.2)) event.fields = drawEvent(chance, now)
        for (let count = chance.int(0, 2); count > 0; count--) draw(event)
        event.responses = event.responses.map((item) =>
          chance.odds(0.15) ? { ...drawResponse(chance, now, 0), id: item['id'] } : item,
        )
      }
    }
    yield new Map([
      ['', JSON.stringify(listed.map(({ id, fields }) => ({ id, ...fields })))],
      ...listed.map(({ id, responses }) => [id, JSON.stringify(responses)] as const),
    ])
  }
}

/** Takes some responses away, and brings others back. */
function move(chance: Chance, event: DrawnEvent) {
  const kept = event.responses.filter(() => chance.odds(0.85))
  const back = event.withdrawn.filter(() => chance.odds(0.3))
  const gone = event.responses.filter((item) => !kept.includes(item))
  const away = event.withdrawn.filter((item) => !back.includes(item))
  event.withdrawn.splice(0, Infinity, ...away, ...gone)
  event.responses = [...kept, ...back]
}

function drawEvent(chance: Chance, now: number): Item {
  return present({
    title: chance.pick(titles),
    event_at: chance.odds(0.1) ? null : chance.odds(0.3) ? chance.pick(oddInstants) : near(chance, now, 60),
    event_type: chance.pick(['rsvp', 'rsvp', 'signup', null]),
    location: chance.pick(['Pier 5', 'Großer Saal', null]),
    fee: chance.odds(0.1) ? 12 : undefined,
  })
}

function drawResponse(chance: Chance, now: number, id: number): Item {
  const kind = chance.weigh({ reply: 4, payment: 2, signup: 2, mixed: 1, bare: 1 })
  const has = (part: string, odds = 0) =>
    kind === part || (kind === 'mixed' && chance.odds(0.6)) || chance.odds(odds)
  return present({
    id,
    name: chance.pick([...names, null]),
    email: chance.pick([...addresses, null]),
    message: chance.pick([...messages, null]),
    quantity: chance.odds(0.3) ? undefined : chance.pick(quantities),
    rsvp: has('reply', 0.02) ? chance.pick(rsvps) : undefined,
    created_at: chance.odds(0.1) ? null : chance.odds(0.3) ? chance.pick(oddInstants) : near(chance, now, 20),
    amount: has('payment', 0.02) ? chance.pick(amounts) : undefined,
    processing_fee: has('payment') ? chance.pick(['0.30', '-0.1', null]) : undefined,
    slots: has('signup', 0.02)
      ? Array.from({ length: chance.int(0, 3) }, () => drawSlot(chance, now))
      : undefined,
    dietary: chance.odds(0.05) ? 'vegan' : undefined,
  })
}

function drawSlot(chance: Chance, now: number): Item {
  const start = Math.round((now + chance.int(-3, 12) * 7 * DAY_MS) / HOUR_MS) * HOUR_MS
  const offset = chance.pick([0, 0, 60, -240])
  return present({
    name: chance.pick(slotNames),
    start_date: chance.odds(0.1) ? null : withOffset(start, offset),
    end_date: chance.odds(0.2) ? null : withOffset(start + HOUR_MS, offset),
  })
}

function withOffset(instant: number, minutes: number): string {
  const wall = new Date(instant + minutes * 60_000).toISOString().slice(0, 19)
  const hours = String(Math.abs(minutes) / 60).padStart(2, '0')
  return `${wall}${minutes < 0 ? '-' : '+'}${hours}:00`
}

/** An instant within so many days of now, some with microseconds. */
function near(chance: Chance, now: number, days: number): string {
  const at = new Date(now + chance.int(-days * 24, days * 24) * HOUR_MS).toISOString()
  return chance.odds(0.3) ? at.replace('Z', '321Z') : at.replace(/\.\d+Z/, 'Z')
}

/** Without the fields that are not sent; null is sent as it is. */
function present(fields: Item): Item {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined))
}
