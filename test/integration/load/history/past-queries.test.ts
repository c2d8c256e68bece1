/** What one asks of the past: moments that it cannot tell of, what changed, what is set aside; and by which indexes. */
import { describe, expect, test } from 'vitest'
import { answerTo } from '../../../support/mirror/query.ts'
import { connect } from '../../../../src/db/connect.ts'
import { freshMirror } from '../../../support/databases/databases.ts'
import { startWire } from '../../../support/http/wire.ts'
import type { Wire } from '../../../support/http/wire.ts'

async function asked(target: Wire['target'], statement: string) {
  await using database = await connect(target)
  return (await answerTo(database, statement, 10_000)).rows
}

const functions = ['events_at', 'responses_at', 'payments_at', 'slots_at']

describe('a moment that the mirror cannot tell of', () => {
  test.each(functions)(
    'is an error that names the earliest one, also where there are no rows: %s',
    async (name) => {
      await using mirror = await freshMirror('postgres')
      const { database } = mirror
      const change = (text: string) => database.transaction((trx) => trx.query(text))
      const told = async (instant: string, account = 'a') =>
        answerTo(database, `select * from ${name}('${account}', ${instant})`, 10_000).then(
          ({ rows }) => rows.length,
          (error: unknown) => String(error),
        )
      await change(`insert into headcount.accounts (name) values ('a')`)
      expect(await told('now()')).toContain('query: account "a" had no run yet')
      await change(
        `insert into headcount.sync_runs (account_id, mode, status, started_at)
       select id, 'sync', 'succeeded', timestamptz '2026-01-01 10:00:00.5Z' + n * interval '1 day'
         from headcount.accounts, generate_series(0, 2) n`,
      )
      expect(await told('now()')).toBe(0)
      expect(await told(`'2026-01-01T10:00:00.5Z'`)).toBe(0)
      expect(await told(`'2026-01-01T10:00:00.4Z'`)).toMatch(
        /query: the first run of account "a" began at 2026-01-01T10:00:00\.5Z: that is the earliest moment .* not 2026-01-01T10:00:00\.4Z$/,
      )
      expect(await told('now()', 'b')).toMatch(
        /the mirror has no account "b": select name from headcount\.accounts/,
      )
      expect(await told(`now() + interval '1 minute'`)).toMatch(/is yet to come \(the database's clock says /)
      expect(await told('null')).toBe(0)
      expect(await told(`'-infinity'`)).toMatch(/the earliest moment .*, not -infinity$/)
      expect(await told(`'infinity'`)).toContain('query: infinity is yet to come')

      // A scan of an empty table looks at no condition that stands at its rows.
      const scanned = database.transaction(async (trx) => {
        await trx.query(
          `select set_config('enable_indexscan', 'off', true), set_config('enable_bitmapscan', 'off', true)`,
        )
        return trx.query(`select from headcount.${name}('b', now())`)
      })
      await expect(scanned).rejects.toThrow('the mirror has no account "b"')

      await change(`update headcount.accounts set _history_from = '2026-01-02T00:00:00Z'`)
      expect(await told(`'2026-01-02T00:00:00Z'`)).toBe(0)
      expect(await told(`'2026-01-01T23:00:00Z'`)).toMatch(
        /history of account "a" was pruned: the earliest moment that it can tell of is 2026-01-02T00:00:00Z, not 2026-01-01T23:00:00Z$/,
      )
    },
  )

  test.each(functions.slice(1))('of one event is found by the keys of both tables: %s', async (name) => {
    await using mirror = await freshMirror('postgres')
    await mirror.database.transaction(async (trx) => {
      await trx.query(
        `insert into headcount.responses (account_id, event_id, id, kind, _run_id)
         select 1, 'event ' || n % 100, n, 'bare', 1 from generate_series(1, 2000) n`,
      )
      await trx.query(
        `insert into headcount.response_history
         select 1, 'event ' || n % 100, n, now(), now() + interval '1 hour', 'update', '{}', 1 from generate_series(1, 2000) n`,
      )
      await trx.query('analyze headcount.responses, headcount.response_history')
      await trx.query(`insert into headcount.accounts (name) values ('a')`)
      await trx.query(
        `insert into headcount.sync_runs (account_id, mode, status, started_at)
         select id, 'sync', 'succeeded', now() from headcount.accounts`,
      )
      const { rows } = await trx.query(
        `explain (costs off) select * from headcount.${name}('a', now()) where event_id = 'event 7'`,
      )
      const plan = rows.join('\n')
      // The collation of the columns is that of the keys: else the condition would only filter.
      for (const table of [name.replace('_at', ''), 'response_history'])
        expect(plan).toMatch(
          new RegExp(`${table}_[pk]\\w+( on .*)?\\n +Index Cond: .* AND \\(event_id = 'event 7'`),
        )
      expect(plan).not.toContain('Seq Scan on response')
    })
  })
})

/** Serves these responses to the gala, and mirrors them. */
async function mirrorGala(wire: Wire, responses: readonly object[]): Promise<void> {
  wire.bodies.set('', '[{"id":"gala"}]')
  wire.bodies.set('gala', JSON.stringify(responses))
  expect((await wire.sync()).exit).toBe(0)
}

const bar = { name: 'Bar', start_date: '2026-05-01T20:00:00+02:00' }

describe('the very moment of a change', () => {
  test('has what became of it; a microsecond before, it was as it was', async () => {
    await using wire = await startWire('postgres')
    wire.bodies.set('', '[{"id":"gala","title":"A"}]')
    wire.bodies.set(
      'gala',
      JSON.stringify([{ id: 1, name: 'A', amount: '1', slots: [{ name: 'A' }] }, { id: 2 }]),
    )
    await wire.sync()
    wire.bodies.set('', '[{"id":"gala","title":"B"}]')
    wire.bodies.set('gala', JSON.stringify([{ id: 1, name: 'B', amount: '2', slots: [{ name: 'B' }] }]))
    await wire.sync()
    for (const [table, column, old, now] of [
      ['event', 'title', ['A'], ['B']],
      ['response', 'name', ['A', null], ['B']],
      ['payment', 'amount', ['1'], ['2']],
      ['slot', 'name', ['A'], ['B']],
    ] as const) {
      const changed = `(select max(valid_to) from ${table === 'event' ? 'event' : 'response'}_history)`
      const told = async (instant: string) =>
        (
          await asked(
            wire.target,
            `select ${column} from ${table}s_at('default', ${instant}) order by ${column}`,
          )
        ).flat()
      expect({ table, told: await told(changed) }).toEqual({ table, told: now })
      expect({ table, told: await told(`${changed} - interval '1 microsecond'`) }).toEqual({
        table,
        told: old,
      })
    }
  })
})

describe('response_changes', () => {
  test('tells what changed, field by field, what came, went and came back, and nothing from before the horizon', async () => {
    await using wire = await startWire('postgres')
    const eve = { id: 2, name: 'Eve' }
    await mirrorGala(wire, [{ id: 1, rsvp: 'yes', amount: '1.0', slots: [bar], seat: 1 }, eve])
    await mirrorGala(wire, [{ id: 1, rsvp: 'no', amount: '1.00', slots: [bar, bar], quantity: 'two' }, eve])
    await mirrorGala(wire, [{ id: 1, rsvp: 'no', amount: '1.00', slots: [bar, bar], quantity: 'two' }])
    await mirrorGala(wire, [
      { id: 1, rsvp: 'no' },
      { ...eve, message: 'back' },
    ])
    const changes = () =>
      asked(
        wire.target,
        `select change, response_id, field, old_value, new_value from response_changes
          where account = 'default' and event_id = 'gala' order by changed_at, response_id, field`,
      )
    const all = await changes()
    expect(all.map(([change, id, field]) => [change, id, field])).toEqual([
      ['insert', '1', null],
      ['insert', '2', null],
      ['update', '1', 'amount'],
      ['update', '1', 'quantity'],
      ['update', '1', 'rsvp'],
      ['update', '1', 'seat'],
      ['update', '1', 'slots'],
      ['delete', '2', null],
      ['update', '1', 'amount'],
      ['update', '1', 'quantity'],
      ['update', '1', 'slots'],
      ['insert', '2', null],
    ])
    expect(all.slice(2, 6).map((row) => row.slice(3))).toEqual([
      ['1.0', '1.00'],
      [null, 'two'],
      ['yes', 'no'],
      ['1', null],
    ])
    expect(JSON.parse(String(all[6]?.[3]))).toEqual([bar])
    expect(JSON.parse(String(all[6]?.[4]))).toEqual([bar, bar])
    expect(JSON.parse(String(all[7]?.[3]))).toEqual(eve)
    expect(all[7]?.[4]).toBeNull()
    expect(JSON.parse(String(all[11]?.[4]))).toEqual({ ...eve, message: 'back' })

    // As prune begins, and as it ends: the first versions are gone, those that followed them are there.
    await wire.change(
      `update headcount.accounts set _history_from = (select min(valid_to) from headcount.response_history)`,
    )
    expect(await changes()).toEqual(all.slice(7))
    await wire.change(
      `delete from headcount.response_history h using headcount.accounts a where h.valid_to <= a._history_from`,
    )
    expect(await changes()).toEqual(all.slice(7))
  })
})

describe('set_aside', () => {
  test('lists every field whose value does not fit, as it was sent', async () => {
    await using wire = await startWire('postgres')
    wire.bodies.set('', '[{"id":"gala","title":5,"seats":1}]')
    wire.bodies.set(
      'gala',
      `[{"id":1,"amount":"abc","seat":1,"slots":[{},{"name":null,"end_date":"now"}]},{"id":2,"slots":"none"}]`,
    )
    const { report } = await wire.sync()
    const rows = await asked(
      wire.target,
      'select event_id, response_id, position, field, value from set_aside',
    )
    expect(rows).toEqual([
      ['gala', null, null, 'title', 5],
      ['gala', '1', null, 'amount', 'abc'],
      ['gala', '2', null, 'slots', 'none'],
      ['gala', '1', 2, 'end_date', 'now'],
    ])
    expect(report.set_aside).toBe(rows.length)
    wire.bodies.set('', '[{"id":"gala","title":"Gala"}]')
    wire.bodies.set('gala', '[{"id":1,"amount":"1.00"}]')
    await wire.sync()
    expect(await asked(wire.target, 'table set_aside')).toEqual([])
  })
})
