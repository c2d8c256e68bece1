import type { Timestamp } from '../../common/schema/tables.ts'
import { canonicalJson } from './content.ts'
import { toMicroseconds } from '../values/timestamps.ts'
import type { DifferingDuplicates } from './warnings.ts'

interface Keyed {
  readonly id: string
}

export interface DistinctRows<Row> {
  readonly rows: readonly Row[]
  readonly differing: DifferingDuplicates | null
}

/**
 * One row for each id: the one with the later `updated_at`, else the later one. A row without `updated_at` gives
 * way to one that has it, so that the choice does not hang on the order in which three of them come.
 *
 * @param rows sorted by id; rows with the same id in the order in which they were sent.
 */
export function dropDuplicates<Row extends Keyed>(
  rows: readonly Row[],
  updatedAt: (row: Row) => Timestamp | null,
): DistinctRows<Row> {
  if (!rows.some((row, index) => row.id === rows[index + 1]?.id)) return { rows, differing: null }
  const distinct: Row[] = []
  const differing = new Set<string>()
  for (const row of rows) {
    const former = distinct.at(-1)
    if (former === undefined || former.id !== row.id) {
      distinct.push(row)
      continue
    }
    if (canonicalJson(former) !== canonicalJson(row)) differing.add(row.id)
    // guard: duplicates
    if (supersedes(toMicrosecondsOrNull(updatedAt(row)), toMicrosecondsOrNull(updatedAt(former))))
      distinct[distinct.length - 1] = row
  }
  const [first] = differing
  return { rows: distinct, differing: first === undefined ? null : { count: differing.size, first } }
}

export function toMicrosecondsOrNull(timestamp: Timestamp | null): bigint | null {
  return timestamp === null ? null : toMicroseconds(timestamp)
}

/** Whether a row with the first time stamp takes the place of one with the second that stands before it. */
export function supersedes(later: bigint | null, earlier: bigint | null): boolean {
  if (earlier === null) return true
  return later !== null && later >= earlier
}
