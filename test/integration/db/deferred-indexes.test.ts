/** The indexes that only queries use are made when a first load has ended. */
import { expect, test } from 'vitest'
import { connect } from '../../../src/db/connect.ts'
import { missingIndexes } from '../../../src/db/maintenance/deferred-indexes.ts'
import { migrate } from '../../../src/db/migrate.ts'
import { moveMirror } from '../../../src/index.ts'
import { accountOf, responsesFrom } from '../../support/accounts/account.ts'
import { headcount } from '../../support/commands/command.ts'
import { engines, freshPlace, onServer } from '../../support/databases/databases.ts'
import { applyUpTo, change } from '../../support/databases/older-schema.ts'
import { startPoolingProxy } from '../../support/databases/pooling-proxy.ts'
import { testKey } from '../../support/http/reading.ts'
import { onBothStages, onPostgresStage, startStage, type Stage } from '../../support/runs/stage.ts'

const MANY = 20_000
const both = ['responses_created_at', 'responses_email_key']

/** Sends statements to the mirror, without the look at it that the stage would take: it has many rows. */
async function send(on: Pick<Stage, 'target'>, ...statements: readonly string[]) {
  await using database = await connect(on.target)
  return await database.transaction(async (trx) => {
    let last: readonly (readonly unknown[])[] = []
    for (const statement of statements) last = (await trx.query(statement)).rows
    return last
  })
}

/** The valid indexes of the table of responses, but for its key. */
async function indexesOf(on: Stage): Promise<unknown[]> {
  const rows = await send(
    on,
    `select c.relname::text
       from pg_index i join pg_class c on c.oid = i.indexrelid
      where i.indrelid = 'headcount.responses'::regclass and i.indisvalid and not i.indisprimary
      order by 1`,
  )
  return rows.map(([name]) => name)
}

/** What has statistics, of a large table and one with a single row: autovacuum never analyses that. */
const analysedOf = async (on: Pick<Stage, 'target'>) =>
  send(
    on,
    `select distinct tablename::text from pg_stats
      where schemaname = 'headcount' and tablename in ('responses', 'events') order by 1`,
  )

onBothStages('indexes after the first load', (stage) => {
  test('a first load of many rows ends with them', async () => {
    await using on = await stage(accountOf({ gala: MANY }))
    expect(await on.run('sync')).toMatchObject({ exit: 0 })
    expect(await indexesOf(on)).toEqual(both)
  })

  test('its tables are analysed then: without statistics the views take several times as long', async () => {
    await using on = await stage(accountOf({ gala: MANY }))
    await on.run('sync')
    expect(await analysedOf(on)).toEqual([['events'], ['responses']])
  })
})

test('on PGlite, which has no autovacuum, tables are analysed after a run: once, and when they have grown', async () => {
  const account = accountOf({ gala: 5000, picnic: 3 })
  await using on = await startStage('pglite', account)
  /** By what wrote the statistics. */
  const analysed = async () =>
    send(
      on,
      `select distinct starelid::regclass::text, xmin::text
         from pg_statistic where starelid in ('headcount.responses'::regclass, 'headcount.events'::regclass) order by 1`,
    )
  await on.run('sync')
  const first = await analysed()
  expect(first.map(([name]) => name)).toEqual(['headcount.events', 'headcount.responses'])
  account.of('picnic').push(...responsesFrom(90_000, 100))
  await on.run('sync', { all: true })
  expect(await analysed()).toEqual(first)
  account.of('picnic').push(...responsesFrom(100_000, 6000))
  await on.run('sync', { all: true })
  const then = await analysed()
  expect(then.map(([name]) => name)).toEqual(['headcount.events', 'headcount.responses'])
  expect(then).not.toEqual(first)
})

test.each(engines)('a mirror that is moved to %s is analysed there', async (engine) => {
  await using on = await startStage('postgres', accountOf({ gala: 5000 }))
  await on.run('sync')
  await using place = await freshPlace(engine, { blank: true })
  await moveMirror({ database: on.url, to: place.url })
  expect(await analysedOf({ target: place.url })).toEqual([['events'], ['responses']])
})

onPostgresStage('indexes after the first load (postgres)', (stage) => {
  test('an index that an interrupted build left invalid is dropped and made again', async () => {
    await using on = await stage(accountOf({ gala: 3 }))
    await on.backfill()
    await send(
      on,
      `update pg_index set indisvalid = false where indexrelid = 'headcount.responses_email_key'::regclass`,
    )
    const [[before] = []] = await send(on, `select 'headcount.responses_email_key'::regclass::oid::text`)
    await on.backfill()
    const [[after] = []] = await send(on, `select 'headcount.responses_email_key'::regclass::oid::text`)
    expect(await indexesOf(on)).toEqual(both)
    expect(after).not.toBe(before)
  })

  test('they are made behind a proxy that gives every transaction another connection', async () => {
    await using on = await stage(accountOf({ gala: MANY }))
    await using proxy = await startPoolingProxy(on.url)
    expect(await on.run('sync', { database: proxy.url })).toMatchObject({ exit: 0 })
    expect(await indexesOf(on)).toEqual(both)
  })

  test('a role that does not own the table goes without, and doctor names the statements', async () => {
    await using on = await stage(accountOf({ gala: MANY }))
    const role = `sync_${new URL(on.url).pathname.slice(1)}`
    await onServer(`create role ${role} login password 'sync'`)
    try {
      await on.run('sync')
      await send(
        on,
        'drop index headcount.responses_email_key',
        `grant usage on schema headcount to ${role}`,
        `grant select, insert, update, delete on all tables in schema headcount to ${role}`,
        `grant usage on all sequences in schema headcount to ${role}`,
      )
      const url = new URL(on.url)
      url.username = role
      url.password = 'sync'
      expect(await on.run('backfill', { database: url.href })).toMatchObject({ exit: 0 })
      expect(await indexesOf(on)).toEqual(['responses_created_at'])
      const { stdout, code } = await headcount(['doctor', '--database', url.href], {
        env: { HEADCOUNT_API_KEY: testKey, HEADCOUNT_BASE_URL: on.service.baseUrl.href },
      })
      expect(code).toBe(0)
      expect(stdout).toMatch(/warning +schema .*only the owner of headcount.responses/)
      expect(stdout).toContain(
        'create index concurrently if not exists responses_email_key on headcount.responses (headcount.email_key(email) text_pattern_ops);',
      )
      expect(stdout).not.toContain('responses_created_at')
    } finally {
      await send(on, `drop owned by ${role}`)
      await onServer(`drop role ${role}`)
    }
  })

  test('a signal ends the build, the run keeps its result, and the next run makes them', async () => {
    await using on = await stage(accountOf({ gala: MANY }))
    const stop = new AbortController()
    await using reader = await connect(on.url)
    const held = Promise.withResolvers<void>()
    const released = Promise.withResolvers<void>()
    // A writer that does not end: the build waits for it.
    const writing = reader.transaction(async (trx) => {
      await trx.query('lock table headcount.responses in row exclusive mode')
      held.resolve()
      await released.promise
    })
    await held.promise
    const running = on.run('sync', {
      signal: stop.signal,
      onProgress: ({ phase }) => void (phase === 'indexing' && setTimeout(() => stop.abort(), 300)),
    })
    expect(await running).toMatchObject({ exit: 0 })
    expect(await indexesOf(on)).toEqual([])
    released.resolve()
    await writing
    await on.run('sync')
    expect(await indexesOf(on)).toEqual(both)
  })

  test('few rows are worth none, until a backfill has ended', async () => {
    await using on = await stage(accountOf({ gala: 3 }))
    await on.sync()
    expect(await indexesOf(on)).toEqual([])
    await on.backfill({ events: ['gala'] })
    expect(await indexesOf(on)).toEqual([])
    await on.backfill()
    expect(await indexesOf(on)).toEqual(both)
  })

  test('while another run is live they are left to the next run, which need not change anything', async () => {
    await using on = await stage(accountOf({ gala: MANY }))
    await on.run('sync')
    await send(
      on,
      'drop index headcount.responses_email_key',
      `insert into headcount.sync_runs (account_id, mode, status) values (4711, 'sync', 'running')`,
    )
    await on.run('sync')
    expect(await indexesOf(on)).toEqual(['responses_created_at'])
    await send(on, 'delete from headcount.sync_runs where account_id = 4711')
    expect(await on.run('sync')).toMatchObject({ exit: 0, report: { events: { changed: 0 } } })
    expect(await indexesOf(on)).toEqual(both)
  })
})

test('a mirror that has rows keeps its index of times; the one of addresses as sent is left to the next run', async () => {
  await using place = await freshPlace('postgres', { blank: true })
  await using database = await place.open()
  await applyUpTo(database, 14)
  await change(database, [
    `insert into headcount.responses (account_id, event_id, id, kind, _run_id) values (1, 'gala', 1, 'rsvp', 1)`,
  ])
  await migrate(database)
  expect(await missingIndexes(database.kysely)).toEqual([{ name: 'responses_email_key', isInvalid: false }])
  const { rows } = await database.transaction((trx) =>
    trx.query(`select to_regclass('headcount.responses_email')`),
  )
  expect(rows).toEqual([[null]])
})
