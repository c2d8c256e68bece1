/** Names of headers about limits, paging and caches. Values are never kept: they may be personal data. */
import type { Headers } from './headers.ts'

const MAX_NOTABLE_HEADERS = 20

/**
 * - limits: `retry-after`, `ratelimit` and `ratelimit-…`, also with `x-` before it or `rate-limit` in it
 * - paging: `link`, `content-range`, `x-total…`, `total-count`, `x-page…` and `x-pagination…`, `x-per-page`,
 *   `x-next-…`, `x-prev-…`, `x-cursor`, `x-has-more`
 * - validators and caches: `etag`, `last-modified`, `cache-control`, `age`, `expires`
 */
const patterns = [
  /^retry-after$|^(?:x-)?rate-?limit(?:-[a-z0-9-]{1,40})?$/,
  /^(?:link|content-range|total-count|x-per-page|x-cursor|x-has-more)$/,
  /^x-(?:total|page|pagination|next|prev)(?:-[a-z0-9-]{1,40})?$/,
  /^(?:etag|last-modified|cache-control|age|expires)$/,
]

/** A cache: a service sends the same names with thousands of responses. */
const isNotableByName = new Map<string, boolean>()
const MAX_CACHED_NAMES = 1000

function isNotable(name: string): boolean {
  const found = isNotableByName.get(name)
  if (found !== undefined) return found
  const isOne = patterns.some((pattern) => pattern.test(name))
  if (isNotableByName.size < MAX_CACHED_NAMES) isNotableByName.set(name, isOne)
  return isOne
}

/** The sorted lower-case names of the notable headers of these responses. */
export function notableHeaders(answers: readonly Headers[]): readonly string[] {
  const hints = new Set<string>()
  for (const headers of answers) for (const name in headers) if (isNotable(name)) hints.add(name)
  return [...hints].toSorted().slice(0, MAX_NOTABLE_HEADERS)
}
