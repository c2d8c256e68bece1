import { isDeepStrictEqual } from 'node:util'
import { instantOf } from './timestamps.ts'

interface Keyed {
  readonly id: string
}

export interface Distinct<Row> {
  readonly rows: readonly Row[]
  /** Ids that stood more than once with contents that differ. */
  readonly differing: readonly string[]
}

/**
 * One row for each id: the one with the later `updated_at`, else the later one. A row without `updated_at` gives
 * way to one that has it, so that the choice does not hang on the order in which three of them come.
 *
 * @param rows sorted by id; rows with the same id in the order in which they were sent.
 */
export function withoutDuplicates<Row extends Keyed>(
  rows: readonly Row[],
  updatedAt: (row: Row) => string | null,
): Distinct<Row> {
  if (!rows.some((row, place) => row.id === rows[place + 1]?.id)) return { rows, differing: [] }
  const distinct: Row[] = []
  const differing = new Set<string>()
  for (const row of rows) {
    const former = distinct.at(-1)
    if (former === undefined || former.id !== row.id) {
      distinct.push(row)
      continue
    }
    if (!isDeepStrictEqual(former, row)) differing.add(row.id)
    if (isAtLeast(updatedAt(row), updatedAt(former))) distinct[distinct.length - 1] = row
  }
  return { rows: distinct, differing: [...differing] }
}

function isAtLeast(later: string | null, earlier: string | null): boolean {
  if (earlier === null) return true
  return later !== null && instantOf(later) >= instantOf(earlier)
}
