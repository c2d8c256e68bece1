import { day, minute, utcText } from './calendar.ts'
import type { EventState } from './event-state.ts'
import { shapeOf, type SampleResponse } from './items.ts'
import type { Random } from './random.ts'
import { addResponses, rsvpWeights } from './responses.ts'

/** What a step did, by the ids of the responses. */
export interface StepChanges {
  readonly added: number[]
  readonly edited: number[]
  readonly cancelled: number[]
}

/** How far a step moves the account's clock. */
export const stepLength = 10 * minute

/** Lists shorter than this lose nobody, so that none is ever emptied. */
const shortList = 12

/** A mirror holds the deletions of a list that lost rows and now has such a length: it may be the first page of a longer one. */
const pageLengths: ReadonlySet<number> = new Set([50, 100, 200, 250, 500, 1000])

/** Moves some coming events on by one step ending at `now`; the next event always takes part. */
export function advanceEvents(
  events: readonly EventState[],
  now: number,
  random: Random,
  nextId: () => number,
): StepChanges {
  const changes: StepChanges = { added: [], edited: [], cancelled: [] }
  const [next, ...others] = events
    .filter(({ startsAt }) => startsAt > now + day)
    .toSorted((a, b) => a.startsAt - b.startsAt)
  for (const event of next === undefined ? [] : [next, ...random.sample(others, random.integer(5, 8))]) {
    const { responses } = event
    const untouched = random.sample(responses, responses.length)
    const cancel = (count: number) => {
      for (const gone of untouched.splice(0, count)) {
        responses.splice(responses.indexOf(gone), 1)
        changes.cancelled.push(gone.id)
      }
    }
    if (responses.length >= shortList) cancel(random.integer(1, 2))
    for (const former of untouched.splice(0, random.integer(1, 3))) {
      const updated_at = utcText(now - random.integer(0, 9) * minute)
      responses[responses.indexOf(former)] = { ...former, ...changeOf(event, former, random), updated_at }
      changes.edited.push(former.id)
    }
    changes.added.push(...addResponses(event, random.integer(1, 3), [now - stepLength, now], random, nextId))
    if (pageLengths.has(responses.length)) cancel(1)
  }
  return changes
}

/** What is changed in a response of its shape; never what stands there already. */
function changeOf({ offered }: EventState, former: SampleResponse, random: Random): Partial<SampleResponse> {
  const shape = shapeOf(former)
  if (shape === 'payment')
    return { message: random.pick(['👍', '🙂', '✅'].filter((text) => text !== former.message)) }
  if (shape === 'reply') {
    const rsvp = random.weighted(rsvpWeights.filter(([reply]) => reply !== former.rsvp))
    return { rsvp, quantity: rsvp === 'no' ? 0 : random.integer(1, 4) }
  }
  const names = offered.map(([{ name }]) => name)
  const had = (former.slots ?? []).map(({ name }) => name)
  const free = names.filter((name) => !had.includes(name))
  const chosen = new Set([...random.sample(had, had.length - 1), ...random.sample(free, 1)])
  return { slots: offered.flatMap(([slot]) => (chosen.has(slot.name) ? [slot] : [])) }
}
