import { duration, InvalidValueError, quote } from '../../common/parse-values.ts'
import { isObject } from '../../common/json/exact.ts'
import { number, object, text, type Field } from '../calls/input.ts'
import { isTimestamp } from '../../normalise/values/timestamps.ts'

/** A moment as it is written on a command line: itself, or how far it is from the moment when the command runs. */
export type InstantInput = { readonly at: string } | { readonly msFromNow: number }

export const instantField: Field<InstantInput> = (sent) =>
  isObject(sent) && Object.hasOwn(sent, 'at')
    ? object({ at: text })(sent)
    : object({ msFromNow: number })(sent)

/** `2026-01-01` (midnight in UTC), `2026-01-01T12:00:00Z` or any RFC 3339 time stamp, or an age like `90d`. */
export const parsePastInstant = instantParser('an age', -1)

/** The same forms, where `90d` is a time from now. */
export const parseFutureInstant = instantParser('a time from now', 1)

const parseDistance = duration('1s', '36500d')

function instantParser(distance: string, direction: 1 | -1): (text: string) => InstantInput {
  return (text) => {
    const instant = /^\d{4}-\d\d-\d\d$/.test(text) ? `${text}T00:00:00Z` : text
    if (isTimestamp(instant)) return { at: instant }
    if (/^\d+[a-z]+$/i.test(text)) return { msFromNow: direction * parseDistance(text) }
    throw new InvalidValueError(
      `must be a date like 2026-01-01, an instant like 2026-01-01T12:00:00Z or ${distance} like 90d, not ${quote(text)}`,
    )
  }
}
