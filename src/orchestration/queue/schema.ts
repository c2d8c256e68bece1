import type { Database } from '../../db/database.ts'
import { createSchemas } from '../../db/migrate.ts'
import { QUEUE_SCHEMA } from './queues.ts'

/** The key of the lock under which the schema is made: any number that no other program uses. */
const lockNumber = '6283185308'

/** What is kept beside the jobs. Each statement has the same effect when it runs twice. */
const ownTables = [
  `create table if not exists ${QUEUE_SCHEMA}.dispatcher (
    only_row boolean primary key default true check (only_row),
    instance uuid,
    holder text,
    passed_at timestamptz,
    accounts_digest text
  )`,
  `comment on table ${QUEUE_SCHEMA}.dispatcher is 'The one process that sends jobs: one row'`,
  `comment on column ${QUEUE_SCHEMA}.dispatcher.only_row is 'Always true: the table has one row'`,
  `comment on column ${QUEUE_SCHEMA}.dispatcher.instance is 'The process that sends; null: any may'`,
  `comment on column ${QUEUE_SCHEMA}.dispatcher.holder is 'For people: the process and its machine'`,
  `comment on column ${QUEUE_SCHEMA}.dispatcher.passed_at is 'When it looked last for who is due'`,
  `comment on column ${QUEUE_SCHEMA}.dispatcher.accounts_digest is 'SHA-256 of the accounts and schedules that it has'`,
  `insert into ${QUEUE_SCHEMA}.dispatcher default values on conflict do nothing`,
  `create table if not exists ${QUEUE_SCHEMA}.schedules (
    schedule text not null,
    time_zone text not null,
    next_due_at timestamptz not null,
    primary key (schedule, time_zone)
  )`,
  `comment on table ${QUEUE_SCHEMA}.schedules is 'When the accounts of each schedule are due next'`,
  `comment on column ${QUEUE_SCHEMA}.schedules.schedule is 'In cron''s form'`,
  `comment on column ${QUEUE_SCHEMA}.schedules.time_zone is 'By whose wall clock'`,
  `comment on column ${QUEUE_SCHEMA}.schedules.next_due_at is 'The earliest time that was not served yet'`,
]

/**
 * The schema, and the tables that are not pg-boss's. Comments need an owner: where all is there, nothing is written.
 *
 * @throws DatabaseError
 */
export async function createOwnTables(database: Database): Promise<void> {
  // The last of the tables.
  if (await hasTables(database, ['schedules'])) return
  await database.transaction(async (trx) => {
    // guard: lock of the queue's schema
    await trx.query('select pg_advisory_xact_lock($1)', [lockNumber])
    await createSchemas(trx, QUEUE_SCHEMA)
    for (const statement of ownTables) await trx.query(statement)
  })
}

/** Whether the queue was made in this database, with the table of pg-boss, which comes after ours: a first worker may be making it, or have ended before. */
export function hasQueue(database: Database): Promise<boolean> {
  return hasTables(database, ['schedules', 'job'])
}

function hasTables(database: Database, names: readonly string[]): Promise<boolean> {
  return database.transaction(
    async (trx) => {
      const { rows } = await trx.query(
        'select from pg_catalog.pg_tables where schemaname = $1 and tablename = any ($2)',
        [QUEUE_SCHEMA, names],
      )
      return rows.length === names.length
    },
    { readOnly: true },
  )
}
