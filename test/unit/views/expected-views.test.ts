/** Small accounts whose views are computed by hand: who computes the views to check others is checked here. */
import { createHash } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { expectedViews } from '../../support/views/expected/expected-views.ts'
import type * as rows from '../../support/views/expected/rows.ts'

const settings: rows.ViewSettings = {
  now: '2026-06-10T12:00:00Z',
  account: null,
  timeZone: null,
  secret: new Uint8Array(32).fill(7),
}

const account: rows.AccountRow = {
  id: 1,
  name: 'north',
  time_zone: 'UTC',
  _history_from: null,
  first_listed_run_id: '1',
}

const runs: rows.RunRow[] = [1, 2, 3].map((day) => ({
  id: String(day),
  account_id: 1,
  mode: 'sync',
  status: 'succeeded',
  started_at: `2026-06-0${day}T00:00:00Z`,
  finished_at: `2026-06-0${day}T00:01:00Z`,
}))

const empty: rows.MirrorRows = {
  accounts: [account],
  sync_runs: runs,
  sync_state: [],
  events: [],
  responses: [],
  payments: [],
  slots: [],
  event_history: [],
  response_history: [],
  rejects: [],
  accepted_rejects: [],
  rsvp_meanings: [
    { value: 'yes', meaning: 'coming' },
    { value: 'maybe', meaning: 'maybe' },
    { value: 'no', meaning: 'not_coming' },
  ],
  slot_targets: [],
}

const stored = {
  account_id: 1,
  _extra: null,
  _first_seen_at: '2026-06-01T00:00:30Z',
  _changed_at: '2026-06-01T00:00:30Z',
  _run_id: '1',
}

function event(fields: Partial<rows.EventRow> = {}): rows.EventRow {
  return {
    ...stored,
    id: 'e1',
    title: 'Picnic',
    event_at: '2026-06-20T18:00:00Z',
    description: null,
    event_type: null,
    location: null,
    ...fields,
  }
}

function response(id: number, fields: Partial<rows.ResponseRow> = {}): rows.ResponseRow {
  return {
    ...stored,
    event_id: 'e1',
    id: String(id),
    kind: 'reply',
    name: null,
    email: null,
    message: null,
    quantity: null,
    rsvp: null,
    created_at: '2026-05-01T10:00:00Z',
    updated_at: null,
    ...fields,
  }
}

function payment(id: number, amount: string | null, processing_fee: string | null = null): rows.PaymentRow {
  return { account_id: 1, event_id: 'e1', response_id: String(id), amount, processing_fee }
}

function slot(id: number, name: string, day: string): rows.SlotRow {
  return {
    account_id: 1,
    event_id: 'e1',
    response_id: String(id),
    position: 1,
    name,
    start_date: `${day}T08:00:00Z`,
    end_date: null,
    start_local: `${day}T10:00:00`,
    end_local: null,
    _extra: null,
  }
}

function deleted(id: number, document: rows.ResponseVersionRow['document']): rows.ResponseVersionRow {
  return {
    account_id: 1,
    event_id: 'e1',
    response_id: String(id),
    valid_from: '2026-06-01T00:00:30Z',
    valid_to: '2026-06-03T00:00:30Z',
    operation: 'delete',
    document: { id, ...document },
    ended_by_run_id: '3',
    begun_by_run_id: '1',
  }
}

function viewsOf(given: Partial<rows.MirrorRows>, asked: Partial<rows.ViewSettings> = {}) {
  return expectedViews({ ...empty, events: [event()], ...given }, { ...settings, ...asked })
}

describe('persons', () => {
  test('somebody who says yes and also pays is not counted twice', () => {
    const views = viewsOf({
      responses: [
        response(1, { email: ' Ann@x.org', rsvp: 'yes', quantity: '3' }),
        response(2, { email: 'ann@X.org', kind: 'payment', quantity: '2' }),
      ],
      payments: [payment(2, '20.50', '0.5')],
    })
    expect(views.event_summary).toMatchObject([
      { responses: '2', respondents: '1', coming: '3', people: '5', expected: '3', payments: '1' },
    ])
    expect(views.event_respondents).toMatchObject([
      {
        response_id: null,
        email_key: 'ann@x.org',
        email: 'ann@X.org',
        meaning: 'coming',
        expected: '3',
        amount: '20.5',
        processing_fee: '0.5',
        amount_after_fee: '20',
      },
    ])
    expect(views.respondents).toMatchObject([{ events_coming: '1', people: '5', names: '0' }])
  })

  test('money that went back, and a no, bring nobody', () => {
    const views = viewsOf({
      responses: [
        response(1, { email: 'a@x', kind: 'payment', quantity: '2' }),
        response(2, { email: 'b@x', kind: 'mixed', quantity: '2', rsvp: 'no' }),
        response(3, { email: 'c@x', kind: 'payment', quantity: '4' }),
      ],
      payments: [payment(1, '-5'), payment(2, '5'), payment(3, null, '0.10')],
    })
    expect(views.event_summary).toMatchObject([
      { expected: '4', people: '6', not_coming: '1', amount: '0', amount_after_fee: '-0.1' },
    ])
    expect(views.payment_summary).toMatchObject([
      {
        payers: '3',
        without_amount: '1',
        negative: '1',
        smallest_amount: '-5',
        largest_amount: '5',
      },
    ])
  })

  test('a family with one address is one person, with the name of the latest response', () => {
    const family = { email: 'family@x.org', rsvp: 'yes' }
    const views = viewsOf({
      responses: [
        response(1, { ...family, name: 'Ann', message: 'first', created_at: '2026-05-02T10:00:00Z' }),
        response(2, { ...family, name: 'Ben', message: '', created_at: '2026-05-03T10:00:00Z' }),
        response(3, { ...family, name: 'Cy', rsvp: 'no', message: 'no time', created_at: null }),
        response(4, { name: 'Dora', rsvp: 'perhaps' }),
        response(5, { name: 'Dora', email: ' ' }),
      ],
    })
    expect(views.event_respondents).toMatchObject([
      {
        name: 'Ben',
        responses: '3',
        coming: '2',
        expected: '2',
        meaning: 'coming',
        messages: 'no time\nfirst',
      },
      { response_id: '4', person_id: null, name: 'Dora', unknown: '1', meaning: 'unknown' },
      { response_id: '5', person_id: null, email: ' ', unknown: '1', expected: '0' },
    ])
    expect(views.respondents).toMatchObject([{ name: 'Ben', names: '3', responses: '3' }])
    expect(views.event_summary).toMatchObject([{ respondents: '3', without_email: '2', replies: '5' }])
    expect(views.rsvp_values).toEqual([
      { account_id: 1, account: 'north', value: 'yes', responses: '2', meaning: 'coming' },
      { account_id: 1, account: 'north', value: 'no', responses: '1', meaning: 'not_coming' },
      { account_id: 1, account: 'north', value: 'perhaps', responses: '1', meaning: 'unknown' },
    ])
  })

  test('a person id is the double hash of the secret, the account and the key', () => {
    const sha256 = (...parts: (string | Uint8Array)[]) =>
      createHash('sha256')
        .update(Buffer.concat(parts.map((part) => Buffer.from(part))))
        .digest()
    const inner = sha256(settings.secret, '1', Uint8Array.of(0), 'ann@x')
    const wanted = sha256(settings.secret, inner).toString('hex').slice(0, 32)
    const views = viewsOf({ responses: [response(1, { email: 'Ann@X' })] })
    expect(views.event_respondents[0]?.['person_id']).toBe(wanted)
    const [first] = views.changes.filter(({ entity }) => entity === 'response')
    expect(first?.['person_id']).toBe(wanted)
  })
})

describe('payments by month', () => {
  const late = {
    responses: [response(1, { created_at: '2026-05-31T22:30:00.000001Z' }), response(2)],
    payments: [payment(1, '1'), payment(2, '2')],
  }

  test.each([
    ['UTC', ['2026-05-01']],
    ['Europe/Berlin', ['2026-06-01', '2026-05-01']],
    ['America/New_York', ['2026-05-01']],
  ])('in %s the month is that of its clock', (timeZone, months) => {
    const views = viewsOf(late, { timeZone })
    expect(views.payments_by_month.map(({ month }) => month)).toEqual(months)
  })
})

describe('slots', () => {
  const gone = (id: number, name: string, start: string) =>
    deleted(id, { slots: [{ name, start_date: start }], quantity: 1 })

  test('a slot that its last holder gave back is empty; a slot of the past and one that is taken are not', () => {
    const views = viewsOf({
      responses: [response(1, { kind: 'signup', quantity: '1' })],
      slots: [slot(1, 'Door', '2026-06-20')],
      response_history: [
        gone(7, 'Bar', '2026-06-20T10:00:00+02:00'),
        gone(8, 'Door', '2026-06-20T10:00:00+02:00'),
        gone(9, 'Bar', '2026-06-02T10:00:00+02:00'),
        gone(10, 'Bar', '2026-09-20T10:00:00+02:00'),
      ],
    })
    expect(views.slot_summary).toMatchObject([
      { slot_name: 'Door', sign_ups: '1', people: '1', wanted: 2, is_upcoming: true },
    ])
    expect(views.thin_slots).toEqual([
      expect.objectContaining({ slot_name: 'Door', missing: '1', emptied_at: null }),
      {
        account_id: 1,
        account: 'north',
        event_id: 'e1',
        event_title: 'Picnic',
        event_at: '2026-06-20T18:00:00Z',
        slot_name: 'Bar',
        start_date: '2026-06-20T08:00:00Z',
        end_date: null,
        start_local: '2026-06-20T10:00:00',
        end_local: null,
        sign_ups: '0',
        respondents: '0',
        people: '0',
        wanted: 2,
        last_sign_up_at: null,
        missing: '2',
        emptied_at: '2026-06-03T00:00:30Z',
      },
    ])
  })

  test('the most specific target wins', () => {
    const target = (event_id: string | null, slot_name: string | null, wanted: number) => ({
      account_id: 1,
      event_id,
      slot_name,
      wanted,
    })
    const targets = [
      target(null, null, 3),
      target('e1', null, 4),
      target(null, 'Bar', 5),
      target('e1', 'Bar', 6),
    ]
    const wantedWith = (count: number) =>
      viewsOf({
        responses: [response(1, { kind: 'signup' })],
        slots: [slot(1, 'Bar', '2026-06-20')],
        slot_targets: targets.slice(0, count),
      }).slot_summary.map(({ wanted }) => wanted)
    expect([0, 1, 2, 3, 4].flatMap(wantedWith)).toEqual([2, 3, 4, 5, 6])
  })
})

describe('pace', () => {
  test('a withdrawn response comes and goes, a returned one was never away', () => {
    const views = viewsOf({
      responses: [
        response(1, { rsvp: 'yes', quantity: '2', created_at: '2026-05-30T09:00:00Z' }),
        response(2, { rsvp: 'yes', created_at: null, _first_seen_at: '2026-06-05T00:00:00Z' }),
      ],
      response_history: [
        deleted(2, { rsvp: 'yes', quantity: 9, created_at: '2026-05-29T09:00:00Z' }),
        deleted(3, { rsvp: 'yes', quantity: 4, created_at: '2026-05-30T11:00:00Z' }),
      ],
    })
    const picked = views.response_pace.map((row) => [
      row['day'],
      row['days_before'],
      row['new_people'],
      row['withdrawn_people'],
      row['responses_so_far'],
      row['people_so_far'],
    ])
    expect(picked).toEqual([
      ['2026-05-30', 21, '6', '0', '2', '6'],
      ['2026-06-03', 17, '0', '4', '1', '2'],
      ['2026-06-05', 15, '1', '0', '2', '3'],
    ])
    expect(views.response_pace[0]?.['known_since']).toBe('2026-06-01')
    expect(views.event_summary).toMatchObject([{ people: '3', withdrawn_7d: '0', days_until: 10 }])
  })

  test('a withdrawal of the last seven days is counted, one of exactly then is not', () => {
    const history = [deleted(3, {})]
    const withdrawnAt = (now: string) =>
      viewsOf({ response_history: history }, { now }).event_summary[0]?.['withdrawn_7d']
    expect(withdrawnAt('2026-06-10T00:00:29.999999Z')).toBe('1')
    expect(withdrawnAt('2026-06-10T00:00:30Z')).toBe('0')
  })
})

describe('similar events', () => {
  test('are at most three earlier ones of the same type and title, with a response', () => {
    const past = (id: string, year: number, fields: Partial<rows.EventRow> = {}) =>
      event({ id, title: `Fair ${year}`, event_at: `${year}-06-01T00:00:00Z`, ...fields })
    const events = [
      past('now', 2026),
      past('a', 2025),
      past('b', 2024, { title: '2024\tFair' }),
      past('c', 2023),
      past('d', 2022),
      past('typed', 2021, { event_type: 'party' }),
      past('unanswered', 2020),
    ]
    const responses = events
      .filter(({ id }) => id !== 'unanswered')
      .map(({ id }, index) => response(index, { event_id: id }))
    const found = viewsOf({ events, responses }).similar_events.filter(({ event_id }) => event_id === 'now')
    expect(found.map((row) => [row['similar_event_id'], row['rank']])).toEqual([
      ['a', 1],
      ['b', 2],
      ['c', 3],
    ])
  })
})

describe('changes', () => {
  test('an edited and a removed response, and an event that was renamed', () => {
    const document = { rsvp: 'maybe', amount: '5.00', created_at: '2026-05-01T10:00:00Z' }
    const edited = {
      ...deleted(1, document),
      operation: 'update',
      valid_to: '2026-06-02T00:00:30Z',
      ended_by_run_id: '2',
    }
    const { response_id: _, ...renamed } = {
      ...edited,
      document: { id: 'e1', title: 'Old', event_at: '2026-06-20T18:00:00Z' },
    }
    const now = { _changed_at: '2026-06-02T00:00:30Z', _run_id: '2' }
    const views = viewsOf({
      events: [event(now)],
      responses: [response(1, { ...now, rsvp: 'yes', kind: 'mixed' })],
      payments: [payment(1, '5.00')],
      event_history: [renamed],
      response_history: [edited, deleted(2, { name: 'Eve', slots: [] })],
      sync_state: [
        {
          account_id: 1,
          event_id: 'e1',
          checked_at: '2026-06-03T00:00:40Z',
          error_code: null,
          held_deletion_count: 0,
          first_listed_run_id: '1',
          first_applied_run_id: '1',
        },
      ],
    })
    expect(views.event_summary).toMatchObject([{ complete: true, edited_7d: '0' }])
    expect(views.event_changes).toMatchObject([
      { change: 'insert', what: 'announced', initial: true, run_id: '1' },
      {
        change: 'update',
        what: 'renamed',
        field: 'title',
        old_value: 'Old',
        new_value: 'Picnic',
        initial: false,
      },
    ])
    expect(views.response_changes).toMatchObject([
      { response_id: '1', change: 'insert', initial: true },
      {
        response_id: '1',
        change: 'update',
        field: 'rsvp',
        old_value: 'maybe',
        new_value: 'yes',
        run_id: '2',
      },
      { response_id: '2', change: 'insert', name: 'Eve', new_value: '{"id": 2, "name": "Eve", "slots": []}' },
      { response_id: '2', change: 'delete', name: 'Eve', new_value: null, run_id: '3' },
    ])
    expect(views.changes.filter(({ change }) => change !== 'insert')).toMatchObject([
      {
        entity: 'event',
        response_id: null,
        fields: ['title'],
        former: { title: 'Old' },
        record: { title: 'Picnic' },
      },
      {
        entity: 'response',
        run_finished_at: '2026-06-02T00:01:00Z',
        fields: ['rsvp'],
        former: { rsvp: 'maybe' },
        record: { id: 1, rsvp: 'yes', amount: '5.00', created_at: '2026-05-01T10:00:00Z' },
      },
      {
        entity: 'response',
        change: 'delete',
        fields: null,
        former: null,
        record: { id: 2, name: 'Eve', slots: [] },
      },
    ])
  })

  test('nothing from before the horizon of prune, and only of the account that is asked for', () => {
    const given = { response_history: [deleted(2, {})] }
    const pruned = { ...account, _history_from: '2026-06-03T00:00:30Z' }
    expect(viewsOf(given).changes).toHaveLength(3)
    expect(viewsOf({ ...given, accounts: [pruned] }).changes).toEqual([])
    expect(viewsOf(given, { account: 'south' }).event_summary).toEqual([])
    expect(viewsOf(given, { account: 'north' }).event_summary).toHaveLength(1)
  })
})
