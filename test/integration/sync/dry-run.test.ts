/** `sync --dry-run` says how the run will end: the same story, told without writing. */
import { existsSync } from 'node:fs'
import { expect, test } from 'vitest'
import type { RunOptions } from '../../../src/index.ts'
import { accountOf, refusal, responseItem, responsesFrom } from '../../support/accounts/account.ts'
import type { Item } from '../../support/accounts/account.ts'
import { freshPlace } from '../../support/databases/databases.ts'
import { list, resetBeforeHeaders, send } from '../../support/http/fault-server.ts'
import { foretell } from '../../support/runs/dry-run.ts'
import { twoHoursPass } from '../../support/mirror/holds.ts'
import { readerOf } from '../../support/mirror/reader.ts'
import { onBothStages, onPostgresStage, pause } from '../../support/runs/stage.ts'
import type { Ended, Stage } from '../../support/runs/stage.ts'

interface Scenario {
  readonly name: string
  readonly exit: number
  /** What happens to the account and to the mirror before. */
  readonly before?: (on: Stage) => unknown
  readonly mode?: 'backfill'
  readonly options?: Partial<RunOptions>
  /** What the service does once, in each of the two runs. */
  readonly fault?: (on: Stage) => void
  /** What the run must have done, that the scenario be the one it says. */
  readonly did?: object
}

function eventOf(on: Stage, id: string): Item {
  return on.account.events.find((event): event is Item => Object(event).id === id) ?? {}
}

function buildResponse(on: Stage, event: string, id: number): Item {
  return on.account.of(event).find((item): item is Item => Object(item).id === id) ?? {}
}

/** One account's history; each step is foretold. */
const history: readonly Scenario[] = [
  { name: 'the first run', exit: 0, did: { rows: { events: { inserted: 6 }, responses: { inserted: 97 } } } },
  { name: 'nothing changed', exit: 0, did: { rows: { responses: { inserted: 0, updated: 0, deleted: 0 } } } },
  {
    name: 'every column of an event',
    exit: 0,
    before: (on) =>
      Object.assign(eventOf(on, 'gala'), {
        title: 'X',
        event_at: '2027-01-01T00:00:00Z',
        description: 'd',
        event_type: 'other',
        location: 'l',
        more: [1],
      }),
    did: { rows: { events: { updated: 1 } } },
  },
  {
    name: 'every column of a response, payments and slots that come, change and go, kinds that change',
    exit: 0,
    before: (on) => {
      Object.assign(buildResponse(on, 'gala', 3), {
        name: 'N',
        email: null,
        message: 'm',
        quantity: 3,
        rsvp: 'no',
        created_at: '2026-01-01T00:00:00Z',
        updated_at: '2026-01-02T00:00:00Z',
        more: {},
      })
      Object.assign(buildResponse(on, 'gala', 1), { amount: '12.5', processing_fee: null })
      Object.assign(buildResponse(on, 'gala', 4), { amount: null, processing_fee: null })
      Object.assign(buildResponse(on, 'gala', 6), { amount: '1.00' })
      Object.assign(buildResponse(on, 'gala', 2), { slots: [{ name: 'Bar' }] })
      Object.assign(buildResponse(on, 'gala', 5), { slots: [{ name: 'a' }, { name: 'Bar' }, { name: 'c' }] })
      Object.assign(buildResponse(on, 'gala', 8), { slots: null })
      on.account.of('gala').push(responseItem(90), responseItem(91), responseItem(92))
    },
    did: {
      rows: {
        responses: { inserted: 3, updated: 7, deleted: 0 },
        payments: { inserted: 2, updated: 1, deleted: 1 },
        slots: { inserted: 3, updated: 3, deleted: 3 },
      },
    },
  },
  {
    name: 'rows changed by hand: a sync does not look',
    exit: 0,
    before: (on) => on.change(`update headcount.responses set name = 'H'`, `delete from headcount.slots`),
    did: { rows: { responses: { updated: 0 } } },
  },
  { name: '… a backfill does', exit: 0, mode: 'backfill', did: { rows: { responses: { updated: 100 } } } },
  {
    name: 'a few deletions, and an event with them',
    exit: 0,
    before: (on) => {
      on.account.of('gala').splice(0, 3)
      on.account.of('picnic').pop()
      on.account.remove('small')
    },
    did: { rows: { events: { deleted: 1 }, responses: { deleted: 6 } } },
  },
  {
    name: 'deletions that look like an outage, beside an update and a new row',
    exit: 8,
    before: (on) => {
      on.account.of('ball').splice(0, 20)
      on.account.of('ball').push(responseItem(90))
      Object.assign(buildResponse(on, 'ball', 30), { name: 'X' })
    },
    did: { held: 20, rows: { responses: { inserted: 1, updated: 1, deleted: 0 } } },
  },
  { name: 'still held', exit: 8, did: { held: 20 } },
  {
    name: 'time has passed, and there are new ones: the old are applied, the new held',
    exit: 8,
    before: async (on) => {
      await twoHoursPass(on)
      on.account.of('ball').splice(0, 13)
    },
    did: { held: 13, rows: { responses: { deleted: 20 } } },
  },
  { name: 'accepted', exit: 0, options: { acceptDeletions: true }, did: { held: 0 } },
  {
    name: 'items rejected, with and without an id; fields set aside',
    exit: 8,
    before: (on) => {
      on.account.of('picnic').push('no object', { id: 'x' })
      on.account.of('picnic')[0] = { id: 1, deep: Array.from({ length: 70 }).reduce((deep) => [deep], 1) }
      Object.assign(buildResponse(on, 'gala', 9), { amount: 'abc', created_at: 'today' })
      on.account.events.push({ title: 'without an id' })
    },
    did: { rejected: 4, set_aside: 2 },
  },
  {
    name: 'a loss beside an item whose id cannot be read',
    exit: 8,
    before: (on) => on.account.of('picnic').splice(1, 1),
    did: { held: 1 },
  },
  {
    name: 'some of the rejects accepted, another one new',
    exit: 8,
    before: async (on) => {
      await on.change(
        `insert into headcount.accepted_rejects (account_id, event_id, sha256)
         select account_id, event_id, sha256 from headcount.rejects where reason <> 'not_an_object'`,
      )
      on.account.of('gala').push(7)
    },
    did: { rejected: 2 },
  },
  {
    name: 'all as it should be again',
    exit: 0,
    before: (on) => {
      on.account.events = on.account.events.filter((event) => Object(event).id !== undefined)
      on.account.of('gala').pop()
      on.account.of('picnic').splice(0, 99, ...responsesFrom(1, 5))
      Object.assign(buildResponse(on, 'gala', 9), { amount: '1.00', created_at: null })
    },
    did: { rejected: 0, set_aside: 0, held: 0 },
  },
  {
    name: 'an event that cannot be read, and one that is listed and not found',
    exit: 6,
    before: (on) => Object.assign(buildResponse(on, 'gala', 9), { name: 'later' }),
    fault: ({ service }) => {
      service.at('/events/gala/responses', send(refusal(400)))
      service.at('/events/picnic/responses', send(refusal(404)))
    },
    did: { events: { failed: 2 } },
  },
  {
    name: 'an event that vanishes between the list and its read',
    exit: 0,
    before: (on) => on.account.remove('picnic'),
    fault: ({ service, account }) => service.at('/events', list([...account.events, { id: 'picnic' }])),
    did: { rows: { events: { deleted: 1 } } },
  },
  {
    name: 'a new event that cannot be read',
    exit: 6,
    before: (on) => on.account.add('new', 2),
    fault: ({ service }) => service.at('/events/new/responses', send(refusal(400))),
  },
  { name: '… and is gone before it ever was', exit: 0, before: (on) => on.account.remove('new') },
  {
    name: 'an event with a reject and a field set aside, and what is known of one that is nowhere',
    exit: 8,
    before: async (on) => {
      on.account.add('odd', 1)
      on.account.of('odd').push('no object', { id: 2, amount: 'abc' })
      await on.change(
        `insert into headcount.sync_state (account_id, event_id, set_aside) values (1, 'nowhere', 5)`,
      )
    },
    did: { rejected: 1, set_aside: 1 },
  },
  {
    name: '… gone, and all that was known of it',
    exit: 0,
    before: (on) => on.account.remove('odd'),
    did: { rejected: 0, set_aside: 0 },
  },
  {
    name: 'only a named event',
    exit: 0,
    options: { events: ['ball'] },
    before: (on) => {
      Object.assign(eventOf(on, 'gala'), { title: 'Y' })
      on.account.of('ball').pop()
    },
    did: { events: { due: 1 }, rows: { events: { updated: 0 }, responses: { deleted: 1 } } },
  },
  { name: 'an event that is not listed is named', exit: 2, options: { events: ['nobody'] } },
  { name: 'a refused key', exit: 3, options: { apiKey: 'another' } },
  {
    name: 'a service out of reach',
    exit: 4,
    fault: ({ service }) => service.at('/events', ...Array(3).fill(resetBeforeHeaders)),
  },
  { name: 'no list', exit: 7, fault: ({ service }) => service.at('/events', send({ body: {} })) },
  {
    name: 'the same account under another e-mail',
    exit: 0,
    before: (on) => (on.account.email = 'other@example.org'),
    options: { all: true },
  },
  {
    name: 'most events gone: held',
    exit: 8,
    before: (on) => (on.account.events = on.account.events.slice(0, 1)),
    did: { rows: { events: { deleted: 0 } } },
  },
  { name: '… and accepted', exit: 0, options: { acceptDeletions: true } },
  {
    name: 'another account',
    exit: 2,
    before: (on) => {
      on.account.events = []
      on.account.email = 'third@example.org'
      on.account.add('foreign', 4)
    },
  },
  { name: '… adopted', exit: 8, options: { adopt: true }, did: { rows: { events: { inserted: 1 } } } },
]

function account() {
  return accountOf({ gala: 30, picnic: 5, ball: 50, empty: 0, small: 2, other: 10 })
}

async function expectForetold(on: Stage, scenario: Scenario): Promise<Ended> {
  await scenario.before?.(on)
  const { real } = await foretell(on, scenario.mode, { concurrency: 1, ...scenario.options }, () =>
    scenario.fault?.(on),
  )
  expect(real, scenario.name).toMatchObject({ exit: scenario.exit, report: scenario.did ?? {} })
  return real
}

/** Each opens PGlite a few times, which takes seconds on a busy machine. */

onPostgresStage('a dry run', (stage) => {
  test('foretells the report and the exit code of each run of a long history', async () => {
    await using on = await stage(account())
    for (const scenario of history) await expectForetold(on, scenario)
  })

  test('foretells where the brake holds: many small losses in one run', async () => {
    const events = Object.fromEntries(Array.from({ length: 14 }, (_, place) => [`event-${place}`, 20]))
    await using on = await stage(accountOf(events))
    await on.sync()
    for (const id of Object.keys(events)) on.account.of(id).splice(0, 9)
    const { real } = await foretell(on, 'sync', { concurrency: 1 })
    expect(real).toMatchObject({ exit: 8, report: { held: 99, rows: { responses: { deleted: 27 } } } })
  })
})

onBothStages('a dry run, on both', (stage) => {
  test('foretells updates, deletions, holds and rejects, and leaves every row as it was', async () => {
    await using on = await stage(account())
    await on.sync()
    await history[3]?.before?.(on)
    on.account.of('ball').splice(0, 20)
    on.account.of('picnic').splice(0, 1, 'no object')
    on.account.of('gala').splice(29, 1)
    on.account.remove('small')
    Object.assign(eventOf(on, 'gala'), { title: 'X' })
    const before = on.mirror.rows()
    const dry = await on.run('sync', { dryRun: { maxKeys: 2 } })
    await on.change()
    expect(on.mirror.rows()).toEqual(before)
    expect(dry).toMatchObject({ exit: 8, report: { rejected: 1, held: 21 } })
    expect(dry.report.plan?.events.updated).toEqual([
      { event_id: 'gala', label: 'The gala', columns: ['title'] },
    ])
    expect(dry.report.plan?.responses).toMatchObject({
      counts: { inserted: 3, updated: 7, deleted: 3, held: 21 },
      columns: { name: 1, payment: 3, slots: 3 },
      inserted: [{ response_id: '90' }, { response_id: '91' }],
      updated: [
        { response_id: '1', columns: ['payment'] },
        { response_id: '2', columns: ['slots'] },
      ],
      deleted: [
        { event_id: 'gala', response_id: '30' },
        { event_id: 'small', response_id: '1' },
      ],
      held: [
        { event_id: 'ball', response_id: '1' },
        { event_id: 'ball', response_id: '2' },
      ],
    })
    const { exit, report } = await on.sync()
    expect({ exit, rows: report.rows, held: report.held }).toEqual({
      exit: dry.exit,
      rows: dry.report.rows,
      held: dry.report.held,
    })
  })
})

onBothStages('a dry run where there is no mirror', (stage) => {
  test('everything counts as an insert, and none is made', async () => {
    await using on = await stage(accountOf({ gala: 3, picnic: 2 }))
    await using place = await freshPlace(on.engine, { missing: true })
    const { report, exit } = await on.run('sync', { database: place.url, dryRun: true })
    expect({ exit, rows: report.rows, account: report.account }).toEqual({
      exit: 0,
      account: 'default',
      rows: {
        events: { inserted: 2, updated: 0, deleted: 0 },
        responses: { inserted: 5, updated: 0, deleted: 0 },
        payments: { inserted: 2, updated: 0, deleted: 0 },
        slots: { inserted: 4, updated: 0, deleted: 0 },
      },
    })
    if (on.engine === 'pglite') expect(existsSync(place.url.slice('pglite:'.length))).toBe(false)
    else {
      await using database = await place.open()
      const { rows } = await database.transaction((trx) =>
        trx.query(`select nspname from pg_namespace where nspname = 'headcount'`),
      )
      expect(rows).toEqual([])
    }
  })
})

onPostgresStage('a dry run, beside others', (stage) => {
  test('of an account that the mirror does not have: everything counts as an insert', async () => {
    await using on = await stage(accountOf({ gala: 3 }))
    await on.sync()
    const { report } = await on.run('sync', { account: 'another', createAccount: true, dryRun: true })
    expect(report).toMatchObject({ account: 'another', rows: { responses: { inserted: 3 } } })
    await on.change()
    expect(on.mirror.rows('accounts')).toHaveLength(1)
  })

  test('takes no account: a run goes on beside it, and it needs no right but to read', async () => {
    await using on = await stage(accountOf({ gala: 3, picnic: 2 }))
    await on.sync()
    const held = pause(on, '/events/gala/responses')
    on.account.of('gala').push(responseItem(9))
    const running = on.sync()
    await held.reached
    await using reader = await readerOf(on.url)
    const dry = await on.run('sync', { database: reader.url, dryRun: true })
    expect(dry).toMatchObject({ exit: 0, report: { rows: { responses: { inserted: 1 } } } })
    held.release()
    expect(await running).toMatchObject({ exit: 0, report: { rows: { responses: { inserted: 1 } } } })
  })

  test('an older schema is refused and migrate is named', async () => {
    await using on = await stage(accountOf({ gala: 3 }))
    await on.change(`delete from headcount.schema_migrations where number > 1`)
    const { exit, error } = await on.run('sync', { dryRun: true })
    expect({ exit, code: error?.code }).toEqual({ exit: 5, code: 'schema_version' })
    expect(error?.message).toContain('headcount migrate')
  })

  test('rows of lists that another version of ours read are foretold as updates', async () => {
    await using on = await stage(accountOf({ gala: 3 }))
    await on.sync()
    await on.change(
      `update headcount.sync_state set normaliser_version = 0, digest = null`,
      `update headcount.responses set name = 'as another version read it'`,
    )
    const { real } = await foretell(on)
    expect(real).toMatchObject({ exit: 0, report: { rows: { responses: { updated: 3 } } } })
  })
})
