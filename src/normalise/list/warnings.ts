import type { SetAsideCounts } from '../items/set-aside-counts.ts'
import { REPAIRED } from '../items/item-issues.ts'

/** Ids that stand more than once with contents that differ: how many, and the first of them. */
export interface DifferingDuplicates {
  readonly count: number
  readonly first: string
}

/** One line a matter, however many items it concerns. No values: they are personal data. */
export function warningsOf({ entries }: SetAsideCounts, differing: DifferingDuplicates | null): string[] {
  const warnings: string[] = []
  const fields = entries
    .filter(([entry]) => entry !== REPAIRED)
    .map(([field, count]) => `${field} (${count})`)
  if (fields.length > 0)
    warnings.push(
      `values that their columns cannot hold were set aside, the originals are in _extra: ${fields.join(', ')}`,
    )
  const repaired = entries.find(([entry]) => entry === REPAIRED)
  if (repaired !== undefined)
    warnings.push(
      `texts with U+0000 or half a surrogate pair, which Postgres cannot hold; U+FFFD stands in their place: ${repaired[1]}`,
    )
  if (differing !== null)
    warnings.push(
      `ids that stand more than once in the list, with different contents; the latest version was taken: ${differing.count} (the first is ${JSON.stringify(differing.first)})`,
    )
  return warnings
}
