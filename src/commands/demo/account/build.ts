import { draftAnswer, replySpan, type Draft } from './answers.ts'
import { day } from './calendar.ts'
import { generatePeople, type Person, type Place } from './people/people.ts'
import { programme } from './programme.ts'
import type { Random } from './random.ts'
import { datesOf, createEventState, type EventState } from './event-state.ts'

/** People of each house: more than the largest list needs, so that there are some left to reply later. */
const peoplePerPlace = 340

/** Lengths at which a list that lost rows looks like one page of it (design: the deletion guard); no list here has one. */
export const pageLengths: ReadonlySet<number> = new Set([50, 100, 200, 250, 500, 1000])

export type People = Record<Place, readonly Person[]>

export function generateAllPeople(random: Random): People {
  return {
    berlin: generatePeople('berlin', peoplePerPlace, random.fork('berlin')),
    brooklyn: generatePeople('brooklyn', peoplePerPlace, random.fork('brooklyn')),
    kolkata: generatePeople('kolkata', peoplePerPlace, random.fork('kolkata')),
  }
}

/** Every event of the programme with its list as it stands at `now`. */
export function buildEventStates(
  people: People,
  now: number,
  random: Random,
  nextId: () => number,
): EventState[] {
  const sheets = programme.flatMap((series) => {
    const guests = people[series.place]
    return datesOf(series, now).map((date, turn) =>
      createEventState(series, date, turn, random.sample(guests, guests.length)),
    )
  })
  enterAnswers(
    sheets.flatMap((sheet) => firstAnswers(sheet, now, random.fork(sheet.event.id))),
    nextId,
  )
  return sheets
}

/** Gives ids in the order of the replies, as a service does that counts them up. */
export function enterAnswers(drafts: Draft[], nextId: () => number): void {
  for (const draft of drafts.toSorted((a, b) => a.createdAt - b.createdAt)) {
    draft.sheet.responses.push({ id: nextId(), ...draft.item })
  }
}

function firstAnswers(sheet: EventState, now: number, random: Random): Draft[] {
  const { from, to } = replySpan(sheet, now)
  const people = sheet.guests.splice(0, countOf(sheet, now, random))
  return people.map((person) => draftAnswer(sheet, person, from, to, random))
}

/** The further ahead an event is, the fewer have replied. */
function countOf(sheet: EventState, now: number, random: Random): number {
  const full = random.integer(...sheet.series.size)
  const share = Math.min(1, Math.max(0.15, 1 - (sheet.startsAt - now) / (160 * day)))
  const count = Math.round(full * share)
  return pageLengths.has(count) ? count + 1 : count
}
