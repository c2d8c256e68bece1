import { sql } from 'kysely'
import type { Transaction } from '../../db/transaction.ts'

/** A reader, and the tables of which it may read every row and is shown none. */
export interface BlindReader {
  readonly role_name: string
  /** With the schema, as SQL. */
  readonly tables: readonly string[]
}

/**
 * The readers for whom row security is on and no policy is made, as where a trigger of the database turns it on for every new table: they
 * get no rows and no error. A policy that shows them some was made on purpose. Views show all rows, for they read as their owner.
 */
export async function blindReaders({ kysely }: Transaction): Promise<readonly BlindReader[]> {
  const { rows: rights } = await sql<{ may_ask: boolean }>`
    select has_table_privilege('headcount.readers', 'select') as may_ask`.execute(kysely)
  if (rights[0]?.may_ask !== true) return []
  const { rows } = await sql<BlindReader>`
    select reader.role_name, array_agg('headcount.' || quote_ident(c.relname) order by c.relname) as tables
      from headcount.readers reader
      join pg_catalog.pg_roles role on role.rolname = reader.role_name
      join pg_catalog.pg_class c on c.relnamespace = 'headcount'::regnamespace and c.relkind in ('r', 'p')
     where c.relrowsecurity and not role.rolsuper and not role.rolbypassrls
       and (c.relforcerowsecurity or not pg_has_role(role.oid, c.relowner, 'usage'))
       and has_any_column_privilege(role.oid, c.oid, 'select')
       and not exists (select
                         from pg_catalog.pg_policy policy
                        where policy.polrelid = c.oid and policy.polpermissive and policy.polcmd in ('r', '*')
                          and exists (select
                                        from unnest(policy.polroles) as named
                                       where named = 0 or pg_has_role(role.oid, named, 'usage')))
     group by reader.role_name
     order by reader.role_name`.execute(kysely)
  return rows
}

/** What lets every role see the rows that it may read. @returns statements without a semicolon */
export function statementsToShow(tables: readonly string[]): readonly string[] {
  return [...new Set(tables)].toSorted().map((table) => `alter table ${table} disable row level security`)
}
