import type { TableCounts } from '../common/schema/tables.ts'
import { DatabaseError } from '../common/errors.ts'

/** The account and the run that rows are written for, and whether former versions go into history. */
export interface WriteOptions {
  readonly account: number
  readonly run: string
  /** False when only our own new version rewrites rows: that is no change of the data. */
  readonly history: boolean
}

export function noCounts(): TableCounts {
  const none = () => ({ inserted: 0, updated: 0, deleted: 0 })
  return { events: none(), responses: none(), payments: none(), slots: none() }
}

/** Adds counts to a total. */
export function addCounts(total: TableCounts, part: TableCounts): void {
  for (const table of ['events', 'responses', 'payments', 'slots'] as const) {
    total[table].inserted += part[table].inserted
    total[table].updated += part[table].updated
    total[table].deleted += part[table].deleted
  }
}

/** How many rows were written, and to which events. */
export interface WriteResult {
  readonly rows: TableCounts
  readonly events: ReadonlySet<string>
}

/** Rows of one statement: enough that the round trip does not count, few enough that it stays below a second. */
const MAX_ROWS_PER_STATEMENT = 5000
/** Characters of content in one statement: several copies of its parameter are in memory at once. */
const MAX_CONTENT_PER_STATEMENT = 4_000_000

/** Splits rows into statement batches. A row is never split, however long it is. */
export function* chunkRows<Row>(rows: readonly Row[]): Generator<readonly Row[]> {
  let start = 0
  let content = 0
  for (const [index, row] of rows.entries()) {
    const length = contentLength(row)
    content += length
    if (index > start && (index - start === MAX_ROWS_PER_STATEMENT || content > MAX_CONTENT_PER_STATEMENT)) {
      yield rows.slice(start, index)
      start = index
      content = length
    }
  }
  if (start < rows.length) yield rows.slice(start)
}

/** The same for rows that come in chunks of any size: small chunks are joined. */
export async function* chunkRowStream<Row>(
  incoming: AsyncIterable<readonly Row[]>,
): AsyncGenerator<readonly Row[]> {
  let group: Row[] = []
  let content = 0
  for await (const rows of incoming) {
    for (const row of rows) {
      const length = contentLength(row)
      if (
        group.length === MAX_ROWS_PER_STATEMENT ||
        (group.length > 0 && content + length > MAX_CONTENT_PER_STATEMENT)
      ) {
        yield group
        group = []
        content = 0
      }
      group.push(row)
      content += length
    }
  }
  if (group.length > 0) yield group
}

/** About how long a value is as JSON: its texts and keys count, at any depth. */
function contentLength(value: unknown): number {
  if (typeof value === 'string') return value.length
  if (typeof value !== 'object' || value === null) return 0
  let length = 0
  for (const key in value) length += key.length + contentLength(value[key as keyof typeof value])
  return length
}

/**
 * Compares what a statement wrote with what was sent, for a database can lose rows without an error
 * (PGlite does so with deeply nested jsonb).
 *
 * @throws DatabaseError when they differ: the transaction is rolled back.
 */
export function assertRowCount(
  what: string,
  sent: number,
  result: { numAffectedRows?: bigint | undefined },
): number {
  const written = Number(result.numAffectedRows ?? -1n)
  // guard: counts of rows
  if (written !== sent) {
    throw new DatabaseError(
      `${what}: ${sent} rows were sent, the database wrote ${written}. The batch was rolled back; nothing of it is stored. ` +
        'Look for triggers or rules on the tables of schema headcount, and report this when there are none.',
    )
  }
  return written
}

/** The row of an aggregate, which gives exactly one. */
export function singleRow<Row>(rows: readonly Row[]): Row {
  const [row] = rows
  if (!row || rows.length > 1) {
    throw new DatabaseError(
      `An aggregate gave ${rows.length} rows instead of one; this is a fault of the database, report it.`,
    )
  }
  return row
}
