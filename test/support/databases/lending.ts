/**
 * Opening a PGlite takes as long as ten runs on Postgres, and a database of a Postgres with its connections as long as a run: those
 * of a file's tests stay open, and a test that is done with one leaves it to the next, emptied. What is done with a folder is
 * tested where folders are.
 */
import { openAsBlob } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { PGlite, types } from '@electric-sql/pglite'
import type { Pool } from 'pg'
import { inject } from 'vitest'
import { parserFor } from '../../../src/db/type-parsers.ts'
import { emptyTables, freshPlace, noteEngine, type Place, type Send } from './databases.ts'
import { openPool } from './pools.ts'

export interface LentPglite extends AsyncDisposable {
  /** Migrated and empty. */
  readonly pglite: PGlite
}

export interface LentPostgres extends AsyncDisposable {
  /** Of a database that is migrated and empty. */
  readonly url: string
  /** To the same database; connections of the test before may be open. */
  readonly pool: Pool
}

interface IdlePostgres {
  readonly place: Place
  readonly pool: Pool
}

const idlePglites: PGlite[] = []
const idlePostgres: IdlePostgres[] = []
const pristine = { pglite: '', postgres: '' }

export async function lendPglite(): Promise<LentPglite> {
  const pglite = idlePglites.pop() ?? (await openPglite())
  const send: Send = async (statement) => (await pglite.query<Record<string, unknown>>(statement)).rows
  pristine.pglite ||= await schemaOf(send)
  return {
    pglite,
    [Symbol.asyncDispose]: async () => {
      // One whose schema a test has changed, or that cannot be emptied, is no good for the next.
      const isGood = await empty(send, pristine.pglite).catch(() => false)
      if (isGood) idlePglites.push(pglite)
      else await pglite.close()
    },
  }
}

export async function lendPostgres(): Promise<LentPostgres> {
  noteEngine('postgres')
  const idle = idlePostgres.pop() ?? (await openDatabase())
  const { place, pool } = idle
  return {
    url: place.url,
    pool,
    [Symbol.asyncDispose]: async () => {
      const isGood = await emptyDatabase(pool).catch(() => false)
      if (isGood) idlePostgres.push(idle)
      // To drop a database ends what still uses it, for which the end of the pool waits.
      else await Promise.all([pool.end(), place[Symbol.asyncDispose]()])
    },
  }
}

async function openDatabase(): Promise<IdlePostgres> {
  const place = await freshPlace('postgres')
  const options = {
    max: MAX_CONNECTIONS,
    idleTimeoutMillis: 5000,
    allowExitOnIdle: true,
    application_name: 'headcount',
  }
  const pool = openPool(place.url, options)
  pristine.postgres ||= await schemaOf(async (statement) => (await pool.query(statement)).rows)
  return { place, pool }
}

/** Of three runs at once, and of those that look at the mirror meanwhile. */
const MAX_CONNECTIONS = 12

/** A run that was broken off closes its connections by itself, soon; one that a test left open could write after the emptying. */
async function emptyDatabase(pool: Pool): Promise<boolean> {
  for (let tries = 0; await isUsed(pool); tries += 1) {
    if (tries === 50) return false
    await sleep(20)
  }
  const client = await pool.connect()
  try {
    await client.query(`begin; set local lock_timeout = '1s'`)
    const isGood = await empty(async (statement) => (await client.query(statement)).rows, pristine.postgres)
    await client.query('commit')
    client.release()
    return isGood
  } catch (error) {
    client.release(true)
    throw error
  }
}

/** Whether somebody has a connection: one of the pool, or one that was made to the address. */
async function isUsed(pool: Pool): Promise<boolean> {
  if (pool.idleCount < pool.totalCount) return true
  const { rowCount } = await pool.query(
    `select from pg_stat_activity where datname = current_database() and backend_type = 'client backend'`,
  )
  return rowCount !== pool.totalCount
}

/** A PGlite in memory without any schema, of the caller; as `PGlite.create()` gives it after seconds. */
export async function blankPglite(): Promise<PGlite> {
  return PGlite.create({ loadDataDir: await openAsBlob(inject('embeddedBlankCopy')) })
}

/** From a copy in a file, for making a database anew takes six times as long. */
async function openPglite(): Promise<PGlite> {
  const pglite = await PGlite.create({ loadDataDir: await openAsBlob(inject('embeddedCopy')) })
  // PGlite copies its parsers for each statement that brings its own: 600, most of them for arrays that no table has.
  pglite.parsers = Object.fromEntries(Object.entries(pglite.parsers).filter(([type]) => isRead(Number(type))))
  return pglite
}

const ordinary = new Set<unknown>(Object.values(types))
const text = parserFor(0)

/** Types that PGlite or headcount reads as something else than text. */
function isRead(type: number): boolean {
  return ordinary.has(type) || parserFor(type) !== text
}

async function empty(send: Send, schema: string): Promise<boolean> {
  if ((await schemaOf(send)) !== schema) return false
  await emptyTables(send, ['schema_migrations', 'person_id_secret'])
  await send(
    `insert into headcount.rsvp_meanings values ('yes', 'coming'), ('maybe', 'maybe'), ('no', 'not_coming')`,
  )
  return true
}

/** Names each thing that a test could make, change or drop, so that any difference shows. */
async function schemaOf(send: Send): Promise<string> {
  const [row] = await send(
    `select md5(string_agg(thing, ' ' order by thing)) as schema
       from (select ('class', oid, relname, relacl)::text as thing from pg_class where oid >= 16384
             union all
             select ('column', attrelid, attnum, attname, atttypid, attnotnull)::text
               from pg_attribute where attrelid >= 16384
             union all select ('trigger', oid, tgenabled)::text from pg_trigger
             union all select ('rule', oid, ev_enabled, xmin)::text from pg_rewrite
             union all select ('constraint', oid)::text from pg_constraint where oid >= 16384
             union all select ('function', oid, xmin)::text from pg_proc where oid >= 16384
             union all select ('schema', oid, nspname, nspacl)::text from pg_namespace where nspname !~ '^pg_(toast_)?temp'
             union all select ('setting', setrole, setconfig)::text from pg_db_role_setting
              where setdatabase = (select oid from pg_database where datname = current_database())
             union all select ('migration', number, name)::text from headcount.schema_migrations) things`,
  )
  return String(row?.['schema'])
}
