/** An account drawn by chance, of few people who answer often, with values at the edges of what columns hold. */
import type { Chance } from '../../../simulation/account/chance.ts'
import { accountOf, responseItem, type Account, type Item } from '../../../support/accounts/account.ts'

export const PEOPLE = ['ada', 'bob', 'cy'] as const
export type Person = (typeof PEOPLE)[number]
export const addressOf = (person: string) => `${person}@x.org`

const DAY = 86_400_000
const ago = (days: number) => new Date(Date.now() - days * DAY).toISOString()
const TIMES = [
  '0001-01-01T00:00:00Z',
  '9999-12-31T23:59:59.999999Z',
  '2016-12-31T23:59:60Z',
  '2024-02-29T24:00:00Z',
  '2024-02-29T12:00:00.1234567Z',
  '2024-02-29T12:00:00.5+14:00',
  '1752-09-03T00:00:00-12:00',
  '',
  'now',
]
const QUANTITIES = [1, '2', 0, -3, 1.5, '9223372036854775807', '9223372036854775808', '', null, 1e20]
const AMOUNTS = [12.5, '1,2', '3.00', null, '-0.00', '007.10', 1e21, 1e-7, '', '99999999999999999999.99', -0]
const SLOTS = [
  [],
  [{ name: 'Bar', who: 'x' }],
  'odd',
  [5],
  [{}],
  [{ name: '', start_date: '2026-05-01T08:00:00+15:59', end_date: '2026-05-01T08:00:00-00:00' }],
  [{ name: 4, start_date: '0001-01-01T12:00:00+05:45', a: { b: [1.1, 1000] } }],
  { 0: 1 },
]

export interface DrawnAccount {
  readonly account: Account
  /** Changes one thing at the service, and says what. */
  readonly edit: () => string
}

/** Five events, past and to come, with up to twelve responses each. */
export function drawAccount(chance: Chance): DrawnAccount {
  const account = accountOf({})
  let last = 0
  const item = () => drawItem(chance, ++last)
  const eventAt = () => chance.pick([ago(800), ago(400), ago(100), ago(-20)])
  const add = (id: string) => account.add(id, 0, { event_at: eventAt() })
  for (const id of ['a', 'b', 'c', 'd', 'e']) {
    add(id)
    for (let count = chance.int(0, 12); count > 0; count--) account.of(id).push(item())
  }
  const kinds = { push: 4, drop: 3, person: 5, quantity: 2, move: 2, deep: 1, gone: 1, come: 1, empty: 1 }
  const edit = () => {
    const event: Item = Object(chance.pick(account.events))
    const id = String(event['id'])
    const list = account.of(id)
    const one: Item = Object(chance.pick([...list, {}]))
    const kind = chance.weigh(kinds)
    const edits: Record<typeof kind, () => unknown> = {
      push: () => list.push(item()),
      drop: () => list.splice(chance.int(0, list.length), chance.int(1, 3)),
      person: () => Object.assign(one, drawPerson(chance)),
      quantity: () => (one['quantity'] = chance.int(1, 99)),
      move: () => (event['event_at'] = eventAt()),
      // Deeper than is stored: the item is rejected.
      deep: () => (one['message'] = { deep: JSON.parse('['.repeat(700) + ']'.repeat(700)) as unknown }),
      gone: () => account.events.length > 3 && account.remove(id),
      come: () => account.responses.has('new') || add('new'),
      empty: () => list.splice(0),
    }
    edits[kind]()
    return `${kind} in ${id}`
  }
  return { account, edit }
}

/** Name and address are of one person, however they are written. */
function drawPerson(chance: Chance): Item {
  const person = chance.pick(PEOPLE)
  return {
    name: chance.pick([
      `${person} ${chance.int(1, 3)}`,
      '',
      `${person}\u0000\ud800x`,
      `  ${person}\n"\\\u007f\u2028`,
    ]),
    email: chance.pick([addressOf(person), ` ${addressOf(person)} `, addressOf(person.toUpperCase())]),
  }
}

function drawItem(chance: Chance, number: number): Item {
  const id = chance.weigh({ ordinary: 16, negative: 1, large: 1 })
  const fields: Item = {
    ...(chance.odds(0.8) ? drawPerson(chance) : { name: 7, email: chance.pick(['', null, 5]) }),
    message: chance.pick(['hello', 'bye', null]),
    created_at: chance.pick([ago(chance.int(0, 700)), ...TIMES]),
    updated_at: chance.pick([ago(chance.int(0, 700)), null, 'nonsense']),
    quantity: chance.pick(QUANTITIES),
    rsvp: chance.pick(['yes', 'no', '', 'Да', null, true, 'yes ']),
    ...(chance.odds(0.3) && { phone: `0${chance.int(1, 9)}` }),
    ...(chance.odds(0.2) && { diet: 'none' }),
    ...(chance.odds(0.4) && {
      amount: chance.pick(AMOUNTS),
      processing_fee: chance.pick([null, '0.40', 'x']),
    }),
    ...(chance.odds(0.4) && { slots: chance.pick<unknown>(SLOTS) }),
  }
  const ids = { ordinary: number, negative: -number, large: Number.MAX_SAFE_INTEGER - number }
  return responseItem(Math.abs(number), { ...fields, id: ids[id] })
}
