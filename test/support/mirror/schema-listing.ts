import type { Database } from '../../../src/db/connect.ts'

/**
 * Everything in the schemas of a mirror as text, read from the catalogs: tables with their columns, keys and
 * indexes, views, functions, and all comments, in an order that depends on nothing but the schema itself.
 */
export async function listSchema(database: Database): Promise<string> {
  const { rows } = await database.transaction((trx) => trx.query(listing), { readOnly: true })
  return `${rows.map(([line]) => String(line)).join('\n')}\n`
}

/** Names of tables, views, columns and functions without a comment. */
export async function listUncommented(database: Database): Promise<string[]> {
  const { rows } = await database.transaction((trx) => trx.query(uncommented), { readOnly: true })
  return rows.map(([name]) => String(name))
}

const relations = `
  select c.oid, c.relname as name, c.relkind as kind, c.reloptions as options,
         case c.relkind when 'r' then 1 when 'v' then 2 else 3 end as rank,
         case c.relkind when 'c' then obj_description(c.reltype, 'pg_type') else obj_description(c.oid, 'pg_class') end
           as description
    from pg_class c
   where c.relnamespace = 'headcount'::regnamespace and c.relkind in ('r', 'v', 'c')`

const functions = `
  select p.oid, case p.pronamespace when 'headcount'::regnamespace then '' else 'headcount_internal.' end
           || p.proname || '(' || pg_get_function_identity_arguments(p.oid) || ')' as name
    from pg_proc p
   where p.pronamespace in ('headcount'::regnamespace, 'headcount_internal'::regnamespace)`

const columns = `
  select a.attrelid, a.attnum, a.attname as name,
         a.attname || ' ' || format_type(a.atttypid, a.atttypmod)
           || coalesce(' collate "' || nullif(l.collname, 'default') || '"', '')
           || case when a.attnotnull then ' not null' else '' end
           || case a.attidentity when 'a' then ' generated always as identity' else '' end
           || coalesce(' default ' || pg_get_expr(d.adbin, d.adrelid), '')
           || coalesce(' -- ' || col_description(a.attrelid, a.attnum), '') as line
    from pg_attribute a
    left join pg_collation l on l.oid = a.attcollation
    left join pg_attrdef d on d.adrelid = a.attrelid and d.adnum = a.attnum
   where a.attnum > 0 and not a.attisdropped`

const listing = `
  with relation as (${relations}), function as (${functions}), col as (${columns}),
  line (rank, object, part, place, line) as (
    select 0, '', 0, '', 'schema headcount' || coalesce(' -- ' || obj_description('headcount'::regnamespace, 'pg_namespace'), '')
    union all
    select rank, name, 0, '',
           e'\\n' || case kind when 'v' then 'view ' when 'c' then 'type ' else 'table ' end || name
             || coalesce(' with (' || array_to_string(options, ', ') || ')', '')
             || coalesce(' -- ' || description, '')
      from relation
    union all
    select rank, relation.name, 1, lpad(attnum::text, 4, '0'), '  ' || col.line
      from relation join col on col.attrelid = relation.oid
    union all
    -- Postgres 18 lists not null among the constraints; it stands with the column already.
    select rank, name, 2, k.conname, '  constraint ' || k.conname || ' ' || pg_get_constraintdef(k.oid)
      from relation join pg_constraint k on k.conrelid = relation.oid
     where k.contype <> 'n'
    union all
    select rank, name, 3, i.indexrelid::regclass::text, '  ' || pg_get_indexdef(i.indexrelid)
      from relation join pg_index i on i.indrelid = relation.oid
     where not exists (select from pg_constraint k where k.conindid = i.indexrelid)
    union all
    select rank, name, 4, '', pg_get_viewdef(oid, true) from relation where kind = 'v'
    union all
    select 4, name, 0, '',
           e'\\nfunction ' || name || coalesce(' -- ' || obj_description(oid, 'pg_proc'), '') || e'\\n'
             || rtrim(pg_get_functiondef(oid), e'\\n')
      from function
  )
  select line from line order by rank, object collate "C", part, place collate "C"`

const uncommented = `
  with relation as (${relations}), function as (${functions}), col as (${columns})
  select name from relation where description is null
  union all
  select relation.name || '.' || col.name
    from relation join col on col.attrelid = relation.oid
   where col_description(col.attrelid, col.attnum) is null
  union all
  select name from function where obj_description(oid, 'pg_proc') is null`
