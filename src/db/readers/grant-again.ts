import { sql } from 'kysely'
import type { Transaction } from '../transaction.ts'
import { grantsOf, type StoredReader } from './readable.ts'

/** SQL: whether a role `role` has the right that every reader has. */
export const mayStillRead = sql<boolean>`has_schema_privilege(role.oid, 'headcount', 'usage')`

/** The migration that made the table `readers`. */
const READERS_SINCE = 19

/**
 * Grants the stored readers what they may read, after a migration has made or replaced tables and views. A role that was dropped is
 * passed over, also when a role has its name again: it may be somebody else, and has no right on the schema.
 */
export async function grantReadersAgain(trx: Transaction, migration: number): Promise<void> {
  if (migration < READERS_SINCE) return
  const { rows: readers } = await sql<StoredReader>`
    select reader.role_name, reader.with_personal
      from headcount.readers reader
      join pg_catalog.pg_roles role on role.rolname = reader.role_name
     where ${/* guard: another role of the name */ mayStillRead}
     order by reader.role_name`.execute(trx.kysely)
  if (readers.length === 0) return
  const existing = await existingRelations(trx)
  for (const reader of readers) for (const statement of grantsOf(reader, existing)) await trx.query(statement)
}

/** The tables and views of the mirror. */
export async function existingRelations({
  kysely,
}: Pick<Transaction, 'kysely'>): Promise<ReadonlySet<string>> {
  const { rows } = await sql<{ name: string }>`
    select relname as name from pg_catalog.pg_class
     where relnamespace = 'headcount'::regnamespace and relkind in ('r', 'p', 'v')`.execute(kysely)
  return new Set(rows.map(({ name }) => name))
}
