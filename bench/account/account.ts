import { generatePeople } from '../../src/commands/demo/account/people.ts'
import type { Person } from '../../src/commands/demo/account/people.ts'
import { createRandom } from '../../src/commands/demo/account/random.ts'
import type { Random } from '../../src/commands/demo/account/random.ts'

/** How large an account is: so many events, each with so many responses. */
export interface AccountShape {
  readonly events: number
  readonly responses: number
  /** So many of its events, from the first on, are far in the future; the others are long over. */
  readonly active: number
}

/** An event as the service sends it. */
export interface SentEvent {
  readonly id: string
  readonly title: string
  readonly event_at: string
  readonly description: string
  readonly event_type: string
  readonly location: string
}

/** A response as the service sends it: a reply, a payment or a sign-up. */
export interface SentResponse {
  readonly id: number
  readonly name: string
  readonly email: string
  readonly message: string
  readonly created_at: string
  readonly updated_at: string
  readonly quantity?: number
  readonly rsvp?: string
  readonly amount?: string
  readonly processing_fee?: string
  readonly slots?: readonly SentSlot[]
}

export interface SentSlot {
  readonly name: string
  readonly start_date: string
  readonly end_date: string
}

/**
 * An account made from a seed; nothing of it is kept, so that its size costs no memory. A smaller one with as many
 * responses to an event is the beginning of a larger one.
 */
export interface Account {
  readonly shape: AccountShape
  /** The event at this place, from 0. Ids ascend with the place, also by their bytes. */
  event(place: number): SentEvent
  /** The responses to the event at this place, by ascending id. */
  responses(place: number): Generator<SentResponse>
}

/** In an account of a million responses, a person answers four times on average. */
const PEOPLE = 250_000
const HOUR_MS = 3_600_000
/** The first of the events that are over, and of those that are to come. */
const FIRST_EVENT = Date.UTC(2021, 0, 4, 18)
const FIRST_ACTIVE_EVENT = Date.UTC(2100, 0, 4, 18)

export function createAccount(shape: AccountShape, seed = 'headcount'): Account {
  const random = createRandom(seed)
  const stock = (['berlin', 'brooklyn', 'kolkata'] as const).flatMap((place) =>
    generatePeople(place, 300, random.fork(place)),
  )
  return {
    shape,
    event: (place) => eventAt(place, place < shape.active, random.fork(`event ${place}`)),
    *responses(place) {
      const draws = random.fork(`responses ${place}`)
      for (let index = 0; index < shape.responses; index++) {
        const person = personAt(stock, draws.integer(0, PEOPLE - 1))
        const id = 1_000_000 + (place * shape.responses + index) * 3
        yield { id, ...person, ...answer(draws, FIRST_EVENT + place * HOUR_MS) }
      }
    },
  }
}

function eventAt(place: number, isActive: boolean, random: Random): SentEvent {
  return {
    id: `gathering-${String(place).padStart(8, '0')}`,
    title: random.pick(['Chorprobe', 'Repair café', 'বইমেলা', 'Турнір', 'Street fair']) + ` ${place + 1}`,
    event_at: seconds((isActive ? FIRST_ACTIVE_EVENT : FIRST_EVENT) + place * HOUR_MS),
    description: random.pick(['', 'Bring a friend.\nDoors at 18:30.', 'Eintritt frei – Spenden willkommen.']),
    event_type: random.pick(['rsvp', 'payment', 'signup']),
    location: random.pick(['Großer Saal', 'Pier 5, Brooklyn', 'College Street, কলকাতা']),
  }
}

/** More people than there are names: they differ by the number in their address. */
function personAt(stock: readonly Person[], place: number): Pick<Person, 'name' | 'email'> {
  const person = stock[place % stock.length]
  if (person === undefined) throw new RangeError('an account without people')
  const { name, email } = person
  return { name, email: email.replace('@', `.${Math.floor(place / stock.length)}@`) }
}

function answer(random: Random, eventAt: number): Omit<SentResponse, 'id' | 'name' | 'email'> {
  const created = eventAt - random.integer(HOUR_MS, 40 * 24 * HOUR_MS)
  const updated = random.chance(0.3) ? created + random.integer(60_000, 24 * HOUR_MS) : created
  const told = {
    message: random.chance(1 / 3) ? random.pick(messages) : '',
    created_at: seconds(created),
    updated_at: seconds(updated),
  }
  const kind = random.next()
  if (kind < 0.5) {
    const rsvp = random.pick(['yes', 'yes', 'no', 'maybe'])
    return { ...told, quantity: rsvp === 'no' ? 0 : random.integer(1, 4), rsvp }
  }
  if (kind < 0.75) {
    const cents = random.integer(500, 25_000)
    return { ...told, amount: money(cents), processing_fee: money(Math.round(cents * 0.029) + 30) }
  }
  const slots = Array.from({ length: random.integer(1, 3) }, () => slot(random, eventAt))
  return { ...told, quantity: random.integer(1, 4), slots }
}

/** Texts that a careless loader damages: line breaks, tabs, backslashes, quotes, characters of four bytes. */
const messages = [
  'Ich bringe Kuchen mit.',
  'See you there! 🎉',
  'Two of us are vegetarian; is there a table near the door?',
  'Прийду трохи пізніше.',
  'Θα έρθουμε όλοι μαζί.',
  'अगर देर हो जाए तो शुरू कर दीजिए।',
  '少し遅れます。',
  'سنصل قبل البداية بقليل',
  'First line\nsecond line',
  'C:\\choir\\notes\tand a tab',
  'She said "maybe" \\N',
]

function slot(random: Random, eventAt: number): SentSlot {
  const offset = random.pick(['+01:00', '+02:00', '-05:00', '+05:30'])
  const start = eventAt + random.integer(-6, 6) * HOUR_MS
  return {
    name: random.pick(['Set-up', 'Kasse', 'Bar, late', 'Aufräumen', 'চা']),
    start_date: seconds(start).replace('Z', offset),
    end_date: seconds(start + 2 * HOUR_MS).replace('Z', offset),
  }
}

/** The response with another message; of a payment also another amount, of a sign-up another slot. */
export function edit(response: SentResponse): SentResponse {
  const { amount, slots } = response
  return {
    ...response,
    message: `${response.message} (edited)`,
    updated_at: seconds(Date.parse(response.updated_at) + HOUR_MS),
    ...(amount !== undefined && { amount: money(Math.round(Number(amount) * 100) + 100) }),
    ...(slots && { slots: slots.map((slot, place) => (place === 0 ? { ...slot, name: 'Küche' } : slot)) }),
  }
}

function seconds(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 19)}Z`
}

function money(cents: number): string {
  return (cents / 100).toFixed(2)
}
