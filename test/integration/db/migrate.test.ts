import { expect, test } from 'vitest'
import { migrations } from '../../../migrations/index.ts'
import { connect } from '../../../src/db/connect.ts'
import { migrate, requireSchema, SCHEMA_VERSION, schemaState } from '../../../src/db/migrate.ts'
import { DatabaseError, SchemaVersionError } from '../../../src/common/errors.ts'
import { openQueue } from '../../../src/orchestration/queue/open-queue.ts'
import { readStates } from '../../../src/load/state/sync-state.ts'
import { engines, freshMirror, freshPlace, onServer } from '../../support/databases/databases.ts'
import { countLockWaits } from '../../support/databases/locks.ts'
import { applyUpTo, change } from '../../support/databases/older-schema.ts'
import { readerOf } from '../../support/mirror/reader.ts'
import { listSchema } from '../../support/mirror/schema-listing.ts'

const everyMigration = migrations.map(({ number, name }) => ({ number, name }))

test.each(engines)('migrations run once, and say which they were (%s)', async (engine) => {
  await using mirror = await freshMirror(engine, { blank: true })
  await expect(requireSchema(mirror.database)).rejects.toThrow('headcount migrate')
  expect(await schemaState(mirror.database)).toEqual({ current: 0, needed: migrations.at(-1)?.number })
  expect(await migrate(mirror.database)).toEqual(everyMigration)
  expect(await migrate(mirror.database)).toEqual([])
  await requireSchema(mirror.database)
  const rows = await mirror.database.kysely
    .selectFrom('headcount.schema_migrations')
    .select(['number', 'name'])
    .execute()
  expect(rows).toEqual(everyMigration)
})

test.each(engines)(
  'D11 a newer schema is refused, by commands that write and by those that read (%s)',
  async (engine) => {
    await using mirror = await freshMirror(engine)
    await mirror.database.transaction((trx) =>
      trx.query(`insert into headcount.schema_migrations (number, name) values (99, 'from the future')`),
    )
    await expect(migrate(mirror.database)).rejects.toThrow(SchemaVersionError)
    await expect(migrate(mirror.database)).rejects.toThrow('version 99')
    await expect(requireSchema(mirror.database)).rejects.toThrow('newer headcount')
  },
)

test('two starters at once: one applies, the other finds it done', async () => {
  await using place = await freshPlace('postgres', { blank: true })
  const starters = await Promise.all(Array.from({ length: 4 }, () => place.open()))
  const applied = await Promise.all(starters.map((one) => migrate(one)))
  expect(applied.flat().toSorted((a, b) => a.number - b.number)).toEqual(everyMigration)
  await Promise.all(starters.map((database) => database.close()))
})

test('a role that may not create schemas can use those that are made for it, also for the queue, and is told which', async () => {
  await using place = await freshPlace('postgres', { blank: true })
  const name = new URL(place.url).pathname.slice(1)
  const role = `owner_${name}`
  await onServer(`create role ${role} login password 'owner'`)
  try {
    await using superuser = await place.open()
    const url = new URL(place.url)
    url.username = role
    url.password = 'owner'
    await using database = await connect(url.href)
    const statements = ['headcount', 'headcount_internal', 'headcount_queue'].map(
      (schema) => `create schema ${schema} authorization ${role}`,
    )
    const [first, second, ofQueue] = statements
    const lacking = `The role ${role} may not create schemas in the database ${name}. As a superuser run there: `
    await expect(migrate(database)).rejects.toThrow(new DatabaseError(`${lacking}${first}; ${second}`))
    await change(superuser, [`${first}`])
    await expect(migrate(database)).rejects.toThrow(new DatabaseError(`${lacking}${second}`))
    await change(superuser, [`${second}`])
    await migrate(database)
    expect(await schemaState(database)).toEqual({ current: SCHEMA_VERSION, needed: SCHEMA_VERSION })
    await expect(openQueue(database)).rejects.toThrow(new DatabaseError(`${lacking}${ofQueue}`))
    await change(superuser, [`${ofQueue}`])
    await using _ = await openQueue(database)
  } finally {
    await place[Symbol.asyncDispose]()
    await onServer(`drop role ${role}`)
  }
})

test('a reader with grants of an older schema reads views and the past after the internal functions moved', async () => {
  await using place = await freshPlace('postgres', { blank: true })
  await using database = await place.open()
  await applyUpTo(database, 15)
  await using reader = await readerOf(place.url)
  await change(database, [
    `insert into headcount.accounts (name) values ('default')`,
    `insert into headcount.sync_runs (account_id, mode, status, started_at, report)
     values (1, 'sync', 'succeeded', now() - interval '1 hour', '{}')`,
    `insert into headcount.response_history (account_id, event_id, response_id, valid_from, valid_to, operation, document, ended_by_run_id)
     values (1, 'gala', 7, now() - interval '1 hour', now() - interval '1 minute', 'delete',
             '{"id": 7, "name": "Zoë", "amount": "12.50", "slots": [{"name": "bar"}]}', 1)`,
  ])
  await migrate(database)
  await using asking = await connect(reader.url)
  const ask = async (text: string) => (await asking.transaction((trx) => trx.query(text))).rows
  const moment = `now() - interval '30 minutes'`
  expect(await ask(`select name, kind from headcount.responses_at(${moment})`)).toEqual([['Zoë', 'mixed']])
  expect(await ask(`select amount from headcount.payments_at('default', ${moment})`)).toEqual([['12.50']])
  expect(await ask(`select name from headcount.slots_at(${moment})`)).toEqual([['bar']])
  expect(await ask(`select change from headcount.response_changes order by 1`)).toEqual([
    ['delete'],
    ['insert'],
  ])
})

test('an account in CET, to Postgres an offset without summer time, has the days of a place after the migration', async () => {
  await using place = await freshPlace('postgres', { blank: true })
  await using database = await place.open()
  await applyUpTo(database, 44)
  await change(database, [
    `insert into headcount.accounts (name, time_zone) values ('north', 'CET'), ('west', 'UTC')`,
    `insert into headcount.sync_runs (account_id, mode, status) values (1, 'sync', 'succeeded')`,
    `insert into headcount.events (account_id, id, event_at, _run_id) values (1, 'gala', '2026-07-01T22:30:00Z', 1)`,
  ])
  await migrate(database)
  const ask = async (text: string) => (await database.transaction((trx) => trx.query(text))).rows
  expect(await ask('select event_day from headcount.event_summary')).toEqual([['2026-07-02']])
  expect(await ask('select time_zone from headcount.accounts order by id')).toEqual([
    ['Europe/Brussels'],
    ['UTC'],
  ])
})

test('functions left behind by a dropped schema are replaced', async () => {
  await using mirror = await freshMirror('postgres', { blank: true })
  await migrate(mirror.database)
  const listed = await listSchema(mirror.database)
  await change(mirror.database, ['drop schema headcount cascade'])
  expect(await migrate(mirror.database)).toEqual(everyMigration)
  expect(await listSchema(mirror.database)).toBe(listed)
})

test('D12 a migration killed half-way leaves nothing, and the next start makes it whole', async () => {
  await using place = await freshPlace('postgres', { blank: true })
  await using watcher = await place.open()
  // The migration is made to wait in its middle: behind the table of slots.
  await watcher.transaction(async (trx) => {
    await trx.query(`create function public.wait_in_the_middle() returns event_trigger language plpgsql as $$
      begin
        if exists (select from pg_event_trigger_ddl_commands() where object_identity = 'headcount.slots') then
          perform pg_sleep(60);
        end if;
      end $$`)
    await trx.query(`create event trigger wait_in_the_middle on ddl_command_end
      execute function public.wait_in_the_middle()`)
  })
  const starter = await place.open()
  const killed = expect(migrate(starter)).rejects.toThrow(/terminating connection|terminated/)
  await expect
    .poll(async () =>
      watcher.transaction(async (trx) => {
        const { count } = await trx.query(
          `select pg_terminate_backend(pid) from pg_stat_activity
            where datname = current_database() and wait_event = 'PgSleep'`,
        )
        return count
      }),
    )
    .toBe(1)
  await killed
  await starter.close()

  expect(await schemaState(watcher)).toEqual({ current: 0, needed: migrations.at(-1)?.number })
  const schema = await watcher.transaction((trx) => trx.query(`select to_regnamespace('headcount') is null`))
  expect(schema.rows).toEqual([[true]])
  await watcher.transaction((trx) => trx.query('drop event trigger wait_in_the_middle'))
  expect(await migrate(watcher)).toEqual(everyMigration)
})

test('a migration that waits for a session which stands idle in a transaction lets readers pass, and says so', async () => {
  await using place = await freshPlace('postgres', { blank: true })
  await using database = await place.open()
  await applyUpTo(database, 43)
  const ask = 'select count(*) from headcount.respondents'
  await using idle = await place.open()
  await using reader = await place.open()
  const ended = Promise.withResolvers<void>()
  const standing = idle.transaction(
    async (trx) => {
      await trx.query(ask)
      await ended.promise
    },
    { idleTimeoutMs: 0 },
  )
  const told: string[] = []
  const migrating = migrate(database, undefined, (_, message) => told.push(message))
  await expect.poll(() => countLockWaits(reader), { timeout: 20_000 }).toBe(1)
  const read = await reader.transaction((trx) => trx.query(ask), { lockTimeoutMs: 9000 })
  expect(read.rows).toEqual([['0']])
  await expect.poll(() => told).toEqual([expect.stringContaining('Migration 44 waits for another session')])
  expect(await schemaState(reader)).toMatchObject({ current: 43 })
  ended.resolve()
  await standing
  expect(await migrating).toEqual(everyMigration.filter(({ number }) => number > 43))
})

test('a migration that a reader waits for, whom it waits for itself, is tried again', async () => {
  await using place = await freshPlace('postgres', { blank: true })
  await using database = await place.open()
  await applyUpTo(database, 44)
  await using reports = await place.open()
  await using watcher = await place.open()
  const locked = Promise.withResolvers<void>()
  const isWaitedFor = Promise.withResolvers<void>()
  // Migration 45 makes the first view before the last.
  const reading = reports.transaction(
    async (trx) => {
      // Never the one that Postgres ends.
      await trx.query(`set local deadlock_timeout to '20s'`)
      await trx.query('select count(*) from headcount.payments_by_month')
      locked.resolve()
      await isWaitedFor.promise
      return trx.query('select count(*) from headcount.event_summary')
    },
    { readOnly: true, lockTimeoutMs: 20_000 },
  )
  await locked.promise
  const told: string[] = []
  const migrating = migrate(database, undefined, (_, message) => told.push(message))
  // At the second attempt, which waits for longer than Postgres waits before it looks for a deadlock.
  await expect.poll(() => told.length, { timeout: 20_000 }).toBe(1)
  await expect.poll(() => countLockWaits(watcher), { timeout: 20_000, interval: 20 }).toBe(1)
  isWaitedFor.resolve()
  const [read, migrated] = await Promise.all([reading, migrating])
  expect(read.rows).toEqual([['0']])
  expect(migrated).toEqual(everyMigration.filter(({ number }) => number > 44))
})

test('a digest that an older schema stored as text vouches for its list under the new one', async () => {
  await using place = await freshPlace('postgres', { blank: true })
  await using database = await place.open()
  const digest = 'd1'.repeat(32)
  await applyUpTo(database, 5)
  await change(database, [
    `insert into headcount.sync_state (account_id, event_id, digest) values (1, 'gala', '${digest}')`,
  ])
  expect(await migrate(database)).toEqual(everyMigration.filter(({ number }) => number > 5))
  expect(await readStates(database.kysely, 1)).toMatchObject(new Map([['gala', { digest }]]))
})

/** Rows as the version before the first release wrote them, under its names for tables and columns. */
const ofOlderNames = [
  `insert into headcount.accounts (name) values ('default')`,
  `insert into headcount.sync_runs (account_id, mode, selective, status, report)
   values (1, 'sync', false, 'succeeded', '{}'), (1, 'sync', true, 'partial', '{}')`,
  `insert into headcount.sync_state
          (account_id, event_id, digest, normaliser, etag, checked_at, read_at, next_check_at, step, held, held_count, held_since)
   values (1, 'gala', decode(repeat('d1', 32), 'hex'), 7, '"v1"', '2026-11-02', '2026-11-01', '2026-11-03', 7200, null, 0, null),
          (1, 'picnic', null, 7, null, '2026-11-02', '2026-11-02', null, null,
           '[{"ids": ["1", "2"], "since": "2026-11-02T00:00:00Z", "reason": "many_missing"}]', 2, '2026-11-02')`,
  `insert into headcount.rejects (account_id, event_id, item_index, reason, path, payload, bytes, sha256, run_id)
   values (1, 'gala', 0, 'id_missing', '$[0]', '{}', 2, 'abc', 1), (1, 'gala', 1, 'id_missing', '$[1]', '{}', 2, 'def', 1)`,
  `insert into headcount.reject_acceptances (account_id, event_id, sha256) values (1, 'gala', 'abc')`,
  `insert into headcount.api_observations (account_id, subject, fact, value, seen)
   values (1, 'response.rsvp', 'value', 'yes', 12)`,
]

test('rows written under the names before the first release survive', async () => {
  await using mirror = await freshMirror('postgres', { blank: true })
  const { database } = mirror
  await applyUpTo(database, 6)
  await change(database, ofOlderNames)
  await migrate(database)

  const held_deletions = [{ ids: ['1', '2'], since: '2026-11-02T00:00:00Z', reason: 'many_missing' }]
  expect(await readStates(database.kysely, 1)).toMatchObject(
    new Map([
      [
        'gala',
        {
          digest: 'd1'.repeat(32),
          normaliser_version: 7,
          last_full_read_at: '2026-11-01T00:00:00Z',
          poll_interval_s: 7200,
          held_deletions: [],
        },
      ],
      ['picnic', { digest: null, poll_interval_s: null, held_deletions }],
    ]),
  )
  const states = database.kysely
    .selectFrom('headcount.sync_state')
    .select(['event_id', 'held_deletion_count', 'held_deletions_since'])
    .orderBy('event_id')
  expect(await states.execute()).toEqual([
    { event_id: 'gala', held_deletion_count: 0, held_deletions_since: null },
    { event_id: 'picnic', held_deletion_count: 2, held_deletions_since: '2026-11-02T00:00:00Z' },
  ])
  const observations = database.kysely
    .selectFrom('headcount.api_observations')
    .select(['path', 'kind', 'value', 'count'])
  expect(await observations.execute()).toEqual([
    { path: 'response.rsvp', kind: 'value', value: 'yes', count: '1' },
  ])
  const asked = await database.transaction(async (trx) => [
    (await trx.query('select named_events_only, good from headcount.sync_runs order by id')).rows,
    (await trx.query('select event_id, held, rejected, accepted from headcount.list_status order by 1')).rows,
    (await trx.query('select sha256 from headcount.accepted_rejects')).rows,
  ])
  expect(asked).toEqual([
    [
      [false, true],
      [true, false],
    ],
    [
      ['gala', 0, '1', '1'],
      ['picnic', 2, '0', '0'],
    ],
    [['abc']],
  ])
})
