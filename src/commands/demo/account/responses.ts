import { utcText } from './calendar.ts'
import type { EventState } from './event-state.ts'
import type { SampleResponse, SampleSlot } from './items.ts'
import { messageOf, type Person } from './people.ts'
import type { Random } from './random.ts'

/** The next `count` guests of the event reply between two instants. @returns their ids, in the order of their replies */
export function addResponses(
  event: EventState,
  count: number,
  [from, to]: readonly [from: number, to: number],
  random: Random,
  nextId: () => number,
): number[] {
  const added = event.guests
    .splice(0, count)
    .map((person) => draftResponse(event, person, [from, to], random))
    .toSorted((a, b) => (a.created_at < b.created_at ? -1 : 1))
    .map((response) => ({ id: nextId(), ...response }))
  event.responses.push(...added)
  return added.map(({ id }) => id)
}

function draftResponse(
  event: EventState,
  person: Person,
  [from, to]: readonly [number, number],
  random: Random,
): Omit<SampleResponse, 'id'> {
  const created = from + (to - from) * random.next() ** 0.7
  const updated = random.chance(0.25) ? created + (to - created) * random.next() : created
  return {
    name: person.name,
    email: person.email,
    message: messageOf(person, random),
    ...draftFields(event, random),
    created_at: utcText(created),
    updated_at: utcText(updated),
  }
}

/** What a response of one of the event's shapes has beside the fields of all. */
function draftFields(event: EventState, random: Random): Partial<SampleResponse> {
  const shape = random.weighted(event.series.shapes)
  const quantity = random.weighted(partySizes)
  if (shape === 'payment') return payment((event.series.price ?? 0) * quantity)
  if (shape === 'signup') return { quantity, slots: chooseSlots(event, random) }
  const rsvp = random.weighted(rsvpWeights)
  return { quantity: rsvp === 'no' ? 0 : quantity, rsvp }
}

export const rsvpWeights = [
  ['yes', 6],
  ['no', 2],
  ['maybe', 2],
] as const

const partySizes = [
  [1, 6],
  [2, 4],
  [3, 2],
  [4, 1],
] as const

/** Amounts in hundredths, so that no double rounds them; the fee is 2.9 % and 0.30, as card payments cost. */
function payment(hundredths: number): Pick<SampleResponse, 'processing_fee' | 'amount'> {
  return { processing_fee: decimal(Math.round((hundredths * 29) / 1000) + 30), amount: decimal(hundredths) }
}

function decimal(hundredths: number): string {
  return `${Math.floor(hundredths / 100)}.${String(hundredths % 100).padStart(2, '0')}`
}

/** One to three slots in the order of the day; while slots are empty, each sign-up takes one of them. */
function chooseSlots({ offered, unclaimed }: EventState, random: Random): SampleSlot[] {
  const chosen = new Set([unclaimed.shift() ?? random.weighted(offered)])
  for (let more = random.pick([0, 0, 0, 1, 1, 2]); more > 0; more--) chosen.add(random.weighted(offered))
  return offered.flatMap(([slot]) => (chosen.has(slot) ? [slot] : []))
}
