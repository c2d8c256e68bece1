/** docs/schema.md, made from a mirror that was just migrated: its tables, views and functions with their comments. */
import { connect } from '../../src/db/connect.ts'
import { migrate } from '../../src/db/migrate.ts'

/** What an organiser asks about; the others are bookkeeping. */
const drawn = ['events', 'responses', 'payments', 'slots', 'event_history', 'response_history']

const relationships = `  events ||--o{ responses : "id = event_id"
  responses ||--o| payments : "id = response_id"
  responses ||--o{ slots : "id = response_id"
  events ||--o{ event_history : "id = event_id"
  responses ||--o{ response_history : "id = response_id"`

const intro = `# The schema

Made by \`npm run docs\` from the comments in the database; do not edit. In psql, \`\\d+\` shows the same. Everything is in the
schema \`headcount\`. There are no foreign keys; tables hold the rows of all accounts, so join by \`account_id\`, too.
Views, and the functions of the past, show one account after \`set headcount.account = 'north'\` or with \`query --account north\`.
`

interface Column {
  readonly name: string
  readonly type: string
  readonly isKey: boolean
  readonly comment: string
}

interface Relation {
  readonly name: string
  readonly kind: 'table' | 'view'
  readonly comment: string
  readonly columns: readonly Column[]
}

interface Routine {
  readonly name: string
  readonly comment: string
}

export async function schemaReference(): Promise<string> {
  const { relations, routines } = await readSchema()
  const of = (kind: Relation['kind']) => relations.filter((relation) => relation.kind === kind)
  return [
    intro,
    '## Diagram\n',
    diagram(relations),
    '## Tables\n',
    ...of('table').map(relationPart),
    '## Views\n',
    ...of('view').map(relationPart),
    '## Functions\n',
    ...routines.map(({ name, comment }) => `- \`${name}\`: ${comment}`),
    '',
  ].join('\n')
}

async function readSchema(): Promise<{
  readonly relations: readonly Relation[]
  readonly routines: readonly Routine[]
}> {
  await using database = await connect('pglite:memory')
  await migrate(database)
  return database.transaction(
    async (trx) => ({
      relations: (await trx.query(relationsQuery)).rows.map(([document]) => document as Relation),
      routines: (await trx.query(routinesQuery)).rows.map(([document]) => document as Routine),
    }),
    { readOnly: true },
  )
}

const typeName = (oid: string, modifier: string) =>
  `replace(replace(replace(format_type(${oid}, ${modifier}), 'timestamp with time zone', 'timestamptz'),
           'timestamp without time zone', 'timestamp'), 'integer', 'int')`

const relationsQuery = `
  select json_build_object(
           'name', c.relname, 'kind', case c.relkind when 'v' then 'view' else 'table' end,
           'comment', obj_description(c.oid, 'pg_class'),
           'columns', (
             select json_agg(json_build_object(
                      'name', a.attname, 'type', ${typeName('a.atttypid', 'a.atttypmod')},
                      'isKey', a.attnum = any (coalesce(k.conkey, '{}')),
                      'comment', col_description(c.oid, a.attnum)) order by a.attnum)
               from pg_attribute a
              where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped))
    from pg_class c
    left join pg_constraint k on k.conrelid = c.oid and k.contype = 'p'
   where c.relnamespace = 'headcount'::regnamespace and c.relkind in ('r', 'v')
   order by c.relname`

const routinesQuery = `
  select json_build_object(
           'name', p.proname || '(' || pg_get_function_identity_arguments(p.oid) || ')',
           'comment', obj_description(p.oid, 'pg_proc'))
    from pg_proc p
   where p.pronamespace = 'headcount'::regnamespace
   order by 1::text`

function diagram(relations: readonly Relation[]): string {
  const boxes = drawn.flatMap((name) => {
    const columns = relations.find((relation) => relation.name === name)?.columns ?? []
    return [
      `  ${name} {`,
      ...columns.map(({ name: column, type, isKey }) => `    ${type} ${column}${isKey ? ' PK' : ''}`),
      '  }',
    ]
  })
  return ['```mermaid', 'erDiagram', relationships, ...boxes, '```', ''].join('\n')
}

function relationPart({ name, comment, columns }: Relation): string {
  const rows = columns.map(
    ({ name: column, type, isKey, comment: text }) =>
      `| \`${column}\`${isKey ? ' (key)' : ''} | ${type} | ${cell(text)} |`,
  )
  return [`### ${name}\n`, `${comment}\n`, '| column | type | |', '| --- | --- | --- |', ...rows, ''].join(
    '\n',
  )
}

function cell(text: string): string {
  return text.replaceAll('|', '\\|').replaceAll('<', '\\<')
}
