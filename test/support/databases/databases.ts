/**
 * Databases for tests: every feature runs on a real Postgres and on PGlite.
 *
 *     onBoth('a batch', (fresh) => {
 *       test('writes what it was given', async () => {
 *         await using mirror = await fresh()
 *         await mirror.database.transaction(…)
 */
import { randomUUID } from 'node:crypto'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Pool } from 'pg'
import { afterAll, describe, inject, TestRunner } from 'vitest'
import { copyDataDir } from '../files/copy-folder.ts'
import { fastFolder } from '../files/fast-folder.ts'
import { makeOwnFolder } from '../files/leftovers.ts'
import { openPool } from './pools.ts'
import { connect } from '../../../src/db/connect.ts'
import type { ConnectOptions, Database } from '../../../src/db/connect.ts'
import { rowObjects, type Engine } from '../../../src/db/transaction.ts'

declare module 'vitest' {
  interface TaskMeta {
    /** The databases that a test opened; the table of faults shows them. */
    engines?: Engine[]
  }
}

/** A database of the test's own, open; gone when it is disposed of. */
export interface Mirror extends AsyncDisposable {
  readonly engine: Engine
  readonly url: string
  readonly database: Database
}

/** The address of a database of the test's own, for a command or for several connections. */
export interface Place extends AsyncDisposable {
  readonly engine: Engine
  readonly url: string
  /** Opens it; on PGlite only one may be open at a time. */
  open(options?: ConnectOptions): Promise<Database>
}

export interface FreshOptions {
  /** Without any schema, for tests of the migrations. */
  readonly blank?: boolean
  /** On PGlite, in place of `blank`: without the folder. Who opens it makes a database, which takes seconds. */
  readonly missing?: boolean
  /** On Postgres, with `blank`: another one than UTF8. */
  readonly encoding?: string
}

export const engines: readonly Engine[] = ['postgres', 'pglite']

/**
 * The same tests on both engines; `fresh` gives an empty mirror, migrated unless `blank`.
 *
 * A PGlite takes a second to open, so that the tests of one call share one, emptied for each of them. A test
 * that closes its database or changes the schema takes `freshMirror` instead.
 */
export function onBoth(
  name: string,
  tests: (fresh: (options?: FreshOptions) => Promise<Mirror>, engine: Engine) => void,
): void {
  describe.each(engines)(`${name} (%s)`, (engine) => {
    let shared: Promise<Mirror> | null = null
    afterAll(async () => {
      const mirror = await shared
      await mirror?.[Symbol.asyncDispose]()
    })
    tests(async (options = {}) => {
      if (engine === 'postgres' || options.blank === true) return freshMirror(engine, options)
      noteEngine(engine)
      const mirror = await (shared ??= freshMirror(engine))
      await empty(mirror.database)
      return { ...mirror, [Symbol.asyncDispose]: async () => {} }
    }, engine)
  })
}

async function empty(database: Database): Promise<void> {
  await database.transaction(async (trx) => {
    await emptyTables(async (statement) => rowObjects(await trx.query(statement)), ['schema_migrations'])
  })
}

/** Statements of a test's own, each sent by itself. */
export type Send = (statement: string) => Promise<readonly Readonly<Record<string, unknown>>[]>

/** A table of more bytes is truncated: rows that are only deleted would be passed over again by each scan. */
const MAX_BYTES = 256 * 1024

/**
 * Empties the tables of the mirror, but for these, and begins their numbers anew. TRUNCATE makes new files for a table and its indexes,
 * which takes PGlite 50 ms for all tables; most are empty, and few rows are deleted in a millisecond.
 */
export async function emptyTables(send: Send, kept: readonly string[]): Promise<void> {
  const names = kept.map((name) => `'${name}'`).join(', ')
  const tables = await send(
    `select format('%I.%I', nspname, relname) as name, pg_relation_size(c.oid) > ${MAX_BYTES} as is_large
       from pg_class c
       join pg_namespace n on n.oid = relnamespace
      where nspname = 'headcount' and relkind = 'r' and relname not in (${names}) and pg_relation_size(c.oid) > 0`,
  )
  const [large, small] = [true, false].map((isLarge) =>
    tables.filter((table) => table['is_large'] === isLarge).map(({ name }) => String(name)),
  )
  if (large !== undefined && large.length > 0) await send(`truncate ${large.join(', ')} cascade`)
  for (const name of small ?? []) await send(`delete from ${name}`)
  await send(
    `select setval(format('%I.%I', schemaname, sequencename)::regclass, start_value, false)
       from pg_sequences where schemaname = 'headcount' and last_value is not null`,
  )
}

export async function freshMirror(engine: Engine, options: FreshOptions = {}): Promise<Mirror> {
  const place = await freshPlace(engine, options)
  const database = await place.open()
  return {
    engine,
    url: place.url,
    database,
    [Symbol.asyncDispose]: async () => {
      await database.close()
      await place[Symbol.asyncDispose]()
    },
  }
}

export async function freshPlace(engine: Engine, options: FreshOptions = {}): Promise<Place> {
  noteEngine(engine)
  const { url, remove } = engine === 'postgres' ? await newDatabase(options) : await newFolder(options)
  return {
    engine,
    url,
    open: (connectOptions) => connect(url, connectOptions),
    [Symbol.asyncDispose]: remove,
  }
}

/** Tells the table of faults. Outside a test, as in a hook, there is nobody to tell. */
export function noteEngine(engine: Engine): void {
  const meta = TestRunner.getCurrentTest()?.meta
  if (meta !== undefined) meta.engines = [...new Set([...(meta.engines ?? []), engine])]
}

interface Made {
  readonly url: string
  readonly remove: () => Promise<void>
}

async function newDatabase({ missing = false, blank = missing, encoding }: FreshOptions): Promise<Made> {
  const name = `mirror_${randomUUID().replaceAll('-', '')}`
  const other = encoding === undefined ? '' : ` encoding '${encoding}' locale 'C'`
  // Files of a folder in memory are copied in two thirds of the time that it takes by way of the WAL, page by page.
  await onServer(
    `create database ${name} template ${blank ? 'template0' : 'mirror_template'} strategy file_copy${other}`,
  )
  return {
    url: `${inject('postgres')}/${name}`,
    remove: () => dropDatabase(name),
  }
}

/** Connections that are being closed end by themselves: `force` would end them with an error that nobody waits for. */
async function dropDatabase(name: string): Promise<void> {
  for (let tries = 0; tries < 10; tries += 1) {
    const { rowCount } = await adminPool().query('select from pg_stat_activity where datname = $1', [name])
    if (rowCount === 0) break
    await sleep(20)
  }
  await onServer(`drop database if exists ${name} with (force)`)
}

/** Each database is made and dropped by a statement: a connection for each costs as much as the statement. */
function adminPool(): Pool {
  return (server ??= openPool(`${inject('postgres')}/postgres`, {
    idleTimeoutMillis: 5000,
    allowExitOnIdle: true,
  }))
}

let server: Pool | null = null

/** Runs a statement on the server of the tests, as its superuser, outside any mirror. */
export async function onServer(statement: string): Promise<void> {
  await adminPool().query(statement)
}

async function newFolder({ blank = false, missing = false }: FreshOptions): Promise<Made> {
  const parent = await makeOwnFolder(fastFolder, 'test-mirror')
  const folder = join(parent, 'data')
  if (!missing) copyDataDir(inject(blank ? 'embeddedBlank' : 'embeddedTemplate'), folder)
  return { url: `pglite:${folder}`, remove: () => rm(parent, { recursive: true, force: true }) }
}
