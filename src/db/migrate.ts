import { sql } from 'kysely'
import { replicaIdentity } from '../../migrations/0046_replica_identity.ts'
import { migrations, type Migration } from '../../migrations/index.ts'
import { NEVER, sleep } from '../common/abort.ts'
import { commandName } from '../common/command-name.ts'
import { DatabaseError, SchemaVersionError } from '../common/errors.ts'
import { cancelTransactionOnAbort } from './cancel/cancel-on-abort.ts'
import type { Database, DatabaseLog } from './database.ts'
import {
  codeOf,
  DEADLOCK_DETECTED,
  INSUFFICIENT_PRIVILEGE,
  LOCK_NOT_AVAILABLE,
  UNDEFINED_TABLE,
} from './errors/sqlstate.ts'
import { grantReadersAgain } from './readers/grant-again.ts'
import type { Transaction } from './transaction.ts'

/** The key of headcount's advisory lock: any number that no other program uses. */
const lockNumber = '6283185307'

/** The schema version that this program needs: the number of the last migration. Numbers may have gaps. */
export const SCHEMA_VERSION = migrations.at(-1)?.number ?? 0

/** The tables and views, and the functions that only they call. */
export const MIRROR_SCHEMAS: readonly string[] = ['headcount', 'headcount_internal']

type Queries = Pick<Database, 'kysely'>

/** How long others are waited for: the migration of another process may build an index over all rows. */
const lockTimeoutMs = 10 * 60_000

/**
 * How long a statement waits for its table or view at first, and at most. Who comes after it, only to read, waits behind it: a session
 * that stands idle in a transaction would lock out all readers. A statement of a reader may take 30 s, and this wait is a part of them.
 */
const tableLockMs = { first: 1000, longest: 15_000 }

/**
 * Applies the pending migrations, each in one transaction under a lock. Two processes may migrate at the same time. A
 * killed process leaves each migration either applied or not.
 *
 * @returns the migrations that this call applied, in order
 * @throws SchemaVersionError when the schema is newer than this program; DatabaseError, also when the role does not own
 * the mirror; the signal's reason
 */
export async function migrate(
  database: Database,
  signal: AbortSignal = NEVER,
  log?: DatabaseLog,
): Promise<readonly { number: number; name: string }[]> {
  const applied: { number: number; name: string }[] = []
  const { current } = await schemaState(database)
  refuseNewer(current)
  const pending = migrations.filter(({ number }) => number > current)
  if (current > 0 && pending.length > 0) await requireRightToMigrate(database, current)
  for (const migration of pending) {
    signal.throwIfAborted()
    const done = await applyBetweenReaders(database, migration, signal, log)
    if (done) applied.push({ number: migration.number, name: migration.name })
  }
  return applied
}

/** A reader in a transaction may come to wait for the migration that waits for it: Postgres ends one of the two. */
const codesOfWaiting: readonly (string | null)[] = [LOCK_NOT_AVAILABLE, DEADLOCK_DETECTED]

/** Gives up a lock that does not come, lets pass who waited behind it, and tries again. */
async function applyBetweenReaders(
  database: Database,
  migration: Migration,
  signal: AbortSignal,
  log: DatabaseLog | undefined,
): Promise<boolean> {
  const giveUpAt = performance.now() + lockTimeoutMs
  for (let waitMs = tableLockMs.first; ; waitMs = Math.min(2 * waitMs, tableLockMs.longest)) {
    const apply = async (trx: Transaction) => {
      using _ = await cancelTransactionOnAbort(database, trx, signal)
      return await applyUnlessDone(trx, migration, waitMs)
    }
    try {
      return await database.transaction(apply, { lockTimeoutMs, statementTimeoutMs: 0 })
    } catch (error) {
      if (!codesOfWaiting.includes(codeOf(error)) || performance.now() >= giveUpAt) throw error
    }
    if (waitMs === tableLockMs.first) log?.('warn', waitsForLock(migration))
    await sleep(waitMs, signal)
  }
}

function waitsForLock({ number }: Migration): string {
  return `Migration ${number} waits for another session, which uses what it changes: it is tried again for ten minutes. A session that stands idle in a transaction (pg_stat_activity shows it) has to end that.`
}

/**
 * Brings the schema to a version inside the caller's transaction: all of it, or nothing. The lock keeps other migrations away until
 * the transaction ends.
 *
 * @returns the version that it had before; 0: no schema
 * @throws SchemaVersionError when the schema is newer than this program; DatabaseError
 */
export async function migrateWithin(trx: Transaction, version: number = SCHEMA_VERSION): Promise<number> {
  await trx.query('select pg_advisory_xact_lock($1)', [lockNumber])
  const before = await currentVersion(trx)
  for (const migration of migrations.filter(({ number }) => number <= version))
    await applyUnlessDone(trx, migration)
  return before
}

/** The schema version of the database (0: no schema) and the version that this program needs. */
export async function schemaState(database: Queries): Promise<{ current: number; needed: number }> {
  return { current: await storedVersion(database), needed: SCHEMA_VERSION }
}

/**
 * For commands that only read. A role that may not see the version is a reader's: its statement tells what the mirror lacks.
 *
 * @throws SchemaVersionError when the schema has another version than this program needs
 */
export async function requireSchema(database: Database): Promise<void> {
  const state = await schemaState(database).catch((error: unknown) => {
    // guard: readers of other versions
    if (codeOf(error) === INSUFFICIENT_PRIVILEGE) return null
    throw error
  })
  if (state !== null) requireVersion(state.current)
}

/** @throws SchemaVersionError when `current` (0: no schema) is another version than this program needs */
export function requireVersion(current: number): void {
  refuseNewer(current)
  if (current === 0)
    throw new SchemaVersionError(
      `This database holds no mirror yet. Run: ${commandName()} sync, which makes it, or ${commandName()} migrate for its tables alone`,
    )
  if (current < SCHEMA_VERSION) {
    throw new SchemaVersionError(`${olderSchema(current)} Run: ${commandName()} migrate`)
  }
}

async function requireRightToMigrate(database: Database, current: number): Promise<void> {
  const lacking = await database.transaction(lackingRightToMigrate, { readOnly: true })
  if (lacking !== null) throw new DatabaseError(`${olderSchema(current)} ${lacking}`)
}

/**
 * Why this role cannot migrate, with the remedy; null when it can. Migrations make tables in the schema, when it is there already, and a
 * second schema for functions. They alter tables too, which no grant allows: only their owner may.
 */
export async function lackingRightToMigrate(trx: Transaction): Promise<string | null> {
  const { rows } = await trx.query(
    `select quote_ident(current_user), has_schema_privilege(to_regnamespace('headcount'), 'create'),
            (select quote_ident(pg_get_userbyid(relowner)) from pg_class
              where oid = to_regclass('headcount.schema_migrations') and not pg_has_role(relowner, 'usage'))`,
  )
  const [user, mayCreateTables, otherOwner] = rows[0] ?? []
  if (typeof otherOwner === 'string')
    return `The role ${String(user)} does not own the mirror's tables, so that it may not change them. Run ${commandName()} migrate as their owner, ${otherOwner}`
  if (mayCreateTables === false)
    return `The role ${String(user)} may not create in the schema headcount: grant create on schema headcount to this role, or run ${commandName()} migrate as its owner`
  return (await missingSchemas(trx, MIRROR_SCHEMAS)).remedy
}

function olderSchema(current: number): string {
  return `The mirror's schema is at version ${current}, this program needs ${SCHEMA_VERSION}.`
}

function refuseNewer(current: number): void {
  // guard: newer schema
  if (current <= SCHEMA_VERSION) return
  throw new SchemaVersionError(
    `The mirror's schema is at version ${current}, this program knows only up to ${SCHEMA_VERSION}: a newer headcount has been here. Use that one, or upgrade this one.`,
  )
}

/** @param waitMs how long a statement waits for a table or a view; as long as for the migration of another process when not given */
async function applyUnlessDone(trx: Transaction, migration: Migration, waitMs?: number): Promise<boolean> {
  // guard: transaction lock
  await trx.query('select pg_advisory_xact_lock($1)', [lockNumber])
  const current = await currentVersion(trx)
  refuseNewer(current)
  if (current >= migration.number) return false
  // guard: readers beside a migration
  if (waitMs !== undefined && trx.engine === 'postgres')
    await trx.query(`select set_config('lock_timeout', $1, true)`, [`${waitMs}ms`])
  await createSchemas(trx, ...MIRROR_SCHEMAS)
  if (current === 0) await beginSchema(trx)
  for (const statement of [...replicaIdentity, ...migration.statements]) await trx.query(statement)
  await trx.query('insert into headcount.schema_migrations (number, name) values ($1, $2)', [
    migration.number,
    migration.name,
  ])
  // guard: readers after a migration
  await grantReadersAgain(trx, migration.number)
  return true
}

/** Functions that stayed when the schema headcount was dropped. They call each other, so that none can be dropped alone. */
const dropLeftBehind = `do $$
  declare
    left_behind text;
  begin
    foreach left_behind in array (
      select coalesce(array_agg(p.oid::regprocedure::text), '{}')
        from pg_catalog.pg_proc p
        join pg_catalog.pg_namespace n on n.oid = p.pronamespace
       where n.nspname = 'headcount_internal')
    loop
      execute format('drop function if exists %s cascade', left_behind);
    end loop;
  end $$`

/**
 * Which of these schemas are missing, and by which statements a superuser makes them when this role may not; null when it may.
 * `create schema if not exists` needs the CREATE right even when the schema exists. So the catalog is read.
 */
export async function missingSchemas(
  trx: Transaction,
  names: readonly string[],
): Promise<{ readonly missing: readonly string[]; readonly remedy: string | null }> {
  const { rows } = await trx.query(
    `select name, has_database_privilege(current_database(), 'create'), quote_ident(current_user), current_database()
       from unnest($1::text[]) with ordinality as schema (name, position) where to_regnamespace(name) is null order by position`,
    [names],
  )
  const missing = rows.map(([name]) => String(name))
  const [, mayCreate, role, database] = rows[0] ?? []
  if (mayCreate !== false) return { missing, remedy: null }
  const statements = missing.map((name) => `create schema ${name} authorization ${String(role)}`)
  const remedy = `The role ${String(role)} may not create schemas in the database ${String(database)}. As a superuser run there: ${statements.join('; ')}`
  return { missing, remedy }
}

/** Makes those schemas that are missing. @throws DatabaseError where this role may not */
export async function createSchemas(trx: Transaction, ...names: readonly string[]): Promise<void> {
  const { missing, remedy } = await missingSchemas(trx, names)
  if (remedy !== null) throw new DatabaseError(remedy)
  for (const name of missing) await trx.query(`create schema ${name}`)
}

async function beginSchema(trx: Transaction): Promise<void> {
  await trx.query(dropLeftBehind)
  await trx.query(`create table headcount.schema_migrations (
    number int primary key,
    name text not null,
    applied_at timestamptz not null default now()
  )`)
}

/** Runs at each start: it reads the catalog only when the table does not exist. */
async function storedVersion(database: Queries): Promise<number> {
  try {
    return await newestVersion(database)
  } catch (error) {
    if (codeOf(error) === UNDEFINED_TABLE) return currentVersion(database)
    throw error
  }
}

/**
 * Reads the catalog as a table: the cache of to_regclass does not know a table that another process created while this
 * transaction waited for the lock.
 */
async function currentVersion({ kysely }: Queries): Promise<number> {
  const { rows: tables } = await sql`
    select 1 as found from pg_catalog.pg_tables where schemaname = 'headcount' and tablename = 'schema_migrations'
  `.execute(kysely)
  return tables.length === 0 ? 0 : newestVersion({ kysely })
}

async function newestVersion({ kysely }: Queries): Promise<number> {
  const { rows } = await sql<{ newest: number }>`
    select coalesce(max(number), 0) as newest from headcount.schema_migrations
  `.execute(kysely)
  return Number(rows[0]?.newest)
}
