/**
 * Which texts are exactly what the reader of the service takes (src/normalise), so that a document which the schemas
 * allow is stored without anything set aside. Patterns only assert when they are not formats, which JSON Schema lets
 * everyone ignore. Without `\d` (other digits in some engines), look-aheads, `\p` and `\uD800` (unknown to others).
 */

/** Without U+0000, which Postgres cannot hold. Nor can it hold half surrogate pairs, which are no text: no pattern says so to every engine. */
export const TEXT = String.raw`^[^\x00]*$`

export const AMOUNT = '^-?[0-9]+(?:[.][0-9]+)?$'

const YEAR = '(?:000[1-9]|00[1-9][0-9]|0[1-9][0-9]{2}|[1-9][0-9]{3})'
const LEAP = '(?:0[48]|[2468][048]|[13579][26])'
const DAY =
  '(?:(?:0[1-9]|1[0-2])-(?:0[1-9]|1[0-9]|2[0-8])|(?:0[13-9]|1[0-2])-(?:29|30)|(?:0[13578]|1[02])-31)'
/** A day that there is, in the years 0001 to 9999. */
const DATE = `(?:${YEAR}-${DAY}|(?:[0-9]{2}${LEAP}|${LEAP}00)-02-29)`
/** Without leap seconds; fractions as fine as Postgres has them. */
const TIME = '(?:[01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9](?:[.][0-9]{1,6})?'

export const UTC_TIME = `^${DATE}T${TIME}Z$`

/** Postgres refuses offsets of 16 hours and more. */
export const ZONED_TIME = `^${DATE}T${TIME}[+-](?:0[0-9]|1[0-5]):[0-5][0-9]$`

const OFFSET = '(?:0[1-9]|1[0-5]|00:0[1-9]|00:[1-5])'
/** On the first and the last day of the calendar an offset may lead out of it; to tell exactly when takes more than a pattern. */
export const EDGE_OF_CALENDAR = `^(?:0001-01-01T.*[+]${OFFSET}|9999-12-31T.*-${OFFSET})`
