import { buildEventStates, generateAllPeople } from './build.ts'
import { hour } from './calendar.ts'
import type { SampleEvent, SampleResponse } from './items.ts'
import { addEdgeCases } from './edge-cases.ts'
import { createRandom } from './random.ts'
import { stepLength, advanceEvents, type StepChanges } from './advance.ts'

/** An invented account: about 60 events over two years around a moment, with some 5,000 responses in every shape. */
export interface SampleAccount {
  readonly email: string
  /** In the order of time. */
  events(): readonly SampleEvent[]
  /** In the order of ids; undefined when there is no such event. */
  responses(eventId: string): readonly SampleResponse[] | undefined
  /**
   * Moves the account on by ten minutes: new responses, edits and a few cancellations in some coming events,
   * and now and then a new event. What is lost in one step stays below the deletion guard of a mirror.
   */
  advance(): StepChanges
}

export interface SampleAccountOptions {
  /** The same seed and the same `now` give the same account, and the same steps after it. */
  readonly seed: string | number
  /** The moment around which the account lies. */
  readonly now: Date
}

export function createSampleAccount({ seed, now }: SampleAccountOptions): SampleAccount {
  const random = createRandom(`sample account ${seed}`)
  // The account ends an hour ago, so that the first steps too lie in the past of whoever looks.
  let clock = now.getTime() - hour
  let lastId = random.integer(4_100_000, 4_200_000)
  const ids = random.fork('ids')
  const nextId = () => (lastId += ids.integer(1, 7))

  const people = generateAllPeople(random.fork('people'))
  const sheets = buildEventStates(people, clock, random.fork('events'), nextId)
  addEdgeCases(sheets)
  let steps = 0

  return {
    email: 'hello@lantern-houses.example',
    events: () => sheets.toSorted((a, b) => a.startsAt - b.startsAt).map(({ event }) => event),
    responses: (eventId) => sheets.find(({ event }) => event.id === eventId)?.responses.slice(),
    advance() {
      steps += 1
      clock += stepLength
      return advanceEvents(sheets, people, clock, random.fork(`step ${steps}`), nextId)
    },
  }
}
