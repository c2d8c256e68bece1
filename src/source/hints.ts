/** Headers that tell an operator how a service wants to be asked. Their names only: values may be anybody's. */
import type { Headers } from './headers.ts'

const MOST_HINTS = 20

/**
 * - limits: `retry-after`, `ratelimit` and `ratelimit-…`, also with `x-` before it or `rate-limit` in it
 * - paging: `link`, `content-range`, `x-total…`, `total-count`, `x-page…` and `x-pagination…`, `x-per-page`,
 *   `x-next-…`, `x-prev-…`, `x-cursor`, `x-has-more`
 * - validators and caches on the way: `etag`, `last-modified`, `cache-control`, `age`, `expires`
 */
const patterns = [
  /^retry-after$|^(?:x-)?rate-?limit(?:-[a-z0-9-]{1,40})?$/,
  /^(?:link|content-range|total-count|x-per-page|x-cursor|x-has-more)$/,
  /^x-(?:total|page|pagination|next|prev)(?:-[a-z0-9-]{1,40})?$/,
  /^(?:etag|last-modified|cache-control|age|expires)$/,
]

/** The names, in lower case and in order, of the headers of all these answers that hint at limits, paging or caches. */
export function hintsOf(answers: readonly Headers[]): readonly string[] {
  const names = new Set(answers.flatMap((headers) => Object.keys(headers)))
  const hints = [...names].filter((name) => patterns.some((pattern) => pattern.test(name)))
  return hints.toSorted().slice(0, MOST_HINTS)
}
