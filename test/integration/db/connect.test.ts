import { randomUUID } from 'node:crypto'
import { inspect } from 'node:util'
import { sql } from 'kysely'
import { describe, expect, inject, test, vi } from 'vitest'
import { migrations } from '../../../migrations/index.ts'
import { connect, type Database } from '../../../src/db/connect.ts'
import { migrate } from '../../../src/db/migrate.ts'
import {
  TransactionConflictError,
  DatabaseError,
  SchemaVersionError,
  UsageError,
} from '../../../src/common/errors.ts'
import { freshMirror, freshPlace, onBoth, onServer } from '../../support/databases/databases.ts'
import { lockTable } from '../../support/databases/locks.ts'
import { closedPort } from '../../support/http/fault-server.ts'
import { startSilentServer } from '../../support/http/loopback.ts'
import { openPool } from '../../support/databases/pools.ts'

async function failure(work: Promise<unknown>): Promise<Error> {
  try {
    await work
  } catch (error) {
    if (error instanceof Error) return error
  }
  throw new Error('did not fail')
}

onBoth('a transaction', (fresh, engine) => {
  test('commits what its work did, and gives its result', async () => {
    await using mirror = await fresh()
    const id = await mirror.database.transaction(async (trx) => {
      const row = await trx.kysely
        .insertInto('headcount.accounts')
        .values({ name: 'club' })
        .returning('id')
        .executeTakeFirstOrThrow()
      return row.id
    })
    expect(
      await mirror.database.kysely.selectFrom('headcount.accounts').select(['id', 'name']).execute(),
    ).toEqual([{ id, name: 'club' }])
  })

  test('is rolled back when its work throws, and the error comes out as it is', async () => {
    await using mirror = await fresh()
    const reason = new TypeError('of the work')
    const work = mirror.database.transaction(async (trx) => {
      await trx.kysely.insertInto('headcount.accounts').values({ name: 'club' }).execute()
      throw reason
    })
    expect(await failure(work)).toBe(reason)
    expect(await mirror.database.kysely.selectFrom('headcount.accounts').selectAll().execute()).toEqual([])
  })

  test('does not pass for committed when a statement in it failed and was swallowed', async () => {
    await using mirror = await fresh()
    const work = mirror.database.transaction(async (trx) => {
      await trx.kysely.insertInto('headcount.accounts').values({ name: 'club' }).execute()
      await trx.query('select 1/0').catch(() => {})
    })
    expect(await failure(work)).toMatchObject({
      code: 'database',
      message: expect.stringContaining('rolled back'),
    })
  })

  test('takes one statement a text, also where nothing is bound', async () => {
    await using mirror = await fresh()
    const work = mirror.database.transaction((trx) => trx.query('select 1; delete from headcount.accounts'))
    expect((await failure(work)).message).toContain('multiple commands')
  })

  test('answers columns in order, two of one name too, and the count', async () => {
    await using mirror = await fresh()
    const answer = await mirror.database.transaction((trx) =>
      trx.query('select $1::int8 as a, 2 as a', ['1']),
    )
    expect(answer).toEqual({
      columns: [
        { name: 'a', type: 20 },
        { name: 'a', type: 23 },
      ],
      rows: [['1', 2]],
      count: 1,
    })
    const nothing = await mirror.database.transaction((trx) => trx.query('select 1 as one where false'))
    expect(nothing).toMatchObject({ columns: [{ name: 'one' }], rows: [], count: 0 })
  })

  test('read only: cannot write, and says what takes writes', async () => {
    await using mirror = await fresh()
    const work = mirror.database.transaction(
      (trx) => trx.kysely.insertInto('headcount.accounts').values({ name: 'club' }).execute(),
      { readOnly: true },
    )
    expect((await failure(work)).message).toMatch(/read-only transaction.*primary/)
  })

  test('leaves no setting behind, and sets no time limit on PGlite', async () => {
    await using mirror = await fresh()
    const read = async (name: string) =>
      sql<{ value: string }>`select current_setting(${name}) as value`.execute(mirror.database.kysely)
    const inside = await mirror.database.transaction(
      async (trx) =>
        (
          await trx.query(`select current_setting('synchronous_commit'), current_setting('lock_timeout'),
        current_setting('idle_in_transaction_session_timeout'), current_setting('TimeZone')`)
        ).rows,
      { batch: true },
    )
    expect(inside).toEqual([engine === 'postgres' ? ['off', '10s', '20s', 'UTC'] : ['on', '0', '0', 'UTC']])
    expect((await read('synchronous_commit')).rows).toEqual([{ value: 'on' }])
    expect((await read('lock_timeout')).rows).toEqual([{ value: '0' }])
  })

  test('hides the values of a failed statement from whoever prints the error', async () => {
    await using mirror = await fresh()
    const work = mirror.database.transaction((trx) => trx.query('select $1::text, 1/0', ['SECRET-VALUE']))
    expect(inspect(await failure(work), { depth: 10, showHidden: true })).not.toContain('SECRET-VALUE')
  })
})

const write = `insert into headcount.accounts (name) values ('club')`

describe('a server that cannot be used', () => {
  test('D1 down: host, port and remedy are named', async () => {
    const port = await closedPort()
    const error = await failure(connect(`postgres://user:CANARY@127.0.0.1:${port}/mirror`))
    expect(error).toMatchObject({ name: 'DatabaseError', exitCode: 5 })
    expect(error.message).toContain(`127.0.0.1:${port}/mirror`)
    expect(error.message).toContain('Check that the server runs')
  })

  test('D1 a server that accepts and never answers is given up after 10 s', async () => {
    await using server = await startSilentServer()
    const error = await failure(connect(`postgres://user:CANARY@127.0.0.1:${server.port}/mirror`))
    expect(error.message).toContain('Check that the server runs')
  })

  test('D1 a host whose name is not known', async () => {
    const error = await failure(connect('postgres://user:CANARY@nowhere.invalid/mirror'))
    expect(error.message).toMatch(/nowhere\.invalid:5432\/mirror.*host/)
  })

  test('a database or a user that does not exist', async () => {
    const missing = await failure(connect(`${inject('postgres')}/no_such_mirror`))
    expect(missing.message).toMatch(/no_such_mirror.*Create the database first/)
  })

  test('the names of a database and of a role may have every character, percent-encoded as for psql', async () => {
    const name = `The "club's" #1 & äll/${randomUUID().slice(0, 8)}? 9%@h+`
    const quoted = `"${name.replaceAll('"', '""')}"`
    await onServer(`create role ${quoted} login password 'p@s:/w#r?%d'`)
    await onServer(`create database ${quoted} owner ${quoted}`)
    const url = new URL(inject('postgres'))
    const [role, password] = [name, 'p@s:/w#r?%d'].map(encodeURIComponent)
    {
      await using database = await connect(`postgres://${role}:${password}@${url.host}/${role}`)
      const { rows } = await database.transaction((trx) =>
        trx.query('select current_database(), current_user'),
      )
      expect(rows).toEqual([[name, name]])
    }
    // Without a name the database is that of the user, as for psql.
    await using database = await connect(`postgres://${role}:${password}@${url.host}`)
    const { rows } = await database.transaction((trx) => trx.query('select current_database()'))
    expect(rows).toEqual([[name]])
  })

  test('D6 a server that takes no writes', async () => {
    await using place = await freshPlace('postgres')
    await onServer(`alter database ${nameIn(place.url)} set default_transaction_read_only = on`)
    await using database = await place.open()
    const work = database.transaction((trx) =>
      trx.kysely.insertInto('headcount.accounts').values({ name: 'club' }).execute(),
    )
    expect((await failure(work)).message).toContain('use the primary server')
  })

  test.each([
    ['a transaction', (database: Database) => database.transaction((trx) => trx.query(write))],
    ['one statement', (database: Database) => sql.raw(write).execute(database.kysely)],
    ['a statement of the queue', async (database: Database) => database.queryAsDriver?.(write)],
  ])('D6 when a database takes writes again, so do connections from before: %s', async (_, work) => {
    await using place = await freshPlace('postgres')
    const name = nameIn(place.url)
    await onServer(`alter database ${name} set default_transaction_read_only = on`)
    await using database = await place.open()
    await database.transaction((trx) => trx.query('select 1'))
    await onServer(`alter database ${name} reset default_transaction_read_only`)
    expect((await failure(work(database))).message).toContain('use the primary server')
    await work(database)
  })

  test('D2 D3 a connection killed in a transaction or while idle: an error, and the next transaction works', async () => {
    await using mirror = await freshMirror('postgres')
    const killAll = () =>
      onServer(
        `select pg_terminate_backend(pid, 5000) from pg_stat_activity where datname = '${nameIn(mirror.url)}'`,
      )
    const work = mirror.database.transaction(async (trx) => {
      await trx.kysely.insertInto('headcount.accounts').values({ name: 'club' }).execute()
      await killAll()
      await trx.query('select 1')
    })
    expect(await failure(work)).toBeInstanceOf(DatabaseError)
    await mirror.database.transaction((trx) => trx.query('select 1'))
    await killAll()
    await new Promise((resolve) => {
      setTimeout(resolve, 100)
    })
    const rows = await mirror.database.kysely.selectFrom('headcount.accounts').selectAll().execute()
    expect(rows).toEqual([])
  })

  test('D2 connections killed while they are being closed do not end the process', async () => {
    await using mirror = await freshMirror('postgres')
    await using watcher = await freshMirror('postgres')
    const { kysely } = watcher.database
    const kill = sql`select pg_terminate_backend(pid) from pg_stat_activity where datname = ${nameIn(mirror.url)}`
    for (let round = 0; round < 10; round += 1) {
      const database = await connect(mirror.url)
      await Promise.all(
        [1, 2, 3].map(() => database.transaction((trx) => trx.query('select pg_sleep(0.01)'))),
      )
      await Promise.all([kill.execute(kysely), database.close()])
    }
  })

  test('D4 a deadlock is a conflict that may be tried again', async () => {
    await using mirror = await freshMirror('postgres')
    const { database } = mirror
    await database.transaction((trx) =>
      trx.query(`insert into headcount.accounts (name) values ('a'), ('b')`),
    )
    const both = Promise.withResolvers<void>()
    let arrived = 0
    const lockInOrder = (first: string, second: string) =>
      database.transaction(async (trx) => {
        await trx.query('select 1 from headcount.accounts where name = $1 for update', [first])
        arrived += 1
        if (arrived === 2) both.resolve()
        await both.promise
        await trx.query('select 1 from headcount.accounts where name = $1 for update', [second])
      })
    const results = await Promise.allSettled([lockInOrder('a', 'b'), lockInOrder('b', 'a')])
    const reasons = results
      .filter((result) => result.status === 'rejected')
      .map(({ reason }) => reason as unknown)
    expect(reasons).toHaveLength(1)
    expect(reasons[0]).toBeInstanceOf(TransactionConflictError)
    expect(reasons[0]).toMatchObject({ retryable: true })
  })

  test('D7 a lock held by another session: given up after the lock time-out, with the reason', async () => {
    await using mirror = await freshMirror('postgres')
    const { database } = mirror
    await using _lock = await lockTable(database, 'accounts')
    const work = database.transaction((trx) => trx.query('select 1 from headcount.accounts'), {
      lockTimeoutMs: 100,
    })
    expect((await failure(work)).message).toMatch(/lock timeout.*Another session holds a lock/)
  })

  test('D13 a role without rights: what it lacks is named', async () => {
    await using place = await freshPlace('postgres')
    const role = `role_${nameIn(place.url)}`
    await onServer(`create role ${role} login password 'CANARY'`)
    const url = new URL(place.url)
    url.username = role
    url.password = 'CANARY'
    try {
      await using database = await connect(url.href)
      const reading = await failure(database.kysely.selectFrom('headcount.accounts').selectAll().execute())
      expect(reading.message).toMatch(
        /permission denied for schema headcount\. Grant .* headcount doctor says what/,
      )
    } finally {
      await onServer(`drop role ${role}`)
    }
  })

  test('a mirror without its schema names the command that makes it', async () => {
    await using mirror = await freshMirror('postgres', { blank: true })
    const error = await failure(mirror.database.kysely.selectFrom('headcount.events').selectAll().execute())
    expect(error).toBeInstanceOf(SchemaVersionError)
    expect(error.message).toContain('headcount migrate')
  })
})

describe('several hosts, of which psql would try one after the other', () => {
  test.each([
    'postgres://user:a,b@one:5432,two:5432/mirror?target_session_attrs=read-write',
    'postgresql://one,two/mirror',
    'postgres://user@/mirror?host=one,two&port=5432,5432',
    'postgres://one/mirror?host=one%2Ctwo',
  ])('are refused: %s', async (url) => {
    const error = await failure(connect(url))
    expect(error).toBeInstanceOf(UsageError)
    expect(error.message).toContain('names several hosts')
  })

  test('a comma elsewhere is none', async () => {
    const url = 'postgres://u,v:c,d@127.0.0.1:1/e,f?application_name=g,h'
    expect((await failure(connect(url))).message).toContain('127.0.0.1:1/e,f: connect ECONNREFUSED')
    for (const unencoded of [
      'postgres://user:c,d/e@127.0.0.1/mirror',
      'postgres://127.0.0.1/mirror?application_name=a@b,c',
    ]) {
      const error = await failure(connect(unencoded))
      expect(error.message, unencoded).toMatch(/cannot be read.* percent-encoded/)
    }
  })
})

test('X6 a password that was changed is taken from the URL as it is now, unless that is another database or cannot be read', async () => {
  await using place = await freshPlace('postgres')
  const former = new URL(place.url)
  former.password = 'former'
  const other = new URL(place.url)
  other.pathname = '/postgres'
  const lines: string[] = []
  const log = (_: string, line: string) => void lines.push(line)
  const connectWith = (url: string, currentUrl: () => string) => connect(url, { currentUrl, log })
  await using database = await connectWith(former.href, () => place.url)
  expect(database.label).toContain(former.pathname)
  expect(lines).toEqual([])

  expect(await failure(connectWith(former.href, () => other.href))).toMatchObject({
    exitCode: 5,
    message: expect.stringContaining('password authentication failed'),
  })
  expect(lines).toEqual([expect.stringContaining('another server, database or user is named now')])

  // As while the file is replaced: the password that is known may still be right.
  for (const [currentUrl, reason] of [
    [() => expect.fail('DATABASE_URL_FILE: it is not there'), 'it is not there'],
    [() => 'postgres://user:ha', 'cannot be read'],
    [() => 'pglite:./folder', 'neither a Postgres URL'],
  ] as const) {
    await using _ = await connectWith(place.url, currentUrl)
    expect(lines.at(-1)).toContain(reason)
  }
})

test('X6 while the file of a changed password cannot be read, the last one that was read is used, not that of the start', async () => {
  await using place = await freshPlace('postgres')
  const former = new URL(place.url)
  former.password = 'former'
  const read = vi.fn(() => place.url)
  const currentUrl = () => read()
  for (const isReadable of [true, false]) {
    if (!isReadable) read.mockImplementation(() => expect.fail('it is not there'))
    await using _ = await connect(former.href, { currentUrl })
  }
  expect(read.mock.results.map(({ type }) => type)).toContain('throw')
})

describe('X6 the password stands in no error', () => {
  test.each([
    'postgres://user:CANARY@127.0.0.1:1/mirror',
    'postgres://user:CANARY@nowhere.invalid/mirror',
    'postgres://user:CAN#ARY@127.0.0.1/mirror',
    'postgres://user:12/CANARY@127.0.0.1/mirror',
    'postgres://user:12?CANARY@127.0.0.1/mirror',
    'postgres://user:12@CAN/ARY@127.0.0.1/mirror',
    'postgres://user:12@CAN?ARY@127.0.0.1/mirror',
    'postgres://user:12@CAN#ARY@127.0.0.1/mirror',
    'postgres://user:12@CAN:1/A?R#Y@127.0.0.1/mirror',
    'postgres://12@CAN/ARY@127.0.0.1/mirror',
    'postgres://user:CANARY@127.0.0.1:port/mirror',
    'postgres://user:CAN,ARY@127.0.0.1,127.0.0.2/mirror',
    'postgres://user:CAN%ARY@127.0.0.1:1/mirror',
    'postgres://127.0.0.1:1/mirror?user=user&password=CANARY',
    'mysql://user:CANARY@127.0.0.1/mirror',
    'CANARY',
  ])('%s', async (url) => {
    const error = await failure(connect(url))
    expect(error).toHaveProperty('exitCode')
    expect(inspect(error, { depth: 10, showHidden: true })).not.toMatch(/CAN|ARY/)
  })

  test.each([
    'postgres://user:100%@127.0.0.1/mirror',
    'postgres://127.0.0.1%/mirror',
    'postgres://127.0.0.1/%ff',
  ])('a %% that is not encoded: %s', async (url) => {
    const error = await failure(connect(url))
    expect(error).toMatchObject({ exitCode: 2, message: expect.stringContaining('% as %25') })
  })

  test('an @ of another part is encoded, as in the password', async () => {
    const error = await failure(connect('postgres://a%40b:c%40d@127.0.0.1:1/e%40f?application_name=g%40h'))
    expect(error.message).toContain('127.0.0.1:1/e@f: connect ECONNREFUSED')
  })

  test('a wrong password', async () => {
    const url = new URL(`${inject('postgres')}/mirror_template`)
    url.password = 'CANARY'
    const error = await failure(connect(url.href))
    expect(error.message).toContain('Check user and password')
    expect(inspect(error, { depth: 10, showHidden: true })).not.toContain('CANARY')
  })
})

describe('a pool that the caller keeps', () => {
  test.each([
    [{ max: 2 }, 'needs 3'],
    [{ max: 3, binary: true }, 'Make it with binary: false'],
    [{ max: 3, pipeline: true }, 'Make it with pipeline: false'],
  ])('is refused with %o', async (config, remedy) => {
    const pool = openPool(`${inject('postgres')}/mirror_template`, config)
    const error = await failure(connect({ pool }))
    expect(error).toBeInstanceOf(UsageError)
    expect(error.message).toContain(remedy)
    await pool.end()
  })

  test('stays open and as it was: listeners, readers of values', async () => {
    await using place = await freshPlace('postgres')
    const pool = openPool(place.url)
    const before = pool.listenerCount('error')
    const database = await connect({ pool })
    await database.transaction((trx) => trx.query('select 1'))
    await database.kysely.selectFrom('headcount.accounts').selectAll().execute()
    await database.close()
    expect(pool.listenerCount('error')).toBe(before)
    const { rows } = await pool.query<{ at: unknown }>(`select now() as at`)
    expect(rows[0]?.at).toBeInstanceOf(Date)
    const client = await pool.connect()
    expect(client.listenerCount('error')).toBeLessThanOrEqual(1)
    client.release()
    await pool.end()
  })

  test('D10 another connection for every transaction does no harm, migrations included', async () => {
    await using place = await freshPlace('postgres', { blank: true })
    const pool = openPool(place.url, { maxUses: 1 })
    await using database = await connect({ pool })
    const backend = () =>
      database.transaction(async (trx) => (await trx.query('select pg_backend_pid()')).rows[0]?.[0])
    expect(await backend()).not.toBe(await backend())
    expect(await migrate(database)).toHaveLength(migrations.length)
    expect(await migrate(database)).toEqual([])
    const { rows } = await pool.query(
      `select count(*)::int as locks from pg_locks where locktype = 'advisory'
       and database = (select oid from pg_database where datname = current_database())`,
    )
    expect(rows).toEqual([{ locks: 0 }])
    await database.close()
    await pool.end()
  })
})

function nameIn(url: string): string {
  return new URL(url).pathname.slice(1)
}
