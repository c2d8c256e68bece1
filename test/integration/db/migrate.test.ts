import { expect, test } from 'vitest'
import { migrations } from '../../../migrations/index.ts'
import { connect } from '../../../src/db/connect.ts'
import { migrate, requireSchema, schemaState } from '../../../src/db/migrate.ts'
import { SchemaVersionError } from '../../../src/common/errors.ts'
import { readStates } from '../../../src/load/state/sync-state.ts'
import { engines, freshMirror, freshPlace, onServer } from '../../support/databases.ts'

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
  const applied = await Promise.all(starters.map(migrate))
  expect(applied.flat().toSorted((a, b) => a.number - b.number)).toEqual(everyMigration)
  await Promise.all(starters.map((database) => database.close()))
})

test('a role that may not create schemas can use one that is made for it', async () => {
  await using place = await freshPlace('postgres', { blank: true })
  const name = new URL(place.url).pathname.slice(1)
  const role = `owner_${name}`
  await onServer(`create role ${role} login password 'owner'`)
  try {
    {
      await using database = await place.open()
      await database.transaction((trx) => trx.query(`create schema headcount authorization ${role}`))
    }
    const url = new URL(place.url)
    url.username = role
    url.password = 'owner'
    await using database = await connect(url.href)
    expect(await migrate(database)).toEqual(everyMigration)
  } finally {
    await place[Symbol.asyncDispose]()
    await onServer(`drop role ${role}`)
  }
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

test('a digest that an older schema stored as text vouches for its list under the new one', async () => {
  await using place = await freshPlace('postgres', { blank: true })
  await using database = await place.open()
  const digest = 'd1'.repeat(32)
  await database.transaction(async (trx) => {
    await trx.query('create schema headcount')
    await trx.query(
      'create table headcount.schema_migrations (number int primary key, name text, applied_at timestamptz)',
    )
    for (const { number, name, statements } of migrations.slice(0, 5)) {
      for (const statement of statements) await trx.query(statement)
      await trx.query('insert into headcount.schema_migrations values ($1, $2)', [number, name])
    }
    await trx.query(
      `insert into headcount.sync_state (account_id, event_id, digest) values (1, 'gala', $1)`,
      [digest],
    )
  })
  expect(await migrate(database)).toEqual(everyMigration.slice(5))
  expect(await readStates(database.kysely, 1)).toMatchObject(new Map([['gala', { digest }]]))
})
