import { tables } from '../account/rows.ts'
import type { Row, TableName, Value } from '../account/rows.ts'

/** The account and the run that a floor writes for; the time stamps of ours have a default. */
const ACCOUNT = 1
const RUN = 1
const tablesOfRun: ReadonlySet<TableName> = new Set(['events', 'responses'])

/** A new mirror has none of them yet (src/db/maintenance/deferred-indexes.ts); a script makes its tables with all that queries need. */
export const indexStatements: readonly string[] = [
  'create index on headcount.responses using hash (email)',
  'create index on headcount.responses (created_at)',
]

/** Copies lines made by `copyLine` into a table. */
export function copyStatement(table: TableName, source: 'stdin' | "'/dev/blob'"): string {
  const columns = ['account_id', ...tables[table].columns, ...(tablesOfRun.has(table) ? ['_run_id'] : [])]
  return `copy headcount.${table} (${columns.join(', ')}) from ${source}`
}

/** A row in the text form of COPY. */
export function copyLine(table: TableName, row: Row): string {
  return `${ACCOUNT}\t${row.map(field).join('\t')}${tablesOfRun.has(table) ? `\t${RUN}` : ''}\n`
}

const special = /[\\\n\r\t]/
const escapes: Readonly<Record<string, string>> = { '\\': '\\\\', '\n': '\\n', '\r': '\\r', '\t': '\\t' }

function field(value: Value): string {
  if (value === null) return '\\N'
  if (typeof value === 'number' || !special.test(value)) return String(value)
  return value.replaceAll(/[\\\n\r\t]/g, (character) => escapes[character] ?? '')
}
