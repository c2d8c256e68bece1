/** Every column of every table and view is declared personal or not, and no twin shows what is. */
import { expect, test } from 'vitest'
import { isPersonal } from '../../../src/common/schema/personal-data.ts'
import { connect } from '../../../src/db/connect.ts'
import { readSchemaDescription } from '../../../src/mirror/query/describe-schema.ts'
import { freshMirror } from '../../support/databases/databases.ts'
import { startWire } from '../../support/http/wire.ts'
import { readViews } from '../../support/views/read-views.ts'

const shownToAll = [
  'event_summary',
  'payment_summary',
  'payments_by_month',
  'slot_summary',
  'thin_slots',
  'response_pace',
  'similar_events',
  'rsvp_values',
  'payments',
  'run_summary',
]

async function describeSchema() {
  await using mirror = await freshMirror('postgres')
  const { tables, views } = await mirror.database.transaction(readSchemaDescription, { readOnly: true })
  return [...tables, ...views]
}

test('a column that is not classified is found', () => {
  expect(() => isPersonal('responses', 'shoe_size')).toThrow(/responses\.shoe_size/)
})

test('every column of every table and view is classified', async () => {
  const personal = (await describeSchema()).flatMap(({ name, columns }) =>
    columns.filter((column) => isPersonal(name, column.name)).map((column) => `${name}.${column.name}`),
  )
  expect(personal).toMatchInlineSnapshot(`
    [
      "accounts.email",
      "deliveries.recipient_sha256",
      "deliveries.recipient",
      "deliveries.error_message",
      "event_history.document",
      "events._extra",
      "rejects.payload",
      "response_history.document",
      "responses.name",
      "responses.email",
      "responses.message",
      "responses._extra",
      "slots._extra",
      "sync_runs.report",
      "sync_state.error_message",
      "changes.record",
      "changes.former",
      "event_changes.old_value",
      "event_changes.new_value",
      "event_respondents.email_key",
      "event_respondents.name",
      "event_respondents.email",
      "event_respondents.messages",
      "list_status.error_message",
      "respondents.email_key",
      "respondents.name",
      "respondents.email",
      "respondents.names",
      "response_changes.old_value",
      "response_changes.new_value",
      "response_changes.name",
      "response_details.name",
      "response_details.email",
      "response_details.message",
      "response_documents.document",
      "set_aside.value",
    ]
  `)
})

test('a twin has the columns of its original but the personal ones, and an account and a person in their place', async () => {
  const relations = new Map(
    (await describeSchema()).map(({ name, columns }) => [name, columns.map((c) => c.name)]),
  )
  for (const [name, columns] of relations) {
    const original = /^(.*)_without_personal$/.exec(name)?.[1]
    if (original === undefined) continue
    const stripped = ['old_value', 'new_value', 'record', 'former']
    const expected = (relations.get(original) ?? []).filter(
      (column) =>
        !isPersonal(original, column) || (stripped.includes(column) && original.endsWith('changes')),
    )
    expect(columns.filter((column) => !['account', 'person_id'].includes(column)).toSorted(), name).toEqual(
      expected.filter((column) => !['account', 'person_id'].includes(column)).toSorted(),
    )
  }
  for (const name of shownToAll)
    expect(
      (relations.get(name) ?? []).filter((column) => isPersonal(name, column)),
      name,
    ).toEqual([])
})

test('no value of a person stands in what is shown to readers without personal data', async () => {
  await using wire = await startWire('postgres')
  const secret = 'SECRET'
  const response = (round: number) => ({
    id: 1,
    name: `${secret} ${round}`,
    email: `${secret}${round}@example.org`,
    message: `${secret} ${round}`,
    quantity: round,
    rsvp: 'yes',
    phone: `${secret}${round}`,
    amount: '5.00',
    processing_fee: { note: secret },
    slots: [
      {
        name: 'Door',
        start_date: '2026-12-24T18:00:00+01:00',
        contact: `${secret}${round}`,
        end_date: [secret],
      },
    ],
  })
  // None of it fits the column of its field.
  const odd = (round: number) => ({
    id: 3,
    quantity: `two for ${secret} ${round}`,
    rsvp: { by: `${secret}${round}` },
    created_at: `${secret}${round}`,
    updated_at: `${secret}${round}`,
    amount: `${secret}${round}`,
    slots: [{ name: { of: secret }, start_date: `${secret}${round}`, end_date: `${secret}${round}` }],
  })
  for (const round of [1, 2]) {
    const events = [
      {
        id: 'odd',
        title: { of: `${secret}${round}` },
        event_at: `${secret}${round}`,
        location: [`${secret}${round}`],
      },
      { id: 'gala', title: `Gala ${round}`, host: `${secret}${round}` },
      ...(round === 1 ? [{ id: 'ball', chef: secret }] : []),
    ]
    wire.bodies.set('', JSON.stringify(events))
    wire.bodies.set(
      'gala',
      JSON.stringify([
        response(round),
        odd(round),
        ...(round === 1
          ? [
              { ...response(1), id: 2 },
              { ...odd(1), id: 4 },
            ]
          : []),
      ]),
    )
    await wire.sync({ all: true, acceptDeletions: true })
  }
  await using database = await connect(wire.target)
  const names = (await describeSchema())
    .map(({ name }) => name)
    .filter((name) => name.endsWith('_without_personal'))
  const { rows } = await readViews(database, [...names, ...shownToAll])
  for (const [name, list] of rows) expect(JSON.stringify(list), name).not.toContain(secret)
  expect(rows.get('response_changes_without_personal')).toEqual(
    expect.arrayContaining([
      expect.objectContaining({ change: 'update', field: 'quantity', old_value: '1', new_value: '2' }),
    ]),
  )
  expect(rows.get('changes_without_personal')).toEqual(
    expect.arrayContaining([
      expect.objectContaining({
        entity: 'event',
        change: 'update',
        fields: ['title'],
        former: { title: 'Gala 1' },
      }),
      expect.objectContaining({ entity: 'response', change: 'update', fields: ['quantity', 'slots'] }),
    ]),
  )
})
