import { advanceEvents, stepLength, type StepChanges } from './advance.ts'
import { day, hour } from './calendar.ts'
import { addEdgeCases } from './edge-cases.ts'
import { createEventStates, type EventState } from './event-state.ts'
import type { SampleEvent, SampleResponse } from './items.ts'
import { generatePeople, type Place } from './people.ts'
import { programme } from './programme.ts'
import { createRandom, type Random } from './random.ts'
import { addResponses } from './responses.ts'

/** An invented account: about 60 events over two years around a moment, with some 5,000 responses in every shape. */
export interface SampleAccount {
  readonly email: string
  /** In the order of time. */
  events(): readonly SampleEvent[]
  /** In the order of ids; undefined when there is no such event. */
  responses(eventId: string): readonly SampleResponse[] | undefined
  /**
   * Moves the account on by ten minutes: new responses, edits and a few cancellations in some coming events.
   * What is lost in one step stays below the deletion guard of a mirror.
   */
  advance(): StepChanges
}

export interface SampleAccountOptions {
  /** The same seed and the same `now` give the same account, and the same steps after it. */
  readonly seed: string | number
  /** The moment around which the account lies. */
  readonly now: Date
}

/** People of each house: more than the largest list needs, so that there are some left to reply later. */
const peoplePerPlace = 340

export const sampleEmail = 'hello@lantern-houses.example'

export function createSampleAccount({ seed, now }: SampleAccountOptions): SampleAccount {
  const random = createRandom(`sample account ${seed}`)
  // The account ends an hour ago, so that the first steps too lie in the past of whoever looks.
  let clock = now.getTime() - hour
  let lastId = 4_100_000
  const nextId = () => (lastId += random.integer(1, 7))

  const guests = (place: Place) => generatePeople(place, peoplePerPlace, random.fork(place))
  const people = { berlin: guests('berlin'), brooklyn: guests('brooklyn'), kolkata: guests('kolkata') }
  const events = programme
    .flatMap((series) =>
      createEventStates(series, clock, () => random.sample(people[series.place], peoplePerPlace)),
    )
    .toSorted((a, b) => a.startsAt - b.startsAt)
  for (const event of events) {
    addResponses(event, countAt(event, clock, random), replySpan(event, clock), random, nextId)
  }
  addEdgeCases(events)

  return {
    email: sampleEmail,
    events: () => events.map(({ event }) => event),
    responses: (eventId) => events.find(({ event }) => event.id === eventId)?.responses.slice(),
    advance() {
      clock += stepLength
      return advanceEvents(events, clock, random, nextId)
    },
  }
}

/** The further ahead an event is, the fewer have replied. */
function countAt({ series, startsAt }: EventState, now: number, random: Random): number {
  const share = Math.min(1, Math.max(0.15, 1 - (startsAt - now) / (160 * day)))
  return Math.round(random.integer(...series.size) * share)
}

/** The span in which people reply to an event, up to `now`. */
function replySpan({ startsAt }: EventState, now: number): [from: number, to: number] {
  return [Math.min(startsAt - 55 * day, now - 30 * day), Math.min(startsAt - 2 * hour, now)]
}
