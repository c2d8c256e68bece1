/** What somebody dropped from the schema of the mirror, or gave another name: no run makes it anew. And what somebody made in its place. */
import { sql } from 'kysely'
import { commandName } from '../../../common/command-name.ts'
import { TABLE_COLUMNS } from '../../../common/schema/table-columns.ts'
import type { Database } from '../../../db/connect.ts'
import { RELATIONS } from '../../../db/readers/readable.ts'

/** Names of tables and views; of a table that is there, `table.column`. */
export async function droppedParts({ kysely }: Database): Promise<readonly string[]> {
  const { rows } = await sql<{ relation: string; columns: string[] }>`
    select c.relname::text as relation, array_agg(a.attname::text) as columns
      from pg_catalog.pg_class c
      join pg_catalog.pg_attribute a on a.attrelid = c.oid
     where c.relnamespace = 'headcount'::regnamespace and c.relkind in ('r', 'p', 'v') and a.attnum > 0 and not a.attisdropped
     group by c.oid`.execute(kysely)
  const found = new Map(rows.map(({ relation, columns }) => [relation, columns]))
  return [...RELATIONS].toSorted().flatMap((relation) => {
    const columns = found.get(relation)
    if (columns === undefined) return [relation]
    return (TABLE_COLUMNS[relation] ?? [])
      .filter((column) => !columns.includes(column))
      .map((column) => `${relation}.${column}`)
  })
}

/** Tables and views that stand where a migration will make its own: in a database without a mirror somebody else made them. */
export async function namesTaken({ kysely }: Database): Promise<readonly string[]> {
  const { rows } = await sql<{ relation: string }>`
    select c.relname::text as relation
      from pg_catalog.pg_class c
      join pg_catalog.pg_namespace n on n.oid = c.relnamespace
     where n.nspname = 'headcount'
     order by 1`.execute(kysely)
  const relations = rows.map(({ relation }) => relation)
  if (relations.includes('schema_migrations')) return []
  return relations.filter((relation) => RELATIONS.has(relation))
}

/** What was dropped, and what to do. */
export function remedyOfDropped(dropped: readonly string[]): string {
  const restore = `${dropped.join(', ')}: make a ${commandName()} backup, and restore it into an empty database`
  const isPart = dropped.some((name) => name.includes('.'))
  // A copy of such a table has no rows without a column that each row needs.
  const otherwise = isPart
    ? `; where that does not succeed, restore your last backup, or begin anew there`
    : ''
  const isOfErasures = dropped.some((name) => name.startsWith('suppress'))
  const erase = `. Who was erased is on no list then: restore with your last --suppressions, or run ${commandName()} person erase --suppressions before the next sync`
  return `${restore}${otherwise}${isOfErasures ? erase : ''}`
}
