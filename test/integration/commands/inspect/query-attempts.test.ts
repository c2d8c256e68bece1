/**
 * X8: more than a hundred ways to write, run or lock something through `headcount query`. Each is sent as an owner, as
 * the reader of docs/operate/permissions.md and as a superuser of Postgres, and to PGlite, whose role is a superuser. After every
 * ten nothing may have changed. What is left are functions that a role may call: the page lists them.
 */
import { randomUUID } from 'node:crypto'
import { chmod, mkdtemp, readFile, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import { Client } from 'pg'
import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { executeOutsideTransaction } from '../../../../src/db/cancel/execute-outside-transaction.ts'
import { connect, type Database } from '../../../../src/db/connect.ts'
import { migrate } from '../../../../src/db/migrate.ts'
import { DatabaseError, UsageError } from '../../../../src/common/errors.ts'
import { addReader } from '../../../../src/index.ts'
import { answerTo } from '../../../support/mirror/query.ts'
import { freshPlace, onServer } from '../../../support/databases/databases.ts'
import { projectFolder } from '../../../support/commands/npm.ts'
import { calls, refused, type Paths } from '../../../support/mirror/query-attempts.ts'

const page = await readFile(join(projectFolder, 'docs/operate/permissions.md'), 'utf8')
const opened = new AsyncDisposableStack()
let folder = ''

interface Who {
  readonly name: string
  /** The role that attempts. */
  readonly asking: Database
  /** A superuser, to look and to clear away. */
  readonly looking: Database
  readonly paths: Paths
  /** Where the server of this role may write files, as this process sees it. */
  readonly folder: string
}
const everybody: Who[] = []

/** Those who ask one database: what it holds is looked at for all of them together. */
type Place = readonly [Who, ...Who[]]

function places(): readonly Place[] {
  const found = Map.groupBy(everybody, ({ looking }) => looking)
  return [...found.values()].flatMap(([first, ...others]) =>
    first === undefined ? [] : [[first, ...others]],
  )
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'headcount-test-attempts-'))
  opened.defer(() => rm(folder, { recursive: true, force: true }))
  await chmod(folder, 0o777)
  await Promise.all([openPostgres(), openEmbedded()])
})
afterAll(() => opened.disposeAsync())

/** The statements of the page, run as they stand there but for the names. */
async function openPostgres(): Promise<void> {
  const mark = randomUUID().slice(0, 8)
  const [owner, reader, name] = [`owner_${mark}`, `reader_${mark}`, `mirror_${mark}`]
  const named = (text: string) =>
    text
      .replaceAll('headcount_owner', owner)
      .replaceAll('headcount_reader', reader)
      .replace('create database headcount ', `create database ${name} `)
  const [forOwner = '', , forDatabase = ''] = [...page.matchAll(/```sql\n(.*?)```/gs)].map(([, text = '']) =>
    named(text),
  )
  for (const statement of forOwner.split(';\n').filter((text) => text.trim() !== ''))
    await onServer(statement)
  opened.defer(async () => {
    await onServer(`drop database ${name} with (force)`)
    await onServer(`drop role ${owner}, ${reader}`)
  })
  const as = (user: string, password: string) => {
    const url = new URL(`${inject('postgres')}/${name}`)
    Object.assign(url, { username: user, password: encodeURIComponent(password) })
    return url.href
  }
  const asOwner = opened.use(await connect(as(owner, 'choose one')))
  await migrate(asOwner)
  const superuser = `${inject('postgres')}/${name}`
  const client = new Client(superuser)
  await client.connect()
  await client.query(`create role ${reader} login password 'choose another'`)
  await client.query(forDatabase)
  await client.end()
  const looking = opened.use(await connect(superuser))
  await addReader({ database: superuser, role: reader, apply: true })
  const paths = { outside: folder, table: await furnish(looking) }
  everybody.push(
    { name: 'owner', asking: asOwner, looking, paths, folder },
    {
      name: 'reader',
      asking: opened.use(await connect(as(reader, 'choose another'))),
      looking,
      paths,
      folder,
    },
    { name: 'superuser', asking: looking, looking, paths, folder },
  )
}

async function openEmbedded(): Promise<void> {
  const place = opened.use(await freshPlace('pglite'))
  const asking = opened.use(await place.open())
  const table = await furnish(asking)
  // It sees no folder of the machine but its own.
  const paths = { outside: table.slice(0, table.indexOf('/base/')), table }
  everybody.push({
    name: 'PGlite',
    asking,
    looking: asking,
    paths,
    folder: place.url.slice('pglite:'.length),
  })
}

/**
 * Rows to lose, a large object, a function that writes; and hint bits that no reader sets any more.
 *
 * @returns the file of a table, as the server sees it
 */
async function furnish(database: Database): Promise<string> {
  await database.transaction(async (trx) => {
    await trx.query(`insert into headcount.accounts (name) values ('club')`)
    await trx.query(
      `insert into headcount.responses (account_id, event_id, id, kind, name, _first_seen_at, _changed_at, _run_id)
       select 1, 'gala', id, 'reply', 'guest ' || id, now(), now(), 1 from generate_series(1, 50) id`,
    )
    await trx.query(`select lo_from_bytea(424242, 'large')`)
    await trx.query('create schema headcount_attempts')
    await trx.query('grant usage on schema headcount_attempts to public')
    await trx.query(
      `create function headcount_attempts.writes() returns void language plpgsql security definer
       as $$ begin delete from headcount.responses; end $$`,
    )
  })
  await executeOutsideTransaction(database, 'vacuum freeze headcount.responses', { timeLimitMs: 60_000 })
  await sql`checkpoint`.execute(database.kysely)
  const { rows } = await database.transaction((trx) =>
    trx.query(
      `select current_setting('data_directory') || '/' || pg_relation_filepath('headcount.responses')`,
    ),
  )
  return String(rows[0]?.[0])
}

/** What an attempt could change, of the database and of the files. */
async function stateOf(those: Place): Promise<unknown> {
  const [{ looking, folder }] = those
  const { rows } = await looking.transaction((trx) =>
    trx.query(
      `select (select md5(string_agg(r::text, ' ' order by r::text)) from headcount.responses r) as rows,
              md5(pg_read_binary_file(pg_relation_filepath('headcount.responses'))) as file,
              (select string_agg(a::text, ' ') from headcount.accounts a) as accounts,
              (select md5(string_agg((oid, relname, relfilenode, relacl)::text, ' ' order by oid)) from pg_class
                where relnamespace <> 'pg_toast'::regnamespace) as relations,
              (select count(*) from pg_proc) as functions,
              (select count(*) from pg_namespace) as schemas,
              (select count(*) from pg_extension) as extensions,
              (select count(*) from pg_roles where rolname = 'attempt') as roles,
              exists (select from pg_roles where rolname = 'headcount' and rolsuper) as is_superuser,
              (select last_value from headcount.sync_runs_id_seq) as sequence,
              (select string_agg(convert_from(data, 'UTF8'), ' ') from pg_largeobject) as large_objects,
              (select count(*) from pg_prepared_xacts where database = current_database()) as prepared,
              (select count(*) from pg_replication_slots where slot_name = 'attempt_${process.pid}') as slots,
              (select count(*) from pg_locks
                where locktype = 'advisory'
                  and database = (select oid from pg_database where datname = current_database())) as locks`,
    ),
  )
  const sessions = await Promise.all(
    those.map(({ asking }) =>
      asking.transaction((trx) =>
        trx.query(`select name, setting, current_user, (select count(*) from pg_cursors where is_holdable)
                     from pg_settings where source = 'session' order by name`),
      ),
    ),
  )
  return { rows, sessions: sessions.map((session) => session.rows), files: await readdir(folder) }
}

async function attempt({ asking }: Who, statement: string): Promise<'runs' | 'refused'> {
  try {
    await answerTo(asking, statement, 5000)
    return 'runs'
  } catch (error) {
    if (error instanceof UsageError || error instanceof DatabaseError) return 'refused'
    throw error
  }
}

/** Postgres 15 writes large objects in a read-only transaction; what they wrote is rolled back. */
const mayRun = process.env['POSTGRES'] === '15' ? /^select lo_/ : /^$/

test('X8 nobody writes, runs or locks anything through query', async () => {
  expect(refused({ outside: '', table: '' }).length).toBeGreaterThan(60)
  for (const place of places()) {
    const before = await stateOf(place)
    const statements = refused(place[0].paths)
    // To look takes longer than to be refused.
    for (let first = 0; first < statements.length; first += 10) {
      const some = statements.slice(first, first + 10)
      for (const statement of some)
        for (const who of place) {
          const outcome = await attempt(who, statement)
          if (!mayRun.test(statement))
            expect({ by: who.name, statement, outcome }).toEqual({
              by: who.name,
              statement,
              outcome: 'refused',
            })
        }
      expect({ some, ...Object(await stateOf(place)) }).toEqual({ some, ...Object(before) })
    }
  }
})

test('X8 what is left are the functions that docs/operate/permissions.md lists, none of them for the reader', async () => {
  const [, section = ''] = page.split('## What `query` lets pass')
  const rows = section.split('\n').filter((line) => line.startsWith('| `'))
  const listed = rows.map((row) => row.split('|').map((cell) => cell.trim().replaceAll('`', '')))
  const found: string[][] = []
  const before = new Map<string, unknown>()
  for (const who of everybody) before.set(who.name, await stateOf([who]))
  for (const name of Object.keys(calls({ outside: '', table: '' }))) {
    const cells: string[] = []
    for (const role of ['owner', 'reader', 'superuser', 'PGlite']) {
      const who = everybody.find((one) => one.name === role)
      if (who === undefined) throw new Error(`nobody is ${role}`)
      cells.push((await attempt(who, calls(who.paths)[name] ?? '')) === 'runs' ? 'yes' : 'no')
      await clearAway(who)
      expect({ name, role, ...Object(await stateOf([who])) }).toEqual({
        name,
        role,
        ...Object(before.get(role)),
      })
    }
    found.push([name, ...cells])
  }
  expect(found).toEqual(listed.map(([, name = '', , ...cells]) => [name, ...cells.slice(0, 4)]))
  expect(found.filter(([, , reader]) => reader !== 'no')).toEqual([])
})

/** What a superuser's functions leave outside of any transaction. */
async function clearAway({ looking, folder }: Who): Promise<void> {
  await rm(join(folder, 'exported'), { force: true })
  await looking.transaction((trx) =>
    trx.query(
      `select pg_drop_replication_slot(slot_name) from pg_replication_slots where slot_name = 'attempt_${process.pid}'`,
    ),
  )
}
