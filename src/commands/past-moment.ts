import { duration, ValueFault } from '../config/values.ts'
import { isTimestamp } from '../normalise/timestamps.ts'

/** A moment as it is written on a command line: itself, or its age when the command runs. */
export type PastMoment = { readonly at: string } | { readonly ageMs: number }

const readAge = duration('1s', '36500d')

/** `2026-01-01` (midnight in UTC), `2026-01-01T12:00:00Z` or any RFC 3339 time stamp, or an age like `90d`. */
export function pastMoment(text: string): PastMoment {
  const instant = /^\d{4}-\d\d-\d\d$/.test(text) ? `${text}T00:00:00Z` : text
  if (isTimestamp(instant)) return { at: instant }
  if (/^\d+[a-z]+$/i.test(text)) return { ageMs: readAge(text) }
  throw new ValueFault(
    `must be a date like 2026-01-01, an instant like 2026-01-01T12:00:00Z or an age like 90d, not ${JSON.stringify(text.slice(0, 60))}`,
  )
}
