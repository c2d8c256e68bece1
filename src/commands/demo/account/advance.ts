import { draftAnswer, partySizes, rsvpWeights, withoutWeight } from './answers.ts'
import { enterAnswers, pageLengths, type People } from './build.ts'
import { day, minute, plusDays, utcText } from './calendar.ts'
import { shapeOf, type SampleResponse, type SampleSlot } from './items.ts'
import { phrases } from './people/phrases.ts'
import { adHocEvents } from './ad-hoc-events.ts'
import type { Random } from './random.ts'
import { datesOf, eventId, createEventState, type EventState } from './event-state.ts'

/** What a step did, by ids; an event that is new is in `events` alone, its first responses are in `added`. */
export interface StepChanges {
  readonly events: string[]
  readonly touched: string[]
  readonly added: number[]
  readonly edited: number[]
  readonly cancelled: number[]
}

/** How far a step moves the account's clock. */
export const stepLength = 10 * minute

/** Lists shorter than this lose nobody, so that none is ever emptied. */
const shortList = 12

interface Step {
  readonly now: number
  readonly random: Random
  readonly nextId: () => number
  readonly changes: StepChanges
}

/**
 * Moves some coming events on by one step ending at `now`: new answers, edits and a few cancellations; the
 * next event always takes part. Now and then an event is announced.
 */
export function advanceEvents(
  sheets: EventState[],
  people: People,
  now: number,
  random: Random,
  nextId: () => number,
): StepChanges {
  const step: Step = {
    now,
    random,
    nextId,
    changes: { events: [], touched: [], added: [], edited: [], cancelled: [] },
  }
  const [next, ...others] = sheets
    .filter((sheet) => sheet.startsAt > now + day && sheet.responses.length > 0)
    .toSorted((a, b) => a.startsAt - b.startsAt)
  if (next !== undefined) {
    moveOn(next, true, step)
    for (const sheet of random.sample(others, random.integer(5, 8))) moveOn(sheet, random.chance(0.5), step)
  }
  if (random.chance(0.25)) announce(sheets, people, step)
  return step.changes
}

function moveOn(sheet: EventState, somebodyCancels: boolean, step: Step): void {
  const { random, changes } = step
  changes.touched.push(sheet.event.id)
  const untouched = random.sample(sheet.responses, sheet.responses.length)
  if (somebodyCancels && sheet.responses.length >= shortList) {
    for (const gone of untouched.splice(0, random.integer(1, 2))) cancel(sheet, gone, step)
  }
  for (const former of untouched.splice(0, random.integer(1, 3))) edit(sheet, former, step)
  addAnswers(sheet, random.integer(1, 3), step)
  // A list that lost rows and is exactly a page long would be held as the first page of a longer one.
  const last = untouched.pop()
  if (pageLengths.has(sheet.responses.length) && last !== undefined) cancel(sheet, last, step)
}

function addAnswers(sheet: EventState, count: number, { now, random, nextId, changes }: Step): void {
  const known = sheet.responses.length
  const drafts = sheet.guests
    .splice(0, count)
    .map((person) => draftAnswer(sheet, person, now - stepLength, now, random))
  enterAnswers(drafts, nextId)
  changes.added.push(...sheet.responses.slice(known).map(({ id }) => id))
}

function cancel(sheet: EventState, gone: SampleResponse, { changes }: Step): void {
  sheet.responses.splice(sheet.responses.indexOf(gone), 1)
  changes.cancelled.push(gone.id)
}

function edit(sheet: EventState, former: SampleResponse, { now, random, changes }: Step): void {
  sheet.responses[sheet.responses.indexOf(former)] = {
    ...former,
    ...editOf(sheet, former, random),
    updated_at: utcText(now - random.integer(0, 9) * minute),
  }
  changes.edited.push(former.id)
}

/** What is changed in a response of its shape; never what stands there already. */
function editOf(sheet: EventState, former: SampleResponse, random: Random): Partial<SampleResponse> {
  const shape = shapeOf(former)
  if (shape === 'payment' || random.chance(0.25)) return { message: otherMessage(former, random) }
  const quantity = random.weighted(partySizes.filter(([size]) => size !== former.quantity))
  if (shape === 'signup')
    return random.chance(0.6) ? { slots: moveSlot(sheet, former, random) } : { quantity }
  if (former.rsvp !== 'no' && random.chance(0.4)) return { quantity }
  const rsvp = random.weighted(rsvpWeights.filter(([reply]) => reply !== former.rsvp))
  return { rsvp, quantity: rsvp === 'no' ? 0 : quantity }
}

/** Another phrase of the same language, or a nod where there was none. */
function otherMessage(former: SampleResponse, random: Random): string {
  const spoken = Object.values(phrases).find((known) => known.some((phrase) => phrase === former.message))
  return random.pick((spoken ?? ['👍', '🙂', '✅']).filter((phrase) => phrase !== former.message))
}

/** The same sign-up with one slot given up, for another that it did not have when there is one. */
function moveSlot(sheet: EventState, former: SampleResponse, random: Random): SampleSlot[] {
  const had = (former.slots ?? []).map(({ name }) => name)
  const free = sheet.offered.map(({ name }) => name).filter((name) => !had.includes(name))
  const chosen = new Set([...random.sample(had, had.length - 1), ...random.sample(free, 1)])
  return sheet.offered.filter(({ name }) => chosen.has(name)).map(withoutWeight)
}

function announce(sheets: EventState[], people: People, step: Step): void {
  const { now, random, changes } = step
  const series = random.pick(adHocEvents)
  const guests = random.sample(people[series.place], people[series.place].length)
  const known = new Set(sheets.map(({ event }) => event.id))
  let date = random.pick(datesOf(series, now))
  while (known.has(eventId(series, date))) date = plusDays(date, 7)
  const sheet = createEventState(series, date, 0, guests)
  sheets.push(sheet)
  changes.events.push(sheet.event.id)
  addAnswers(sheet, random.integer(...series.size), step)
}
