import { sql } from 'kysely'
import { migrations, type Migration } from '../../migrations/index.ts'
import { commandName } from '../common/command-name.ts'
import { SchemaVersionError } from '../common/errors.ts'
import type { Database } from './database.ts'
import { codeOf, UNDEFINED_TABLE } from './errors.ts'
import type { Transaction } from './transaction.ts'

/** Any number that only headcount takes as an advisory lock. */
const lockNumber = '6283185307'

/** The version of the schema that this program needs: the number of the last migration. Numbers may leave gaps. */
export const SCHEMA_VERSION = migrations.at(-1)?.number ?? 0

/** Waiting for another starter's migration, which may build an index over all rows. */
const lockTimeoutMs = 10 * 60_000

/**
 * Brings the schema up to this program's version: the pending migrations, each in one transaction under a lock
 * that ends with it. Two starters at once do no harm; one that was killed left a migration wholly done or undone.
 *
 * @returns the migrations that this call applied, in order
 * @throws SchemaVersionError when the schema is newer than this program; DatabaseError
 */
export async function migrate(database: Database): Promise<readonly { number: number; name: string }[]> {
  const applied: { number: number; name: string }[] = []
  const { current } = await schemaState(database)
  refuseNewer(current)
  for (const migration of migrations.filter(({ number }) => number > current)) {
    const done = await database.transaction((trx) => applyUnlessDone(trx, migration), {
      lockTimeoutMs,
      statementTimeoutMs: 0,
    })
    if (done) applied.push({ number: migration.number, name: migration.name })
  }
  return applied
}

/** The schema's version in the database (0: there is none) and the one that this program needs. */
export async function schemaState(database: Database): Promise<{ current: number; needed: number }> {
  return { current: await storedVersion(database), needed: SCHEMA_VERSION }
}

/**
 * For commands that only read: they change no schema.
 *
 * @throws SchemaVersionError when the schema is older or newer than this program needs
 */
export async function requireSchema(database: Database): Promise<void> {
  const { current } = await schemaState(database)
  requireVersion(current)
}

/** @throws SchemaVersionError when the schema is not of this version; 0: there is none */
export function requireVersion(current: number): void {
  refuseNewer(current)
  if (current === 0)
    throw new SchemaVersionError(`This database holds no mirror yet. Run: ${commandName()} migrate`)
  if (current < SCHEMA_VERSION) {
    throw new SchemaVersionError(
      `The mirror's schema is at version ${current}, this program needs ${SCHEMA_VERSION}. Run: ${commandName()} migrate`,
    )
  }
}

function refuseNewer(current: number): void {
  // guard: newer schema
  if (current <= SCHEMA_VERSION) return
  throw new SchemaVersionError(
    `The mirror's schema is at version ${current}, this program knows only up to ${SCHEMA_VERSION}: a newer headcount has been here. Use that one, or upgrade this one.`,
  )
}

async function applyUnlessDone(trx: Transaction, migration: Migration): Promise<boolean> {
  // guard: transaction lock
  await trx.query('select pg_advisory_xact_lock($1)', [lockNumber])
  const current = await currentVersion(trx)
  refuseNewer(current)
  if (current >= migration.number) return false
  if (current === 0) await beginSchema(trx)
  for (const statement of migration.statements) await trx.query(statement)
  await trx.query('insert into headcount.schema_migrations (number, name) values ($1, $2)', [
    migration.number,
    migration.name,
  ])
  return true
}

/** `create schema if not exists` needs the right to create even where there is nothing to create: look first. */
async function beginSchema(trx: Transaction): Promise<void> {
  const { rows } = await trx.query(`select from pg_catalog.pg_namespace where nspname = 'headcount'`)
  if (rows.length === 0) await trx.query('create schema headcount')
  await trx.query(`create table headcount.schema_migrations (
    number int primary key,
    name text not null,
    applied_at timestamptz not null default now()
  )`)
}

/** Asked at each start: the catalog only when the table is not there. */
async function storedVersion(database: Database): Promise<number> {
  try {
    return await newestVersion(database)
  } catch (error) {
    if (codeOf(error) === UNDEFINED_TABLE) return currentVersion(database)
    throw error
  }
}

/**
 * Reads the catalog as a table: to_regclass answers from a cache that still denies what another starter made
 * while this transaction waited for the lock.
 */
async function currentVersion({ kysely }: Pick<Database, 'kysely'>): Promise<number> {
  const { rows: tables } = await sql`
    select 1 as found from pg_catalog.pg_tables where schemaname = 'headcount' and tablename = 'schema_migrations'
  `.execute(kysely)
  return tables.length === 0 ? 0 : newestVersion({ kysely })
}

async function newestVersion({ kysely }: Pick<Database, 'kysely'>): Promise<number> {
  const { rows } = await sql<{ newest: number }>`
    select coalesce(max(number), 0) as newest from headcount.schema_migrations
  `.execute(kysely)
  return Number(rows[0]?.newest)
}
