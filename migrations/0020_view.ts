/** How the views are declared: each column with its comment, and conditions and expressions that many of them share. */
import { isShown } from './0012_account_setting.ts'

interface ViewDeclaration {
  readonly name: string
  readonly comment: string
  /** The comment of each column that no other view has, or that means something else here. */
  readonly columns?: Readonly<Record<string, string>>
  readonly query: string
}

const shared = {
  account_id: 'The account (accounts.id).',
  account: 'Name of the account.',
  event_id: 'The event (events.id).',
  event_title: 'Event title.',
  event_type: 'Kind of event as the service spells it.',
  event_at: 'When the event takes place.',
  event_day: 'Day of the event in the zone of the account.',
  response_id: 'The response (responses.id).',
  person_id:
    'Pseudonym of the person within the account, made from the e-mail key and a secret; NULL without an e-mail key.',
  email_key: 'The e-mail address by which a person is found (function email_key).',
  responses: 'Live responses.',
  coming: 'People of replies that mean coming.',
  maybe: 'People of replies that mean maybe.',
  unknown: 'People of replies whose value has no meaning in rsvp_meanings.',
  payments: 'Responses with a payment.',
  without_amount: 'Payments whose amount is absent or was set aside.',
  negative: 'Payments whose amount is below 0.',
  amount:
    'Sum of the amounts, exact; NULL when there is none. A payment that the service lowers or drops changes the original response. The service names no currency.',
  processing_fee: 'Sum of the processing fees, exact; NULL when there is none.',
  amount_after_fee: 'Amount minus fee. The service does not say whether the amount contains the fee.',
  sign_ups: 'Responses with at least one slot.',
  first_response_at: 'When the first of the responses was made.',
  last_response_at: 'When the last of the responses was made.',
  slot_name: 'Slot label.',
  start_date: 'Start as an instant.',
  end_date: 'End as an instant.',
  start_local: 'Start on the wall clock as sent; the earliest where offsets differ.',
  end_local: 'End on the wall clock as sent; the earliest where offsets differ.',
  changed_at: 'When a run stored the change.',
  change: 'insert (it came, or came back), update or delete (the service no longer returned it).',
  initial:
    'Whether this insert is only the first reading of what was there before the mirror, and no news; false of all else.',
  run_id:
    'The run that stored the change (sync_runs.id); NULL of inserts that were archived before migration 18.',
} as const satisfies Readonly<Record<string, string>>

/** The columns that the comments of all views know: a test finds a column without a comment. */
export function view({ name, comment, columns, query }: ViewDeclaration): readonly string[] {
  const comments = { ...shared, ...columns }
  return [
    `create or replace view headcount.${name} as${query}`,
    `comment on view headcount.${name} is ${literal(comment)}`,
    `do $$
     declare
       comments jsonb := ${literal(JSON.stringify(comments))};
       named name;
     begin
       for named in
         select attname from pg_attribute where attrelid = 'headcount.${name}'::regclass and attnum > 0 and comments ? attname
       loop
         execute format('comment on column headcount.${name}.%I is %L', named, comments->>named);
       end loop;
     end $$`,
  ]
}

const literal = (text: string) => `'${text.replaceAll("'", "''")}'`

/** Which instant is which day: the zone of the session, else of the account `a`. */
export const zone = `cross join lateral (
       select coalesce(nullif(current_setting('headcount.time_zone', true), ''), a.time_zone) as name
     ) zone`

/** The day on which an instant falls there. */
export const dayOf = (instant: string) => `(${instant} at time zone zone.name)::date`

/** The live events that the setting headcount.account shows, with their account and zone. */
export const shownEvents = `headcount.events e
      join headcount.accounts a on a.id = e.account_id and ${isShown('e')}
     ${zone}`

/** The first columns of a view with a row for an event. */
export const eventColumns = `e.account_id, a.name as account, e.id as event_id, e.title as event_title`

/** Amount minus fee; NULL when neither is known. */
export const amountAfterFee = (amount: string, fee: string) =>
  `case when ${amount} is not null or ${fee} is not null then coalesce(${amount}, 0) - coalesce(${fee}, 0) end`

/** The pseudonym of a person. */
export const personId = (account: string, key: string) =>
  `headcount_internal.person_id((select secret from headcount.person_id_secret), ${account}, ${key})`

/** One person: all responses with the same e-mail key; a response without one is a person of its own. No key has a blank at its start. */
export const person = (key: string, id: string) => `coalesce(${key}, ' ' || ${id})`

/** The last of the values that are not NULL, in the order of `created_at` (NULL first) and id. */
export const latest = (
  value: string,
  row: string,
  condition = `${value} is not null`,
  ids = `${row}.id desc`,
) => `(array_agg(${value} order by ${row}.created_at desc nulls last, ${ids}) filter (where ${condition}))[1]`
