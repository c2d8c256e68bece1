/** What each view must show, computed row by row from the tables: the rules of the views, written a second time. */
import { expectedChanges } from './expected-changes.ts'
import { expectedEventViews } from './expected-event-views.ts'
import { expectedSlotViews } from './expected-slot-views.ts'
import {
  dayIn,
  earliest,
  emailKey,
  lastOf,
  money,
  personId,
  type Moment,
  type ShownAccount,
} from './mirror-rows.ts'
import {
  countedResponses,
  expectedOf,
  meaningOf,
  paymentCounts,
  totalPeople,
  type Counted,
} from './counted-responses.ts'
import { latestOf } from './latest.ts'
import type { Row } from './read-views.ts'

export function expectedViews(moment: Moment): ReadonlyMap<string, readonly Row[]> {
  const accounts = moment
    .table('accounts')
    .filter(({ name }) => moment.account === null || moment.account === name)
    .map((row): ShownAccount => ({
      id: Number(row['id']),
      name: String(row['name']),
      zone: moment.timeZone ?? String(row['time_zone']),
      row,
    }))
  const counted = countedResponses(moment)
  const views = new Map<string, Row[]>()
  const add = (name: string, rows: readonly Row[]) => views.set(name, [...(views.get(name) ?? []), ...rows])
  for (const account of accounts) {
    const own = counted.filter(({ account_id }) => account_id === account.id)
    add('respondents', respondents(moment, account, own))
    add('rsvp_values', rsvpValues(moment, account, own))
    add('payments_by_month', paymentsByMonth(account, own))
    for (const [name, rows] of expectedEventViews(moment, account, own)) add(name, rows)
    for (const [name, rows] of expectedSlotViews(moment, account, own)) add(name, rows)
    for (const [name, rows] of expectedChanges(moment, account)) add(name, rows)
  }
  return views
}

function respondents(moment: Moment, account: ShownAccount, own: readonly Counted[]): Row[] {
  const persons = Map.groupBy(
    own.filter(({ email }) => emailKey(email) !== null),
    ({ key }) => key ?? '',
  )
  return [...persons].map(([key, responses]) => {
    const byEvent = [...Map.groupBy(responses, ({ event_id }) => event_id).values()]
    return {
      account_id: account.id,
      account: account.name,
      person_id: personId(moment.secret, account.id, key),
      email_key: key,
      name: latestOf(responses, ({ name }) => name),
      email: latestOf(responses, ({ email }) => email),
      names: String(new Set(responses.flatMap(({ name }) => name ?? [])).size),
      responses: String(responses.length),
      events: String(byEvent.length),
      events_coming: String(byEvent.filter((list) => expectedOf(list) > 0n).length),
      people: totalPeople(responses),
      sign_ups: String(responses.filter(({ slots }) => slots.length > 0).length),
      payments: String(responses.filter(({ payment }) => payment !== null).length),
      ...money(responses.flatMap(({ payment }) => payment ?? [])),
      first_response_at: earliest(responses.map(({ created_at }) => created_at)),
      last_response_at: lastOf(responses.map(({ created_at }) => created_at)),
    }
  })
}

function rsvpValues(moment: Moment, account: ShownAccount, own: readonly Counted[]): Row[] {
  const values = Map.groupBy(
    own.filter(({ rsvp }) => rsvp !== null),
    ({ rsvp }) => rsvp ?? '',
  )
  return [...values].map(([value, list]) => ({
    account_id: account.id,
    account: account.name,
    value,
    responses: String(list.length),
    meaning: meaningOf(moment, value),
  }))
}

function paymentsByMonth(account: ShownAccount, own: readonly Counted[]): Row[] {
  const paying = own.filter(({ payment }) => payment !== null)
  const months = Map.groupBy(paying, ({ created_at }) => dayIn(account.zone, created_at)?.slice(0, 7) ?? null)
  return [...months].map(([month, list]) => {
    const { payments, ...counts } = paymentCounts(list)
    return {
      account_id: account.id,
      account: account.name,
      month: month === null ? null : `${month}-01`,
      events: String(new Set(list.map(({ event_id }) => event_id)).size),
      payments,
      ...counts,
      ...money(list.flatMap(({ payment }) => payment ?? [])),
    }
  })
}
