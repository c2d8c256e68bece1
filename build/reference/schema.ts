/** docs/schema.md, made from a mirror that was just migrated: its tables, views and functions with their comments. */
import type { PGlite } from '@electric-sql/pglite'
import { connect } from '../../src/db/connect.ts'
import { migrate } from '../../src/db/migrate.ts'
import {
  DATA_TABLES,
  readSchemaDescription,
  type TableDescription,
} from '../../src/mirror/query/describe-schema.ts'

const relationships = `  events ||--o{ responses : "id = event_id"
  responses ||--o| payments : "id = response_id"
  responses ||--o{ slots : "id = response_id"
  events ||--o{ event_history : "id = event_id"
  responses ||--o{ response_history : "id = response_id"`

const intro = `# The schema

Made by \`npm run docs\` from the comments in the database; do not edit. In psql, \`\\d+\` shows the same, and so does
\`headcount tables NAME\`. Everything is in the schema \`headcount\`
(\`headcount_internal\` has only functions that these views and functions call). There are no foreign keys; tables hold the rows of all accounts, so join by \`account_id\`, too.
Views, and the functions of the past, show one account after \`set headcount.account = 'north'\` or with \`query --account north\`; \`response_documents\`, from which runs of every account write history, shows all.
`

/** @param given an open database, empty or with an empty mirror; by default one is made */
export async function schemaReference(given?: PGlite): Promise<string> {
  await using database = await connect(given === undefined ? 'pglite:memory' : { pglite: given })
  await migrate(database)
  const { tables, views, functions } = await database.transaction(readSchemaDescription, { readOnly: true })
  return [
    intro,
    '## Diagram\n',
    diagram(tables),
    '## Tables\n',
    ...tables.map(tablePart),
    '## Views\n',
    ...views.map(tablePart),
    '## Functions\n',
    ...functions.map((routine) => `- \`${routine.name}(${routine.arguments})\`: ${routine.comment}`),
    '',
  ].join('\n')
}

function diagram(tables: readonly TableDescription[]): string {
  const boxes = DATA_TABLES.flatMap((name) => {
    const columns = tables.find((table) => table.name === name)?.columns ?? []
    return [
      `  ${name} {`,
      ...columns.map(({ name: column, type, key }) => `    ${type} ${column}${key ? ' PK' : ''}`),
      '  }',
    ]
  })
  return ['```mermaid', 'erDiagram', relationships, ...boxes, '```', ''].join('\n')
}

function tablePart({ name, comment, columns }: TableDescription): string {
  const rows = columns.map(
    ({ name: column, type, key, comment: text }) =>
      `| \`${column}\`${key ? ' (key)' : ''} | ${type} | ${cell(text ?? '')} |`,
  )
  return [`### ${name}\n`, `${comment}\n`, '| column | type | |', '| --- | --- | --- |', ...rows, ''].join(
    '\n',
  )
}

function cell(text: string): string {
  return text.replaceAll('|', '\\|').replaceAll('<', '\\<')
}
