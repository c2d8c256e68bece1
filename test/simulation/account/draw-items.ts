/** Items of the service, drawn by chance. */
import type { Chance } from './chance.ts'
import { Drawing } from './item-builder.ts'
import type { Bad, EventItem, Good, ResponseRow, SlotRow } from './items.ts'

/** Which fields mark what an item is. */
type Shape = 'reply' | 'quantity' | 'payment' | 'signup' | 'empty_signup' | 'mixed' | 'bare'

const shapes: Readonly<Record<Shape, number>> = {
  reply: 6,
  quantity: 1,
  payment: 4,
  signup: 4,
  empty_signup: 0.5,
  mixed: 1,
  bare: 0.5,
}

export function drawResponse(chance: Chance, id: string): Good<ResponseRow> {
  const drawing = new Drawing(chance)
  drawing.sent.push(['id', chance.odds(0.03) ? `"${id}"` : id])
  const shape = chance.weigh(shapes)
  const name = drawing.string('name', () => `Guest ${chance.int(1, 99)}`)
  const email = drawing.string('email', () => `guest${chance.int(1, 99)}@example.org`)
  const message = drawing.string('message', () =>
    chance.pick(['hello', 'Ünïcode 🎉', `"quoted" \\ ${chance.int(0, 9)}`]),
  )
  const created_at = drawing.stamp('created_at', chance.int(2024, 2026), false)?.utc ?? null
  const updated_at = drawing.stamp('updated_at', chance.int(2024, 2026), chance.odds(0.1))?.utc ?? null
  const isPaid = shape === 'payment' || shape === 'mixed'
  const payment = isPaid
    ? {
        amount: drawing.amount('amount'),
        processing_fee: chance.odds(0.2)
          ? drawing.nothing('processing_fee')
          : drawing.amount('processing_fee'),
      }
    : null
  const hasQuantity = shape === 'quantity' || (shape !== 'bare' && shape !== 'payment' && chance.odds(0.8))
  const quantity = hasQuantity ? drawing.integer('quantity') : null
  const rsvp = shape === 'reply' || (shape === 'mixed' && chance.odds(0.5)) ? drawReply(drawing) : null
  const slots = shape === 'signup' || shape === 'mixed' ? drawSlots(drawing) : []
  if (shape === 'empty_signup') drawing.send('slots', [])
  drawing.unknownFields()
  const kind = shape === 'quantity' ? 'reply' : shape === 'empty_signup' ? 'signup' : shape
  const row = {
    id,
    kind,
    name,
    email,
    message,
    quantity,
    rsvp,
    created_at,
    updated_at,
    extra: drawing.extra,
    payment,
    slots,
  }
  return { text: drawing.text, row, asides: drawing.asides }
}

/** Always there: without it the response would be of another kind. */
function drawReply(drawing: Drawing): string | null {
  if (drawing.chance.odds(0.02)) return drawing.aside('rsvp', drawing.chance.pick([1, false]))
  const reply = drawing.chance.pick(['yes', 'no', 'maybe'])
  drawing.send('rsvp', reply)
  return reply
}

function drawSlots(drawing: Drawing): readonly SlotRow[] {
  const { chance } = drawing
  if (chance.odds(0.03)) {
    drawing.aside('slots', chance.pick([{}, 'none', [1], [{ name: 'x' }, null]]))
    return []
  }
  const slots = Array.from({ length: chance.int(1, 3) }, () => drawSlot(chance))
  drawing.sent.push(['slots', `[${slots.map(({ text }) => text).join(',')}]`])
  drawing.asides += slots.reduce((sum, { asides }) => sum + asides, 0)
  return slots.map(({ row }) => row)
}

function drawSlot(chance: Chance): Good<SlotRow> {
  const drawing = new Drawing(chance)
  const name = drawing.string('name', () => `Shift ${chance.int(1, 5)}`)
  const start = drawing.stamp('start_date', 2026, true)
  const end = drawing.stamp('end_date', 2026, true)
  drawing.unknownFields()
  const row = {
    name,
    start_date: start?.utc ?? null,
    end_date: end?.utc ?? null,
    start_local: start?.local ?? null,
    end_local: end?.local ?? null,
    extra: drawing.extra,
  }
  return { text: drawing.text, row, asides: drawing.asides }
}

/** Years far from now: whether an event is active must not hang on the day of the simulation. */
export function drawEvent(chance: Chance, id: string): EventItem {
  const drawing = new Drawing(chance)
  drawing.sent.push(['id', /^\d+$/.test(id) && chance.odds(0.5) ? id : JSON.stringify(id)])
  const row = {
    id,
    title: drawing.string('title', () => `Event ${chance.int(1, 99)}`),
    event_at: drawing.stamp('event_at', chance.odds(0.5) ? 2099 : 2020, chance.odds(0.1))?.utc ?? null,
    description: drawing.string('description', () => `About ${chance.int(1, 99)}`),
    event_type: drawing.string('event_type', () => chance.pick(['rsvp', 'signup', 'ticket'])),
    location: drawing.string('location', () => chance.pick(['Hall', 'Garden'])),
  }
  drawing.unknownFields()
  return { text: drawing.text, row: { ...row, extra: drawing.extra }, asides: drawing.asides }
}

/** Deeper than any item may be. */
const tooDeep = `${'['.repeat(70)}${']'.repeat(70)}`

/**
 * An item that cannot be stored although its id can be read: the row with this id stays. Big integers are exact only
 * in items that are not nested too deep, so that one with such an id holds a number beyond any column instead.
 */
export function spoil(id: string): Bad {
  const isInteger = /^\d+$/.test(id)
  const flaw = isInteger && Number(id) > 2 ** 53 ? '"huge":1e200000' : `"deep":${tooDeep}`
  return { text: `{"id":${isInteger ? id : JSON.stringify(id)},"name":"spoilt",${flaw}}`, row: null, id }
}

/** An item whose id cannot be read. `secret` is the key: a careless service may echo it anywhere. */
export function drawNameless(chance: Chance, of: 'response' | 'event', secret: string): Bad {
  const ids =
    of === 'event'
      ? ['"."', '".."', '""', '"a\\u0000b"', '{}', 'null']
      : ['"x"', '1.5', '9223372036854775808', '{}']
  const text = chance.weigh({ none: 1, id: 3, scalar: 1 })
  if (text === 'none')
    return { text: `{"name":"no id","said":${JSON.stringify(secret)}}`, row: null, id: null }
  if (text === 'scalar') return { text: chance.pick(['null', '5', '"text"', '[]']), row: null, id: null }
  return { text: `{"id":${chance.pick(ids)},"name":"bad id"}`, row: null, id: null }
}
