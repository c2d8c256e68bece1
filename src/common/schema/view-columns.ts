/**
 * The columns of the views that answer what organisers ask, in their order. Types of rows are made from this declaration; a test
 * compares it with the database.
 */
import type { SqlType } from './live-tables.ts'
import type { ValueTypes } from './items.ts'

type ColumnType = SqlType | 'bool' | 'date' | 'text[]'
type ViewType = ColumnType | `${ColumnType} not null`

const OF_ACCOUNT = { account_id: 'int not null', account: 'text not null' } as const

const OF_EVENT = {
  ...OF_ACCOUNT,
  event_id: 'text not null',
  event_title: 'text',
  event_at: 'timestamptz',
} as const

const MONEY = { amount: 'numeric', processing_fee: 'numeric', amount_after_fee: 'numeric' } as const

const SIGN_UPS_OF_SLOT = {
  ...OF_EVENT,
  slot_name: 'text',
  start_date: 'timestamptz',
  end_date: 'timestamptz',
  start_local: 'timestamp',
  end_local: 'timestamp',
  sign_ups: 'bigint not null',
  respondents: 'bigint not null',
  people: 'numeric not null',
  wanted: 'int not null',
} as const

export const VIEWS = {
  changes: {
    ...OF_ACCOUNT,
    run_id: 'bigint',
    run_finished_at: 'timestamptz',
    changed_at: 'timestamptz not null',
    entity: 'text not null',
    event_id: 'text not null',
    response_id: 'bigint',
    change: 'text not null',
    initial: 'bool not null',
    event_title: 'text',
    event_at: 'timestamptz',
    person_id: 'text',
    fields: 'text[]',
    record: 'jsonb not null',
    former: 'jsonb',
  },
  event_changes: {
    ...OF_EVENT,
    changed_at: 'timestamptz not null',
    run_id: 'bigint',
    change: 'text not null',
    what: 'text not null',
    field: 'text',
    old_value: 'text',
    new_value: 'text',
    initial: 'bool not null',
  },
  event_respondents: {
    ...OF_EVENT,
    response_id: 'bigint',
    person_id: 'text',
    email_key: 'text',
    name: 'text',
    email: 'text',
    responses: 'bigint not null',
    meaning: 'text',
    coming: 'numeric not null',
    maybe: 'numeric not null',
    unknown: 'numeric not null',
    payments: 'bigint not null',
    ...MONEY,
    sign_ups: 'bigint not null',
    slots: 'bigint not null',
    expected: 'numeric not null',
    messages: 'text',
    first_response_at: 'timestamptz',
    last_response_at: 'timestamptz',
  },
  event_summary: {
    ...OF_ACCOUNT,
    event_id: 'text not null',
    event_title: 'text',
    event_type: 'text',
    event_at: 'timestamptz',
    event_day: 'date',
    days_until: 'int',
    responses: 'bigint not null',
    respondents: 'bigint not null',
    without_email: 'bigint not null',
    replies: 'bigint not null',
    coming: 'numeric not null',
    maybe: 'numeric not null',
    unknown: 'numeric not null',
    not_coming: 'bigint not null',
    payments: 'bigint not null',
    ...MONEY,
    sign_ups: 'bigint not null',
    slots: 'bigint not null',
    people: 'numeric not null',
    expected: 'numeric not null',
    first_response_at: 'timestamptz',
    last_response_at: 'timestamptz',
    new_7d: 'bigint not null',
    edited_7d: 'bigint not null',
    withdrawn_7d: 'bigint not null',
    checked_at: 'timestamptz',
    complete: 'bool not null',
  },
  payment_summary: {
    ...OF_EVENT,
    event_day: 'date',
    payments: 'bigint not null',
    payers: 'bigint not null',
    without_amount: 'bigint not null',
    negative: 'bigint not null',
    ...MONEY,
    smallest_amount: 'numeric',
    largest_amount: 'numeric',
    first_payment_at: 'timestamptz',
    last_payment_at: 'timestamptz',
  },
  payments_by_month: {
    ...OF_ACCOUNT,
    month: 'date',
    events: 'bigint not null',
    payments: 'bigint not null',
    without_amount: 'bigint not null',
    negative: 'bigint not null',
    ...MONEY,
  },
  respondents: {
    ...OF_ACCOUNT,
    person_id: 'text',
    email_key: 'text',
    name: 'text',
    email: 'text',
    names: 'bigint',
    responses: 'bigint not null',
    events: 'bigint not null',
    events_coming: 'bigint not null',
    people: 'numeric not null',
    sign_ups: 'bigint not null',
    payments: 'bigint not null',
    ...MONEY,
    first_response_at: 'timestamptz',
    last_response_at: 'timestamptz',
  },
  response_changes: {
    ...OF_ACCOUNT,
    event_id: 'text not null',
    response_id: 'bigint',
    changed_at: 'timestamptz not null',
    change: 'text not null',
    field: 'text',
    old_value: 'text',
    new_value: 'text',
    event_title: 'text',
    name: 'text',
    initial: 'bool not null',
    run_id: 'bigint',
  },
  response_pace: {
    ...OF_ACCOUNT,
    event_id: 'text not null',
    event_title: 'text',
    event_day: 'date',
    day: 'date not null',
    days_before: 'int',
    new_responses: 'bigint not null',
    withdrawn_responses: 'bigint not null',
    new_people: 'numeric not null',
    withdrawn_people: 'numeric not null',
    responses_so_far: 'bigint not null',
    people_so_far: 'numeric not null',
    known_since: 'date',
  },
  rsvp_values: {
    ...OF_ACCOUNT,
    value: 'text',
    responses: 'bigint not null',
    meaning: 'text',
  },
  run_summary: {
    ...OF_ACCOUNT,
    run_id: 'bigint',
    mode: 'text',
    status: 'text',
    started_at: 'timestamptz',
    finished_at: 'timestamptz',
    events_listed: 'bigint',
    events_due: 'bigint',
    events_changed: 'bigint',
    events_failed: 'bigint',
    responses_inserted: 'bigint',
    responses_updated: 'bigint',
    responses_deleted: 'bigint',
    held: 'bigint',
    rejected: 'bigint',
    set_aside: 'bigint',
  },
  similar_events: {
    ...OF_ACCOUNT,
    event_id: 'text not null',
    similar_event_id: 'text not null',
    similar_event_title: 'text',
    similar_event_at: 'timestamptz',
    rank: 'int not null',
  },
  slot_summary: {
    ...SIGN_UPS_OF_SLOT,
    is_upcoming: 'bool',
    last_sign_up_at: 'timestamptz',
  },
  thin_slots: {
    ...SIGN_UPS_OF_SLOT,
    last_sign_up_at: 'timestamptz',
    missing: 'numeric not null',
    emptied_at: 'timestamptz',
  },
} as const satisfies Readonly<Record<string, Readonly<Record<string, ViewType>>>>

export type ViewName = keyof typeof VIEWS

/** How a value arrives: big integers and exact numbers as text, days as `YYYY-MM-DD`. */
export interface ViewValueTypes extends ValueTypes {
  bool: boolean
  date: string
  'text[]': readonly string[]
}

/** The value of a column of this type. */
export type ViewValue<Type> = Type extends `${infer Bare} not null`
  ? Bare extends keyof ViewValueTypes
    ? ViewValueTypes[Bare]
    : never
  : Type extends keyof ViewValueTypes
    ? ViewValueTypes[Type] | null
    : never

/** A row of a view, as the drivers give it. */
export type ViewRow<View extends ViewName> = {
  readonly [Column in keyof (typeof VIEWS)[View]]: ViewValue<(typeof VIEWS)[View][Column]>
}
