/** Counts and checksums, by which two databases are compared. */
import { DatabaseError } from '../../../common/errors.ts'
import { identifier } from '../../../db/quote.ts'
import type { Transaction } from '../../../db/transaction.ts'
import { forEachPageRange } from './page-ranges.ts'
import { selectRows, type TableColumns } from './table-rows.ts'

/** What a table holds. */
export interface TableCheck {
  readonly table: string
  readonly rows: number
  /** A sum over all rows, in any order, of the first eight bytes of the SHA-256 of the row in the binary form that drivers read. */
  readonly checksum: string
}

/**
 * Counts the rows and sums up their hashes. SHA-256 and the form of a row that is sent to drivers are the same in every version of
 * Postgres and on PGlite; the hash functions of its indexes are not. The row as text takes twice the time.
 */
export async function checkTables(
  trx: Transaction,
  tables: readonly TableColumns[],
  onRange: () => void,
): Promise<readonly TableCheck[]> {
  const checks: TableCheck[] = []
  for (const columns of tables) {
    const { table } = columns
    const row = `record_send(row(${columns.columns.map((name) => `t.${identifier(name)}`).join(', ')}))`
    let rows = 0
    let sum = 0n
    await forEachPageRange(trx, table, async (where) => {
      const { rows: found } = await trx.query(
        `select count(*)::text, coalesce(sum(hash), 0)::text
           from (select ('x' || encode(substr(sha256(${row}), 1, 8), 'hex'))::bit(64)::bigint as hash
                   from (${selectRows(columns, where)}) t) hashed`,
      )
      const [[count, hashes] = []] = found
      rows += Number(count)
      sum += BigInt(String(hashes))
      onRange()
      return 0
    })
    checks.push({ table, rows, checksum: sum.toString() })
  }
  return checks
}

/** The first table that has other rows. */
export function differing(
  expected: readonly TableCheck[],
  found: readonly TableCheck[],
): TableCheck | undefined {
  return expected.find(({ table, rows, checksum }) => {
    const other = found.find((check) => check.table === table)
    return other?.rows !== rows || other.checksum !== checksum
  })
}

/** @throws DatabaseError that names the first table that differs */
export function requireEqual(
  expected: readonly TableCheck[],
  found: readonly TableCheck[],
  place: string,
): void {
  const different = differing(expected, found)
  // guard: checksums of a copy
  if (different !== undefined) {
    const there = found.find(({ table }) => table === different.table)?.rows ?? 'no'
    throw new DatabaseError(
      `${place}: the table ${different.table} has ${there} rows there and ${different.rows} in the original, or a row differs. Nothing ` +
        `was stored. Look for triggers and rules on the tables of the schema headcount, and run it again.`,
    )
  }
}
