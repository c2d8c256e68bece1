/** Views with a row for an event, or for a person or a day of one, computed from the tables. */
import { expectedOf, paymentCounts, peopleMeaning, totalPeople, type Counted } from './counted-responses.ts'
import { latestOf, oldestFirst } from './latest.ts'
import {
  byTime,
  DAY,
  dayIn,
  daysBetween,
  earliest,
  lastOf,
  microseconds,
  money,
  parseDecimal,
  personId,
  text,
  type Moment,
  type ShownAccount,
} from './mirror-rows.ts'
import type { Row } from './read-views.ts'
import { lastVersions, type Withdrawn } from './withdrawn.ts'

export function expectedEventViews(
  moment: Moment,
  account: ShownAccount,
  own: readonly Counted[],
): ReadonlyMap<string, readonly Row[]> {
  const events = moment.table('events').filter(({ account_id }) => account_id === account.id)
  const withdrawn = lastVersions(moment, account.id)
  const of = (event: Row) => own.filter(({ event_id }) => event_id === event['id'])
  return new Map([
    ['event_summary', events.map((event) => eventSummary(moment, account, event, of(event)))],
    ['event_respondents', events.flatMap((event) => eventRespondents(moment, account, event, of(event)))],
    ['payment_summary', events.flatMap((event) => paymentSummary(account, event, of(event)))],
    [
      'response_pace',
      events.flatMap((event) =>
        responsePace(
          moment,
          account,
          event,
          of(event),
          withdrawn.filter(({ event_id }) => event_id === event['id']),
        ),
      ),
    ],
    ['similar_events', events.flatMap((event) => similarEvents(account, event, events, own))],
  ])
}

const head = (account: ShownAccount, event: Row) => ({
  account_id: account.id,
  account: account.name,
  event_id: event['id'],
  event_title: event['title'],
})

/** Counts of replies, payments and sign-ups that both views have. */
const figures = (responses: readonly Counted[]) => ({
  coming: peopleMeaning(responses, 'coming'),
  maybe: peopleMeaning(responses, 'maybe'),
  unknown: peopleMeaning(responses, 'unknown'),
  payments: String(responses.filter(({ payment }) => payment !== null).length),
  ...money(responses.flatMap(({ payment }) => payment ?? [])),
  sign_ups: String(responses.filter(({ slots }) => slots.length > 0).length),
  first_response_at: earliest(responses.map(({ created_at }) => created_at)),
  last_response_at: lastOf(responses.map(({ created_at }) => created_at)),
})

export const slotKey = (slot: Row) => JSON.stringify([slot['name'], slot['start_date'], slot['end_date']])

function eventSummary(moment: Moment, account: ShownAccount, event: Row, responses: readonly Counted[]): Row {
  const persons = [...Map.groupBy(responses, ({ person }) => person).values()]
  const day = dayIn(account.zone, text(event['event_at']))
  const isRecent = (instant: string | null) =>
    instant !== null && microseconds(instant) > microseconds(moment.now) - 7n * DAY
  const isOfEvent = (row: Row) => row['account_id'] === account.id && row['event_id'] === event['id']
  const versions = moment
    .table('response_history')
    .filter((row) => isOfEvent(row) && isRecent(String(row['valid_to'])))
  const live = new Set(responses.map(({ id }) => id))
  const changed = (operation: string, isLive: boolean) =>
    new Set(
      versions
        .filter((row) => row['operation'] === operation && live.has(String(row['response_id'])) === isLive)
        .map((row) => row['response_id']),
    ).size
  const state = moment.table('sync_state').find(isOfEvent)
  const accepted = new Set(
    moment
      .table('accepted_rejects')
      .filter(isOfEvent)
      .map((row) => row['sha256']),
  )
  const open = moment.table('rejects').filter((row) => isOfEvent(row) && !accepted.has(row['sha256']))
  return {
    ...head(account, event),
    event_type: event['event_type'],
    event_at: event['event_at'],
    event_day: day,
    days_until: daysBetween(day, dayIn(account.zone, moment.now)),
    responses: String(responses.length),
    respondents: String(persons.length),
    without_email: String(responses.filter(({ key }) => key === null).length),
    replies: String(responses.filter(({ isReply }) => isReply).length),
    not_coming: String(
      responses.filter(({ isReply, meaning }) => isReply && meaning === 'not_coming').length,
    ),
    ...figures(responses),
    slots: String(new Set(responses.flatMap(({ slots }) => slots.map(slotKey))).size),
    people: totalPeople(responses),
    expected: String(persons.reduce((sum, list) => sum + expectedOf(list), 0n)),
    new_7d: String(responses.filter(({ created_at }) => isRecent(created_at)).length),
    edited_7d: String(changed('update', true)),
    withdrawn_7d: String(changed('delete', false)),
    checked_at: state?.['checked_at'] ?? null,
    complete:
      state !== undefined &&
      state['checked_at'] !== null &&
      state['error_code'] === null &&
      state['held_deletion_count'] === 0 &&
      open.length === 0,
  }
}

function eventRespondents(
  moment: Moment,
  account: ShownAccount,
  event: Row,
  responses: readonly Counted[],
): Row[] {
  return [...Map.groupBy(responses, ({ person }) => person).values()].map((list) => {
    const key = list[0]?.key ?? null
    const messages = list.toSorted(oldestFirst).flatMap(({ message }) => message || [])
    return {
      ...head(account, event),
      event_at: event['event_at'],
      response_id: key === null ? list[0]?.id : null,
      person_id: personId(moment.secret, account.id, key),
      email_key: key,
      name: latestOf(list, ({ name }) => name),
      email: latestOf(list, ({ email }) => email),
      responses: String(list.length),
      meaning: latestOf(list, ({ isReply, meaning }) => (isReply ? meaning : null)),
      ...figures(list),
      slots: String(list.reduce((sum, { slots }) => sum + slots.length, 0)),
      expected: String(expectedOf(list)),
      messages: messages.length === 0 ? null : messages.join('\n'),
    }
  })
}

function paymentSummary(account: ShownAccount, event: Row, responses: readonly Counted[]): Row[] {
  const paying = responses.filter(({ payment }) => payment !== null)
  if (paying.length === 0) return []
  const amounts = paying
    .flatMap(({ payment }) => payment?.amount ?? [])
    .toSorted((a, b) => Number(parseDecimal(a) > parseDecimal(b)) - Number(parseDecimal(a) < parseDecimal(b)))
  return [
    {
      ...head(account, event),
      event_at: event['event_at'],
      event_day: dayIn(account.zone, text(event['event_at'])),
      ...paymentCounts(paying),
      payers: String(new Set(paying.map(({ person }) => person)).size),
      ...money(paying.flatMap(({ payment }) => payment ?? [])),
      smallest_amount: amounts[0] ?? null,
      largest_amount: amounts.at(-1) ?? null,
      first_payment_at: earliest(paying.map(({ created_at }) => created_at)),
      last_payment_at: lastOf(paying.map(({ created_at }) => created_at)),
    },
  ]
}

function responsePace(
  moment: Moment,
  account: ShownAccount,
  event: Row,
  responses: readonly Counted[],
  withdrawn: readonly Withdrawn[],
): Row[] {
  const day = (instant: string) => dayIn(account.zone, instant) ?? ''
  const moves = [
    ...responses.map(({ created_at, firstSeenAt, people }) => ({
      day: day(created_at ?? firstSeenAt),
      people,
      sign: 1,
    })),
    ...withdrawn.flatMap(({ createdAt, withdrawnAt, people }) => [
      { day: day(createdAt), people, sign: 1 },
      { day: day(withdrawnAt), people, sign: -1 },
    ]),
  ]
  const firstRun = moment
    .table('sync_runs')
    .find(({ id }) => id !== null && id === account.row['first_listed_run_id'])
  const known = lastOf([text(firstRun?.['started_at']), text(account.row['_history_from'])])
  const eventDay = dayIn(account.zone, text(event['event_at']))
  let responsesSoFar = 0
  let peopleSoFar = 0n
  return [...new Set(moves.map((move) => move.day))].toSorted().map((today) => {
    const of = (sign: number) => moves.filter((move) => move.day === today && move.sign === sign)
    const people = (sign: number) => of(sign).reduce((sum, move) => sum + move.people, 0n)
    responsesSoFar += of(1).length - of(-1).length
    peopleSoFar += people(1) - people(-1)
    return {
      ...head(account, event),
      event_day: eventDay,
      day: today,
      days_before: daysBetween(eventDay, today),
      new_responses: String(of(1).length),
      withdrawn_responses: String(of(-1).length),
      new_people: String(people(1)),
      withdrawn_people: String(people(-1)),
      responses_so_far: String(responsesSoFar),
      people_so_far: String(peopleSoFar),
      known_since: dayIn(account.zone, known),
    }
  })
}

function similarEvents(
  account: ShownAccount,
  event: Row,
  events: readonly Row[],
  own: readonly Counted[],
): Row[] {
  const plain = (row: Row) => text(row['title'])?.replace(/[0-9 \t\n\r\f\v]/g, '') ?? null
  const at = text(event['event_at'])
  if (at === null || plain(event) === null) return []
  return events
    .filter((other) => {
      const otherAt = text(other['event_at'])
      if (otherAt === null || microseconds(otherAt) >= microseconds(at)) return false
      if (other['event_type'] !== event['event_type'] || plain(other) !== plain(event)) return false
      return own.some(({ event_id }) => event_id === other['id'])
    })
    .toSorted(
      (a, b) =>
        byTime(text(b['event_at']), text(a['event_at'])) ||
        Buffer.compare(Buffer.from(String(b['id'])), Buffer.from(String(a['id']))),
    )
    .slice(0, 3)
    .map((other, index) => ({
      account_id: account.id,
      account: account.name,
      event_id: event['id'],
      similar_event_id: other['id'],
      similar_event_title: other['title'],
      similar_event_at: other['event_at'],
      rank: index + 1,
    }))
}
