import { REPAIRED } from './findings.ts'

/** One line a matter, however many items it concerns. No values: they are personal data. */
export function warningsOf(asides: readonly string[], differingIds: readonly string[]): string[] {
  return [setAsideWarning(asides), repairedWarning(asides), differingWarning(differingIds)].filter(
    (line) => line !== null,
  )
}

function setAsideWarning(asides: readonly string[]): string | null {
  const counts = new Map<string, number>()
  for (const field of asides) if (field !== REPAIRED) counts.set(field, (counts.get(field) ?? 0) + 1)
  if (counts.size === 0) return null
  const fields = [...counts]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([field, count]) => `${field} (${count})`)
  return `values that their columns cannot hold were set aside, the originals are in _extra: ${fields.join(', ')}`
}

function repairedWarning(asides: readonly string[]): string | null {
  const count = asides.filter((entry) => entry === REPAIRED).length
  if (count === 0) return null
  return `texts with U+0000 or half a surrogate pair, which Postgres cannot hold; U+FFFD stands in their place: ${count}`
}

function differingWarning(ids: readonly string[]): string | null {
  if (ids.length === 0) return null
  return `ids that stand more than once in the list, with different contents; the latest version was taken: ${ids.length} (the first is ${JSON.stringify(ids[0])})`
}
