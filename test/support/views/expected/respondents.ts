/** The persons of an event, and those of the account. */
import { isNegative } from './decimals.ts'
import { earliest, latest } from './instants.ts'
import { money } from './payments.ts'
import { sumOf, type Meaning } from './people.ts'
import type { EventRow, ViewRow } from './rows.ts'
import { byCreation, ofAccount, ofEvent, type LiveResponse, type World } from './world.ts'

export function eventRespondents(world: World): ViewRow[] {
  return [...world.events.values()].flatMap((event) => {
    const responses = world.responses.filter(({ row }) => row.event_id === event.id)
    const persons = Map.groupBy(responses, ({ person }) => person)
    return [...persons.values()].map((ofPerson) =>
      eventRespondent(world, event, ofPerson.toSorted(byCreation)),
    )
  })
}

/** The responses are those of one person, oldest first. */
function eventRespondent(world: World, event: EventRow, responses: readonly LiveResponse[]): ViewRow {
  const key = responses[0]?.key ?? null
  const paid = responses.filter(({ payment }) => payment !== undefined)
  return {
    ...ofEvent(world, event),
    response_id: key === null ? responses[0]?.row.id : null,
    person_id: world.personIdOf(key),
    email_key: key,
    ...lastNames(responses),
    responses: String(responses.length),
    meaning: responses.findLast(({ isReply }) => isReply)?.meaning ?? null,
    ...repliesInPeople(responses),
    payments: String(paid.length),
    ...money(paid),
    sign_ups: String(responses.filter(({ slots }) => slots.length > 0).length),
    slots: String(responses.flatMap(({ slots }) => slots).length),
    expected: String(expectedPeople(responses)),
    messages: messagesOf(responses),
    ...responseTimes(responses),
  }
}

export function respondents(world: World): ViewRow[] {
  const rows: ViewRow[] = []
  for (const [key, unsorted] of Map.groupBy(world.responses, (response) => response.key)) {
    if (key === null) continue
    const responses = unsorted.toSorted(byCreation)
    const events = Map.groupBy(responses, ({ row }) => row.event_id)
    const paid = responses.filter(({ payment }) => payment !== undefined)
    const names = new Set(responses.map(({ row }) => row.name).filter((name) => name !== null))
    rows.push({
      ...ofAccount(world),
      person_id: world.personIdOf(key),
      email_key: key,
      ...lastNames(responses),
      names: String(names.size),
      responses: String(responses.length),
      events: String(events.size),
      events_coming: String([...events.values()].filter((ofEvent) => expectedPeople(ofEvent) > 0n).length),
      people: String(sumOf(responses.map(({ people }) => people))),
      sign_ups: String(responses.filter(({ slots }) => slots.length > 0).length),
      payments: String(paid.length),
      ...money(paid),
      ...responseTimes(responses),
    })
  }
  return rows
}

/** Rule 9: the responses are those of one person at one event. */
export function expectedPeople(responses: readonly LiveResponse[]): bigint {
  const likely = responses.filter(({ meaning }) => meaning !== 'not_coming')
  const said = sumOf(
    responses.filter(({ isReply, meaning }) => isReply && meaning === 'coming').map(({ people }) => people),
  )
  const paid = sumOf(
    likely
      .filter(({ payment }) => payment !== undefined && !isNegative(payment.amount))
      .map(({ people }) => people),
  )
  const signedUp = likely.some(({ slots }) => slots.length > 0) ? 1n : 0n
  return [said, paid, signedUp].reduce((most, people) => (people > most ? people : most))
}

export function repliesInPeople(responses: readonly LiveResponse[]) {
  const peopleThatMean = (wanted: Meaning) =>
    String(
      sumOf(
        responses.filter(({ isReply, meaning }) => isReply && meaning === wanted).map(({ people }) => people),
      ),
    )
  return {
    coming: peopleThatMean('coming'),
    maybe: peopleThatMean('maybe'),
    unknown: peopleThatMean('unknown'),
  }
}

function lastNames(responses: readonly LiveResponse[]) {
  return {
    name: responses.findLast(({ row }) => row.name !== null)?.row.name ?? null,
    email: responses.findLast(({ row }) => row.email !== null)?.row.email ?? null,
  }
}

function messagesOf(responses: readonly LiveResponse[]): string | null {
  const messages = responses.map(({ row }) => row.message ?? '').filter((message) => message !== '')
  return messages.length === 0 ? null : messages.join('\n')
}

function responseTimes(responses: readonly LiveResponse[]) {
  const made = responses.map(({ row }) => row.created_at)
  return { first_response_at: earliest(made), last_response_at: latest(made) }
}
