/** `response_changes`: which run made a change, whether it is news, and what the event and the person are called. */
import { setTimeout } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { connect, type Database } from '../../../../src/db/connect.ts'
import { migrate } from '../../../../src/db/migrate.ts'
import { engines, freshMirror } from '../../../support/databases/databases.ts'
import { applyUpTo, change } from '../../../support/databases/older-schema.ts'
import { refusal } from '../../../support/accounts/account.ts'
import { send } from '../../../support/http/fault-server.ts'
import { startWire, type Wire } from '../../../support/http/wire.ts'

/** Each change as `run event/response change`, `first reading` of one that is no news, with the title and the name. */
async function changesIn(database: Database): Promise<readonly string[]> {
  const { rows } = await database.transaction((trx) =>
    trx.query(`
      select concat(coalesce(run_id::text, 'no run'), ' ', event_id, '/', response_id, ' ', change, ' ' || field,
                    case when initial then ', first reading' end, ' (', event_title, ', ', name, ')')
        from headcount.response_changes
       order by run_id, event_id, response_id, changed_at, change, field`),
  )
  return rows.map(([line]) => String(line))
}

/** The inserts of events that are no first readings. */
async function newsOf(database: Database, view: string): Promise<readonly string[]> {
  const ofEvents = view.startsWith('changes') ? "entity = 'event' and" : ''
  const { rows } = await database.transaction((trx) =>
    trx.query(
      `select run_id || ' ' || event_id from headcount.${view} where ${ofEvents} not initial and change = 'insert'`,
    ),
  )
  return rows.map(([line]) => String(line))
}

async function changesOf({ target }: Wire): Promise<readonly string[]> {
  await using database = await connect(target)
  return await changesIn(database)
}

function mirrored(wire: Wire, lists: Readonly<Record<string, readonly object[]>>) {
  wire.bodies.clear()
  const events = Object.keys(lists).map((id) => ({ id, title: id.toUpperCase() }))
  wire.bodies.set('', JSON.stringify(events))
  for (const [id, list] of Object.entries(lists)) wire.bodies.set(id, JSON.stringify(list))
  return wire.sync({ all: true })
}

const ada = { id: 1, name: 'Ada' }
const grace = { id: 2, name: 'Grace' }
const joan = { id: 3, name: 'Joan' }

describe.each(engines)('changes of responses (%s)', (engine) => {
  test('what the first runs find is no news; what comes, changes, goes and returns later is', async () => {
    await using wire = await startWire(engine)
    wire.service.at('/events/ball/responses', send(refusal(400)))
    expect(await mirrored(wire, { gala: [ada], ball: [grace] })).toMatchObject({ status: 'partial' })
    expect(await changesOf(wire)).toEqual(['1 gala/1 insert, first reading (GALA, Ada)'])

    // The list that failed is read for the first time, and beside it a new response and a new event are news.
    await mirrored(wire, { gala: [ada, grace], ball: [grace], fair: [joan] })
    const first = [
      '1 gala/1 insert, first reading (GALA, Ada)',
      '2 ball/2 insert, first reading (BALL, Grace)',
      '2 fair/3 insert (FAIR, Joan)',
      '2 gala/2 insert (GALA, Grace)',
    ]
    expect(await changesOf(wire)).toEqual(first)
    await using database = await connect(wire.target)
    // Events as their responses: the ball was listed by the first run.
    for (const view of [
      'changes',
      'event_changes',
      'changes_without_personal',
      'event_changes_without_personal',
    ])
      expect(await newsOf(database, view), view).toEqual(['2 fair'])

    await mirrored(wire, { gala: [{ ...ada, name: 'Ada L.' }, grace], ball: [grace, joan], fair: [joan] })
    const renamed = first.map((line) => line.replace('Ada', 'Ada L.'))
    const third = ['3 ball/3 insert (BALL, Joan)', '3 gala/1 update name (GALA, Ada L.)']
    expect(await changesOf(wire)).toEqual([...renamed, ...third])

    await mirrored(wire, { gala: [grace], ball: [grace, joan], fair: [joan] })
    await mirrored(wire, { gala: [ada, grace], ball: [grace, joan], fair: [joan] })
    expect(await changesOf(wire)).toEqual([
      ...first,
      ...third.map((line) => line.replace('Ada L.', 'Ada')),
      '4 gala/1 delete (GALA, Ada)',
      '5 gala/1 insert (GALA, Ada)',
    ])
  })
})

describe('changes of responses (postgres)', () => {
  test('an event that goes and comes back: its former first reading stays one, its return is news', async () => {
    await using wire = await startWire('postgres')
    await mirrored(wire, { gala: [ada], ball: [grace], fair: [] })
    await mirrored(wire, { ball: [grace], fair: [] })
    await wire.sync({ acceptDeletions: true })
    const gone = await changesOf(wire)
    expect(gone).toContain('1 gala/1 insert, first reading (GALA, Ada)')
    expect(gone.join('\n')).toMatch(/^\d gala\/1 delete \(GALA, Ada\)$/m)
    await mirrored(wire, { gala: [ada], ball: [grace], fair: [] })
    const back = await changesOf(wire)
    expect(back.filter((line) => line.includes('gala/1 insert'))).toEqual([
      '1 gala/1 insert, first reading (GALA, Ada)',
      expect.stringMatching(/^\d gala\/1 insert \(GALA, Ada\)$/) as string,
    ])
  })

  test('a first run that dies: the next one goes on with the first reading', async () => {
    await using wire = await startWire('postgres')
    const stop = new AbortController()
    wire.service.at('/events/gala/responses', async () => {
      stop.abort()
      await setTimeout(10_000, undefined, { signal: stop.signal }).catch(() => undefined)
    })
    wire.bodies.set('', '[{"id":"ball","title":"BALL"},{"id":"gala","title":"GALA"}]')
    wire.bodies.set('ball', JSON.stringify([grace]))
    expect((await wire.sync({ concurrency: 1, signal: stop.signal })).status).toBe('interrupted')
    await mirrored(wire, { ball: [grace, joan], gala: [ada], fair: [joan] })
    const changes = await changesOf(wire)
    expect(changes).toContain('2 gala/1 insert, first reading (GALA, Ada)')
    expect(changes).toContain('2 fair/3 insert, first reading (FAIR, Joan)')
    await mirrored(wire, { ball: [grace, joan], gala: [ada, joan], fair: [joan] })
    expect(await changesOf(wire)).toEqual([...changes, '3 gala/3 insert (GALA, Joan)'])
  })

  test('of a mirror that an older version made, the first run that did not fail is the first reading', async () => {
    await using mirror = await freshMirror('postgres', { blank: true })
    const { database } = mirror
    await applyUpTo(database, 16)
    const at = (day: number) => `timestamptz '2026-11-0${day} 12:00Z'`
    const version = (from: number, to: number, run: number, name: string) =>
      `(1, 'gala', 2, ${at(from)}, ${at(to)}, 'update', '{"id": 2, "name": "${name}"}', ${run})`
    await change(database, [
      `insert into headcount.accounts (name) values ('default')`,
      `insert into headcount.sync_runs (account_id, mode, status, started_at, finished_at) values
         (1, 'sync', 'failed', ${at(1)}, ${at(1)}), (1, 'sync', 'succeeded', ${at(2)}, ${at(2)}), (1, 'sync', 'succeeded', ${at(3)}, ${at(3)})`,
      `insert into headcount.sync_state (account_id, event_id, checked_at) values (1, 'gala', ${at(3)})`,
      `insert into headcount.events (account_id, id, title, _first_seen_at, _changed_at, _run_id)
       values (1, 'gala', 'GALA', ${at(2)}, ${at(2)}, 2)`,
      `insert into headcount.responses (account_id, event_id, id, kind, name, _first_seen_at, _changed_at, _run_id)
       values (1, 'gala', 1, 'bare', 'Ada', ${at(2)}, ${at(2)}, 2), (1, 'gala', 2, 'bare', 'Grace', ${at(2)}, ${at(3)}, 3),
              (1, 'gala', 3, 'bare', 'Joan', ${at(3)}, ${at(3)}, 3)`,
      `insert into headcount.response_history
         (account_id, event_id, response_id, valid_from, valid_to, operation, document, ended_by_run_id)
       values ${version(2, 3, 3, 'G.')}`,
    ])
    await migrate(database)
    expect(await changesIn(database)).toEqual([
      '2 gala/1 insert, first reading (GALA, Ada)',
      '2 gala/2 insert, first reading (GALA, Grace)',
      '3 gala/2 update name (GALA, Grace)',
      '3 gala/3 insert (GALA, Joan)',
    ])
  })
})

test('versions that were archived before their runs were known get the run of their time, where that is one', async () => {
  await using mirror = await freshMirror('postgres', { blank: true })
  const { database } = mirror
  await applyUpTo(database, 15)
  const run = (from: number, to: number) =>
    `(1, 'sync', 'succeeded', now() - interval '${from} min', now() - interval '${to} min', '{}')`
  const version = (id: number, from: number) =>
    `(1, 'gala', ${id}, now() - interval '${from} min', now() - interval '15 min', 'delete', '{"id": ${id}}', 4)`
  await change(database, [
    `insert into headcount.accounts (name) values ('default')`,
    `insert into headcount.sync_runs (account_id, mode, status, started_at, finished_at, report)
       values ${[run(60, 50), run(40, 30), run(34, 20), run(16, 14)].join(', ')}`,
    `insert into headcount.response_history
         (account_id, event_id, response_id, valid_from, valid_to, operation, document, ended_by_run_id)
       values ${[version(1, 55), version(2, 38), version(3, 32), version(4, 18)].join(', ')}`,
  ])
  await migrate(database)
  const inserts = (await changesIn(database)).filter((line) => line.includes(' insert'))
  expect(inserts).toEqual([
    '1 gala/1 insert, first reading (, )',
    '2 gala/2 insert (, )',
    'no run gala/3 insert (, )',
    'no run gala/4 insert (, )',
  ])
})
