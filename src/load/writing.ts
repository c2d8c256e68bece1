import type { TableCounts } from '../db/tables.ts'
import { DatabaseError } from '../errors.ts'

/** Whose rows are written, by which run, and whether their former versions go into history. */
export interface Writing {
  readonly account: number
  readonly run: string
  /** False when only our own new version rewrites rows: that is no change of the data. */
  readonly history: boolean
}

export function noCounts(): TableCounts {
  const none = () => ({ inserted: 0, updated: 0, deleted: 0 })
  return { events: none(), responses: none(), payments: none(), slots: none() }
}

/** Adds the counts of one load to a total. */
export function addCounts(total: TableCounts, part: TableCounts): void {
  for (const table of ['events', 'responses', 'payments', 'slots'] as const) {
    total[table].inserted += part[table].inserted
    total[table].updated += part[table].updated
    total[table].deleted += part[table].deleted
  }
}

/** What a load wrote, and to which events. */
export interface Written {
  readonly rows: TableCounts
  readonly events: ReadonlySet<string>
}

/** Rows of one statement: enough that the round trip does not count, few enough that it stays below a second. */
export const ROWS_PER_STATEMENT = 5000

/** Cuts rows into the pieces that one statement takes. */
export function* pieces<Row>(rows: readonly Row[]): Generator<readonly Row[]> {
  for (let start = 0; start < rows.length; start += ROWS_PER_STATEMENT) {
    yield rows.slice(start, start + ROWS_PER_STATEMENT)
  }
}

/**
 * Compares what a statement wrote with what was sent, for a database can lose rows without an error
 * (PGlite does so with deeply nested jsonb).
 *
 * @throws DatabaseError when they differ: the transaction is rolled back.
 */
export function requireCount(
  what: string,
  sent: number,
  result: { numAffectedRows?: bigint | undefined },
): number {
  const written = Number(result.numAffectedRows ?? -1n)
  if (written !== sent) {
    throw new DatabaseError(
      `${what}: ${sent} rows were sent, the database wrote ${written}. The batch was rolled back; nothing of it is stored. ` +
        'Look for triggers or rules on the tables of schema headcount, and report this when there are none.',
    )
  }
  return written
}
