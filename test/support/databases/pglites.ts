/**
 * Opening a PGlite takes as long as ten runs on Postgres: those of a file's tests stay open, and a test that is done
 * with one leaves it to the next, emptied. What is done with a folder is tested where folders are.
 */
import { openAsBlob } from 'node:fs'
import { PGlite, types } from '@electric-sql/pglite'
import { inject } from 'vitest'
import { parserFor } from '../../../src/db/type-parsers.ts'
import { emptyTables, type Send } from './databases.ts'

export interface Lent extends AsyncDisposable {
  /** Migrated and empty. */
  readonly pglite: PGlite
}

const idle: PGlite[] = []
let pristine = ''

export async function lendPglite(): Promise<Lent> {
  const pglite = idle.pop() ?? (await open())
  pristine ||= await schemaOf(pglite)
  return {
    pglite,
    [Symbol.asyncDispose]: async () => {
      // One whose schema a test has changed, or that cannot be emptied, is no good for the next.
      const isGood = await empty(pglite).catch(() => false)
      if (isGood) idle.push(pglite)
      else await pglite.close()
    },
  }
}

/** A PGlite in memory without any schema, of the caller; as `PGlite.create()` gives it after seconds. */
export async function blankPglite(): Promise<PGlite> {
  return PGlite.create({ loadDataDir: await openAsBlob(inject('embeddedBlankCopy')) })
}

/** From a copy in a file, for making a database anew takes six times as long. */
async function open(): Promise<PGlite> {
  const pglite = await PGlite.create({ loadDataDir: await openAsBlob(inject('embeddedCopy')) })
  // PGlite copies its parsers for each statement that brings its own: 600, most of them for arrays that no table has.
  pglite.parsers = Object.fromEntries(Object.entries(pglite.parsers).filter(([type]) => isUsed(Number(type))))
  return pglite
}

const ordinary = new Set<unknown>(Object.values(types))
const text = parserFor(0)

/** Types that PGlite or headcount reads as something else than text. */
function isUsed(type: number): boolean {
  return ordinary.has(type) || parserFor(type) !== text
}

async function empty(pglite: PGlite): Promise<boolean> {
  if ((await schemaOf(pglite)) !== pristine) return false
  const send: Send = async (statement) => (await pglite.query<Record<string, unknown>>(statement)).rows
  await emptyTables(send, ['schema_migrations', 'person_id_secret'])
  await pglite.exec(
    `insert into headcount.rsvp_meanings values ('yes', 'coming'), ('maybe', 'maybe'), ('no', 'not_coming')`,
  )
  return true
}

/** Names each thing that a test could make, change or drop, so that any difference shows. */
async function schemaOf(pglite: PGlite): Promise<string> {
  const { rows } = await pglite.query<{ schema: string }>(
    `select md5(string_agg(thing, ' ' order by thing)) as schema
       from (select ('class', oid, relname)::text as thing from pg_class where oid >= 16384
             union all
             select ('column', attrelid, attnum, attname, atttypid, attnotnull)::text
               from pg_attribute where attrelid >= 16384
             union all select ('trigger', oid, tgenabled)::text from pg_trigger
             union all select ('rule', oid, ev_enabled)::text from pg_rewrite
             union all select ('constraint', oid)::text from pg_constraint where oid >= 16384
             union all select ('function', oid, xmin)::text from pg_proc where oid >= 16384
             union all select ('migration', number, name)::text from headcount.schema_migrations) things`,
  )
  return rows[0]?.schema ?? ''
}
