/** SQL names the fields of an item in several places; each knows all fields that the program knows. */
import { expect, test } from 'vitest'
import { EVENT_FIELDS, RESPONSE_FIELDS, SLOT_FIELDS } from '../../../src/common/schema/field-names.ts'
import { columnTypes, LIVE_TABLES, type SqlType } from '../../../src/common/schema/live-tables.ts'
import { PLAIN_FIELDS } from '../../../src/common/schema/personal-data.ts'
import { connect } from '../../../src/db/connect.ts'
import { rowObjects } from '../../../src/db/transaction.ts'
import { freshMirror } from '../../support/databases/databases.ts'
import { startWire } from '../../support/http/wire.ts'

const instant = '2026-05-02T09:30:00Z'
const fitting: Readonly<Record<SqlType, unknown>> = {
  text: 'x',
  int: 7,
  bigint: 7,
  numeric: '7.50',
  timestamptz: instant,
  timestamp: instant,
  jsonb: {},
}

/** An item with a value for each of these fields. */
const itemOf = (fields: readonly string[], valueOf: (field: string) => unknown) =>
  Object.fromEntries(fields.map((field) => [field, valueOf(field)]))

const byName = (fields: Iterable<string>) => [...fields].toSorted()
const withoutId = (fields: readonly string[]) => byName(fields.filter((field) => field !== 'id'))

test('set_aside shows every field whose value does not fit', async () => {
  await using wire = await startWire('postgres')
  const unfitting = (fields: readonly string[]) => itemOf(fields, () => ({}))
  wire.bodies.set('', JSON.stringify([{ ...unfitting(EVENT_FIELDS), id: 'gala' }]))
  wire.bodies.set(
    'gala',
    JSON.stringify([
      { ...unfitting(RESPONSE_FIELDS), id: 1 },
      { id: 2, slots: [unfitting(SLOT_FIELDS)] },
    ]),
  )
  await wire.sync()
  await using database = await connect(wire.target)
  const shown = async (condition: string) => {
    const { rows } = await database.transaction((trx) =>
      trx.query(`select field from headcount.set_aside where ${condition}`),
    )
    return byName(rows.map(([field]) => String(field)))
  }
  expect(await shown('response_id is null')).toEqual(withoutId(EVENT_FIELDS))
  expect(await shown('response_id = 1')).toEqual(withoutId(RESPONSE_FIELDS))
  expect(await shown('position is not null')).toEqual(byName(SLOT_FIELDS))
})

test('a document without personal data keeps every other field', async () => {
  await using mirror = await freshMirror('postgres')
  const types = { ...columnTypes('events'), ...columnTypes('responses'), ...LIVE_TABLES.payments.values }
  const { event, response, slot } = PLAIN_FIELDS
  const kept = async (item: object) => {
    const { rows } = await mirror.database.transaction((trx) =>
      trx.query(`select headcount_internal.item_without_personal($1)`, [JSON.stringify(item)]),
    )
    return rows[0]?.[0]
  }
  const valueOf = (fields: Readonly<Record<string, SqlType>>) => (field: string) =>
    fitting[fields[field] ?? 'text']
  const slots = [itemOf([...slot.keys()], (field) => (field === 'name' ? 'x' : '2026-05-02T09:30:00+02:00'))]
  const item = { id: 1, ...itemOf([...event.keys(), ...response.keys()], valueOf(types)), slots }
  expect(await kept({ ...item, other: 1 })).toEqual(item)
})

test('a row of the past is the one that was live', async () => {
  await using wire = await startWire('postgres')
  const types: Readonly<Record<string, SqlType>> = {
    ...columnTypes('responses'),
    ...columnTypes('payments'),
  }
  const slot = itemOf(SLOT_FIELDS, (field) => fitting[columnTypes('slots')[field] ?? 'text'])
  const sent = { ...itemOf(RESPONSE_FIELDS, (field) => fitting[types[field] ?? 'text']), slots: [slot] }
  const event = {
    ...itemOf(EVENT_FIELDS, (field) => fitting[columnTypes('events')[field] ?? 'text']),
    id: 'gala',
  }
  wire.bodies.set('', JSON.stringify([event]))
  wire.bodies.set('gala', JSON.stringify([sent]))
  await wire.sync()
  await using database = await connect(wire.target)
  const read = async (query: string) =>
    rowObjects(await database.transaction((trx) => trx.query(query))).map((row) => ({ ...row }))
  for (const table of ['events', 'responses', 'payments', 'slots'] as const) {
    const columns = Object.keys(columnTypes(table)).join(', ')
    const live = await read(`select ${columns} from headcount.${table}`)
    wire.bodies.set('', JSON.stringify([{ ...event, title: table }]))
    wire.bodies.set('gala', JSON.stringify([{ ...sent, name: table }]))
    const [{ moment } = {}] = await read(`select clock_timestamp()::text as moment`)
    await wire.sync()
    expect(
      await read(`select ${columns} from headcount.${table}_at('default', '${String(moment)}')`),
      table,
    ).toEqual(live)
  }
})
