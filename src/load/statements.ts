import { sql } from 'kysely'
import type { TableCounts } from '../common/schema/tables.ts'
import { DatabaseError } from '../common/errors.ts'

export interface WriteOptions {
  readonly account: number
  readonly run: string
  /** Whether old versions go into history. False when only a new normaliser rewrites rows: the data have not changed. */
  readonly history: boolean
  /** Personal data that were forgotten come back: rows that differ in nothing else have not changed. */
  readonly restoresPersonal?: boolean
}

export function noCounts(): TableCounts {
  const none = () => ({ inserted: 0, updated: 0, deleted: 0 })
  return { events: none(), responses: none(), payments: none(), slots: none() }
}

export function addCounts(total: TableCounts, part: TableCounts): void {
  for (const table of ['events', 'responses', 'payments', 'slots'] as const) {
    total[table].inserted += part[table].inserted
    total[table].updated += part[table].updated
    total[table].deleted += part[table].deleted
  }
}

/** The counts of rows written, and the events they belong to. */
export interface WriteResult {
  readonly rows: TableCounts
  readonly events: ReadonlySet<string>
}

/** Enough to hide the round trip, and few enough to stay below a second. */
const MAX_ROWS_PER_STATEMENT = 5000
/** Several copies of a statement's parameter are in memory at once. */
const MAX_CONTENT_PER_STATEMENT = 4_000_000

/** Splits rows into statement batches. */
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

/** As `chunkRows`, for rows in chunks of any size: small chunks are joined. */
export async function* chunkRowStream<Row>(
  incoming: AsyncIterable<readonly Row[]>,
): AsyncGenerator<readonly Row[]> {
  let rest: readonly Row[] = []
  for await (const rows of incoming) {
    const chunks = [...chunkRows([...rest, ...rows])]
    rest = chunks.pop() ?? []
    yield* chunks
  }
  if (rest.length > 0) yield rest
}

/** The approximate length of a value as JSON: its texts and keys count, at any depth. */
function contentLength(value: unknown): number {
  if (typeof value === 'string') return value.length
  if (typeof value !== 'object' || value === null) return 0
  let length = 0
  for (const key in value) length += key.length + contentLength(value[key as keyof typeof value])
  return length
}

/**
 * Compares the number of rows sent with the number written: PGlite loses rows with deeply nested jsonb without an error.
 *
 * @throws DatabaseError when they differ
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

/** The only row of an aggregate. */
export function singleRow<Row>(rows: readonly Row[]): Row {
  const [row] = rows
  if (!row || rows.length > 1) {
    throw new DatabaseError(
      `An aggregate gave ${rows.length} rows instead of one; this is a fault of the database, report it.`,
    )
  }
  return row
}

/**
 * A further condition of a deletion by the places (`ctid`) of `old (part, place)`: where somebody divided the table
 * (docs/operate/scaling.md), each part has a row at the same place, of another account or another year.
 */
// guard: parts of a table
export const inSamePart = sql`and (tableoid, ctid) in (select part, place from old)`
