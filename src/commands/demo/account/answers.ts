import { day, hour, utcText } from './calendar.ts'
import type { SampleResponse, Shape } from './items.ts'
import type { OfferedSlot, EventState } from './event-state.ts'
import { messageOf, type Person } from './people/people.ts'
import type { Random } from './random.ts'

/** A response before it has its id: ids are given in the order in which people replied. */
export interface Draft {
  readonly sheet: EventState
  readonly createdAt: number
  readonly item: Omit<SampleResponse, 'id'>
}

/** What one person answered between two instants, in one of the shapes that the event takes. */
export function draftAnswer(
  sheet: EventState,
  person: Person,
  from: number,
  to: number,
  random: Random,
): Draft {
  const createdAt = Math.floor(from + (to - from) * random.next() ** 0.7)
  const updatedAt = random.chance(0.25) ? Math.floor(createdAt + (to - createdAt) * random.next()) : createdAt
  const shape = random.weighted(sheet.series.shapes)
  return {
    sheet,
    createdAt,
    item: {
      name: person.name,
      email: person.email,
      message: messageOf(person, random),
      ...presentFields(shape, sheet, random),
      created_at: utcText(createdAt),
      updated_at: utcText(updatedAt),
    },
  }
}

/** The span in which people reply to an event, up to `now`. */
export function replySpan(sheet: EventState, now: number): { from: number; to: number } {
  return {
    from: Math.min(sheet.startsAt - 55 * day, now - 30 * day),
    to: Math.min(sheet.startsAt - 2 * hour, now),
  }
}

function presentFields(shape: Shape, sheet: EventState, random: Random): Partial<SampleResponse> {
  const quantity = random.weighted(partySizes)
  if (shape === 'payment') return payment((sheet.series.price ?? 0) * quantity)
  if (shape === 'signup') return { quantity, slots: chooseSlots(sheet, random).map(withoutWeight) }
  const rsvp = random.weighted(rsvpWeights)
  return { quantity: rsvp === 'no' ? 0 : quantity, rsvp }
}

export const rsvpWeights = [
  ['yes', 6],
  ['no', 2],
  ['maybe', 2],
] as const

export const partySizes = [
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

/** One to three slots in the order of the day; the first person to sign up for an empty slot is sought first. */
function chooseSlots(sheet: EventState, random: Random): OfferedSlot[] {
  const first =
    sheet.unclaimed.shift() ?? random.weighted(sheet.offered.map((slot) => [slot, slot.weight] as const))
  const chosen = new Set([first])
  for (let more = random.weighted(moreSlots); more > 0; more--) {
    chosen.add(random.weighted(sheet.offered.map((slot) => [slot, slot.weight] as const)))
  }
  return sheet.offered.filter((slot) => chosen.has(slot))
}

const moreSlots = [
  [0, 6],
  [1, 3],
  [2, 1],
] as const

export function withoutWeight({ name, start_date, end_date }: OfferedSlot) {
  return { name, start_date, end_date }
}
