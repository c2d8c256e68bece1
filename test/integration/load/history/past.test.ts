/** The mirror as it was: whatever the service sent, the past is told as the live tables told it then. */
import { describe, expect, test } from 'vitest'
import { connect } from '../../../../src/db/connect.ts'
import type { Database } from '../../../../src/db/connect.ts'
import { engines } from '../../../support/databases/databases.ts'
import { editedAccount } from '../../../support/accounts/edited-account.ts'
import { startWire } from '../../../support/http/wire.ts'
import type { Wire } from '../../../support/http/wire.ts'

const columns = {
  events: 'account_id, id, title, event_at, description, event_type, location, _extra, _changed_at',
  responses:
    'account_id, event_id, id, kind, name, email, message, quantity, rsvp, created_at, updated_at, _extra, _changed_at',
  payments: 'account_id, event_id, response_id, amount, processing_fee',
  slots:
    'account_id, event_id, response_id, position, name, start_date, end_date, start_local, end_local, _extra',
} as const
const tables = ['events', 'responses', 'payments', 'slots'] as const

/** What the service sends from now on, all of it mirrored. */
async function mirror(wire: Wire, bodies: ReadonlyMap<string, string>) {
  wire.bodies.clear()
  for (const [id, body] of bodies) wire.bodies.set(id, body)
  const { error } = await wire.sync({ all: true })
  expect(error).toBeNull()
}

function select(database: Database, text: string) {
  return database.transaction(async (trx) => (await trx.query(text)).rows, { readOnly: true })
}

/** Every row of each table as Postgres writes it: numbers with all their digits. */
async function rowsOf(database: Database, from: (table: (typeof tables)[number]) => string) {
  const texts: Record<string, readonly unknown[]> = {}
  for (const table of tables) {
    const rows = await select(
      database,
      `select row::text from (select ${columns[table]} from ${from(table)}) row order by 1`,
    )
    texts[table] = rows.map(([text]) => text)
  }
  return texts
}

async function clock(database: Database): Promise<string> {
  return String((await select(database, 'select clock_timestamp()'))[0]?.[0])
}

describe.each(engines)('a history of edits, deletions and returns (%s)', (engine) => {
  test('is told at every moment as the live tables told it then; the changes between lead from each to the next', async () => {
    await using wire = await startWire(engine)
    await using database = await connect(wire.target)
    const moments: { at: string; rows: unknown; fields: readonly string[] }[] = []
    for (const bodies of editedAccount('the past', engine === 'postgres' ? 24 : 8)) {
      await mirror(wire, bodies)
      moments.push({
        at: await clock(database),
        rows: await rowsOf(database, (table) => `headcount.${table}`),
        fields: await liveFields(database),
      })
    }
    for (const { at, rows, fields } of moments) {
      expect(await rowsOf(database, (table) => `headcount.${table}_at('default', '${at}')`)).toEqual(rows)
      expect(await replay(database, at)).toEqual(fields)
    }
    const [covered] = await select(
      database,
      `select count(*) filter (where operation = 'update') > 10, count(*) filter (where operation = 'delete') > 5,
              count(distinct headcount_internal.kind_of(document))
         from headcount.response_history`,
    )
    expect(covered).toEqual([true, true, '5'])
  })
})

/** What was written before the clock of the database was set back by a day. */
async function setBackByADay(database: Database) {
  await database.transaction(async (trx) => {
    await trx.query(`update headcount.sync_runs set started_at = started_at + interval '1 day'`)
    for (const table of ['event_history', 'response_history'])
      await trx.query(
        `update headcount.${table} set valid_from = valid_from + interval '1 day', valid_to = valid_to + interval '1 day'`,
      )
  })
}

test('O6 clock set back a day: what was deleted and comes back begins where its former version ended', async () => {
  await using wire = await startWire('postgres')
  await using database = await connect(wire.target)
  const whole = new Map([
    ['', '[{"id":"gala"},{"id":"ball"},{"id":"fair"}]'],
    ['gala', '[{"id":1,"name":"Ann"},{"id":2}]'],
    ['ball', '[{"id":3}]'],
  ])
  const less = new Map([
    ['', '[{"id":"gala"},{"id":"fair"}]'],
    ['gala', '[{"id":2}]'],
  ])
  await mirror(wire, whole)
  await mirror(wire, less)
  await setBackByADay(database)
  const added = '[{"id":1,"name":"Ann"},{"id":2},{"id":4}]'
  await mirror(wire, new Map([...whole, ['gala', added]]))
  const began = await select(
    database,
    `select id, _changed_at = _first_seen_at, _changed_at > now(), (
              select max(valid_to) from headcount.response_history h where (h.event_id, h.response_id) = (r.event_id, r.id)
            ) = _changed_at
       from headcount.responses r
      order by id`,
  )
  expect(began).toEqual([
    ['1', true, true, true],
    ['2', true, false, null],
    ['3', true, true, true],
    ['4', true, false, null],
  ])
  expect(
    await select(
      database,
      `select e.id from headcount.events e join headcount.event_history h on h.event_id = e.id and h.valid_to = e._changed_at`,
    ),
  ).toEqual([['ball']])
  expect(
    await select(
      database,
      'select change, count(*)::int from headcount.response_changes group by 1 order by 1',
    ),
  ).toEqual([
    ['delete', 2],
    ['insert', 6],
  ])
})

/** The fields of every response as the changes up to a moment leave them, as text; those that are null left out. */
async function replay(database: Database, at: string) {
  const changes = await select(
    database,
    `select jsonb_build_array(event_id, response_id), change, field, new_value,
            (select jsonb_object_agg(key, value)
               from jsonb_each_text(case when change = 'insert' then new_value::jsonb end))
       from headcount.response_changes
      where changed_at <= '${at}'
      order by changed_at, change = 'insert'`,
  )
  const responses = new Map<string, Map<string, unknown>>()
  for (const [key, change, field, value, whole] of changes) {
    const response = responses.get(String(key))
    if (change === 'insert') {
      expect(response, `${String(key)} came, and was there`).toBeUndefined()
      responses.set(String(key), new Map(Object.entries(Object(whole))))
    } else {
      expect(response, `${String(key)} changed, and was not there`).toBeDefined()
      if (change === 'delete') responses.delete(String(key))
      else response?.set(String(field), value)
    }
  }
  return [...responses]
    .flatMap(([key, fields]) => [...fields].map(([field, value]) => [key, field, value]))
    .filter(([, , value]) => value !== null)
    .map((field) => JSON.stringify(field))
    .toSorted()
}

async function liveFields(database: Database): Promise<string[]> {
  const rows = await select(
    database,
    `select jsonb_build_array(r.event_id, r.id), e.key, e.value
       from headcount.responses r, jsonb_each_text(headcount_internal.response_document(r)) e
      where e.value is not null`,
  )
  return rows.map(([key, field, value]) => JSON.stringify([String(key), field, value])).toSorted()
}
