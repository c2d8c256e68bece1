/** What is read of each table: the columns of the catalog, and the rows but for those of the copy itself. */
import { COPIED_TABLES } from '../../../common/schema/copied-tables.ts'
import { TABLE_COLUMNS } from '../../../common/schema/table-columns.ts'
import { identifier } from '../../../db/quote.ts'
import type { Transaction } from '../../../db/transaction.ts'

/** A table with the columns that are copied, in their order. */
export interface TableColumns {
  readonly table: string
  readonly columns: readonly string[]
}

/** A column that numbers its rows, and the number that the next row gets. */
export interface Identity {
  readonly table: string
  readonly column: string
  /** Digits of a bigint. */
  readonly next: string
}

/**
 * The tables that are copied, as far as this version of the schema has them, and the columns that somebody added to them, as `table.column`: where
 * the rows arrive there are none.
 */
export async function readColumns(
  trx: Transaction,
): Promise<{ readonly tables: readonly TableColumns[]; readonly added: readonly string[] }> {
  const { rows } = await trx.query(
    `select c.relname::text, a.attname::text
       from pg_catalog.pg_class c
       join pg_catalog.pg_attribute a on a.attrelid = c.oid
      where c.relnamespace = 'headcount'::regnamespace and c.relkind in ('r', 'p') and a.attnum > 0
        and not a.attisdropped
      order by c.relname, a.attnum`,
  )
  const columnsOf = Map.groupBy(rows, ([table]) => String(table))
  const added: string[] = []
  const tables = COPIED_TABLES.flatMap((table) => {
    const found = (columnsOf.get(table) ?? []).map(([, column]) => String(column))
    const known = TABLE_COLUMNS[table] ?? []
    // guard: columns of others
    const columns = found.filter((column) => known.includes(column))
    added.push(...found.filter((column) => !columns.includes(column)).map((column) => `${table}.${column}`))
    return columns.length === 0 ? [] : [{ table, columns }]
  })
  return { tables, added }
}

/** The table with its columns, for a COPY into it. */
export function copyTarget({ table, columns }: TableColumns): string {
  return `${tableName(table)} (${columns.map(identifier).join(', ')})`
}

export function tableName(table: string): string {
  return `headcount.${identifier(table)}`
}

/** What the row of a run holds that a move or a backup needs to hold the account: it is none of the mirror's runs. */
const NO_COPY = `mode not in ('move', 'backup')`

/**
 * The query for the rows that are copied. A run that is in progress has no process where its row arrives.
 *
 * @param where a further condition on the rows
 */
export function selectRows({ table, columns }: TableColumns, where: string | null = null): string {
  const isRuns = table === 'sync_runs'
  const expressions = columns.map((name) => (isRuns ? ofRun(name) : identifier(name)))
  const conditions = [...(isRuns ? [NO_COPY] : []), ...(where === null ? [] : [where])]
  const filter = conditions.length === 0 ? '' : ` where ${conditions.join(' and ')}`
  return `select ${expressions.join(', ')} from ${tableName(table)}${filter}`
}

function ofRun(column: string): string {
  // guard: runs in progress
  if (column === 'status') return `case status when 'running' then 'abandoned' else status end as status`
  if (column === 'finished_at')
    return `case status when 'running' then heartbeat_at else finished_at end as finished_at`
  return identifier(column)
}

/** The identities of the tables, as their sequences stand. */
export async function readIdentities(
  trx: Transaction,
  tables: readonly TableColumns[],
): Promise<readonly Identity[]> {
  const { rows } = await trx.query(
    `select c.relname::text, a.attname::text,
            pg_catalog.pg_get_serial_sequence(format('headcount.%I', c.relname), a.attname)
       from pg_catalog.pg_class c
       join pg_catalog.pg_attribute a on a.attrelid = c.oid
      where c.relnamespace = 'headcount'::regnamespace and c.relkind in ('r', 'p') and a.attidentity <> ''
      order by c.relname, a.attnum`,
  )
  const identities: Identity[] = []
  for (const [table, column, sequence] of rows.map((row) => row.map(String))) {
    if (table === undefined || column === undefined) continue
    if (!tables.some((copied) => copied.table === table)) continue
    // The next number, whether or not the present one was given to a row.
    const { rows: state } = await trx.query(
      `select (last_value + case when is_called then 1 else 0 end)::text from ${sequence}`,
    )
    identities.push({ table, column, next: String(state[0]?.[0]) })
  }
  return identities
}

/**
 * Unlike `setval`, this is undone with the transaction.
 *
 * @param tables what was copied: tools that want a key for each table add identities, and those are not
 */
export async function restartIdentities(
  trx: Transaction,
  identities: readonly Identity[],
  tables: readonly TableColumns[],
): Promise<void> {
  for (const { table, column, next } of identities) {
    const copied = tables.find((each) => each.table === table)
    // guard: identities of others
    if (copied?.columns.includes(column) !== true) continue
    // guard: identities of a copy
    await trx.query(
      `alter table ${tableName(table)} alter column ${identifier(column)} restart with ${BigInt(next)}`,
    )
  }
}
