import type { Timestamp } from '../../common/schema/tables.ts'
import { contentOf } from './content.ts'
import { instantOf } from '../values/timestamps.ts'
import type { Differing } from './warnings.ts'

interface Keyed {
  readonly id: string
}

export interface Distinct<Row> {
  readonly rows: readonly Row[]
  readonly differing: Differing | null
}

/**
 * One row for each id: the one with the later `updated_at`, else the later one. A row without `updated_at` gives
 * way to one that has it, so that the choice does not hang on the order in which three of them come.
 *
 * @param rows sorted by id; rows with the same id in the order in which they were sent.
 */
export function withoutDuplicates<Row extends Keyed>(
  rows: readonly Row[],
  updatedAt: (row: Row) => Timestamp | null,
): Distinct<Row> {
  if (!rows.some((row, place) => row.id === rows[place + 1]?.id)) return { rows, differing: null }
  const distinct: Row[] = []
  const differing = new Set<string>()
  for (const row of rows) {
    const former = distinct.at(-1)
    if (former === undefined || former.id !== row.id) {
      distinct.push(row)
      continue
    }
    if (contentOf(former) !== contentOf(row)) differing.add(row.id)
    if (isAtLeast(instantOrNone(updatedAt(row)), instantOrNone(updatedAt(former))))
      distinct[distinct.length - 1] = row
  }
  const [first] = differing
  return { rows: distinct, differing: first === undefined ? null : { count: differing.size, first } }
}

export function instantOrNone(timestamp: Timestamp | null): bigint | null {
  return timestamp === null ? null : instantOf(timestamp)
}

/** Whether a row with the first time stamp takes the place of one with the second that stands before it. */
export function isAtLeast(later: bigint | null, earlier: bigint | null): boolean {
  if (earlier === null) return true
  return later !== null && later >= earlier
}
