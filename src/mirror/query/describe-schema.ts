/** What a mirror holds, read from the catalog: its tables, views and functions with their comments. */
import { sql } from 'kysely'
import type { Database } from '../../db/database.ts'
import { defineCall } from '../calls/call.ts'
import { object } from '../calls/input.ts'

export interface ColumnDescription {
  readonly name: string
  readonly type: string
  /** Part of the primary key. */
  readonly key: boolean
  readonly comment: string | null
}

export interface TableDescription {
  readonly name: string
  readonly comment: string | null
  readonly columns: readonly ColumnDescription[]
}

export interface FunctionDescription {
  readonly name: string
  /** Name and type of each, separated by commas. */
  readonly arguments: string
  readonly comment: string | null
  /** Of the rows that it returns. */
  readonly columns: readonly ColumnDescription[]
}

export interface SchemaDescription {
  readonly tables: readonly TableDescription[]
  readonly views: readonly TableDescription[]
  /** The functions meant for people; one that takes different arguments stands here for each. */
  readonly functions: readonly FunctionDescription[]
}

/** What the service returns, now and in the past. The other tables are the program's own. */
export const DATA_TABLES: readonly string[] = [
  'events',
  'responses',
  'payments',
  'slots',
  'event_history',
  'response_history',
]

export async function readSchemaDescription({
  kysely,
}: Pick<Database, 'kysely'>): Promise<SchemaDescription> {
  const relations = await relationsQuery.execute(kysely)
  const functions = await functionsQuery.execute(kysely)
  const ofKind = (wanted: RelationRow['kind']) =>
    relations.rows.filter(({ kind }) => kind === wanted).map(({ kind: _, ...relation }) => relation)
  return { tables: ofKind('table'), views: ofKind('view'), functions: functions.rows }
}

export const tablesCall = defineCall({
  name: 'tables',
  changes: false,
  readInput: object({}),
  run: (database) => database.transaction(readSchemaDescription, { readOnly: true }),
})

type RelationRow = TableDescription & { readonly kind: 'table' | 'view' }

/** Names of types as people write them. */
const short = (name: string) =>
  `replace(replace(replace(${name}, 'timestamp with time zone', 'timestamptz'),
           'timestamp without time zone', 'timestamp'), 'integer', 'int')`

/** The columns of a table, view or composite type. */
const columnsOf = (relation: string) => `coalesce((
  select json_agg(json_build_object(
           'name', a.attname,
           'type', ${short('format_type(a.atttypid, a.atttypmod)')},
           'key', exists (select from pg_constraint k
                           where k.conrelid = a.attrelid and k.contype = 'p' and a.attnum = any (k.conkey)),
           'comment', col_description(a.attrelid, a.attnum)) order by a.attnum)
    from pg_attribute a
   where a.attrelid = ${relation} and a.attnum > 0 and not a.attisdropped), '[]')`

const relationsQuery = sql<RelationRow>`
  select case c.relkind when 'v' then 'view' else 'table' end as kind, c.relname as name,
         obj_description(c.oid, 'pg_class') as comment, ${sql.raw(columnsOf('c.oid'))} as columns
    from pg_class c
   where c.relnamespace = 'headcount'::regnamespace and c.relkind in ('r', 'p', 'v')
   order by c.relname`

const functionsQuery = sql<FunctionDescription>`
  select p.proname as name, ${sql.raw(short('pg_get_function_identity_arguments(p.oid)'))} as arguments,
         obj_description(p.oid, 'pg_proc') as comment, ${sql.raw(columnsOf('t.typrelid'))} as columns
    from pg_proc p
    join pg_type t on t.oid = p.prorettype
   where p.pronamespace = 'headcount'::regnamespace
   order by p.proname, p.pronargs`
