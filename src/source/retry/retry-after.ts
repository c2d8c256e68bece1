/** `Retry-After` and HTTP dates (RFC 9110, sections 5.6.7 and 10.2.3). */

const month = '(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)'
const shortDay = '(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)'
const longDay = '(?:Monday|Tuesday|Wednesday|Thursday|Friday|Saturday|Sunday)'
const time = String.raw`\d{2}:\d{2}:\d{2}`
const withZone = new RegExp(
  String.raw`^(?:${shortDay}, \d{2} ${month} \d{4} ${time}|${longDay}, \d{2}-${month}-\d{2} ${time}) GMT$`,
)
const withoutZone = new RegExp(String.raw`^${shortDay} ${month} [ \d]\d ${time} \d{4}$`)

/** The instant in ms since 1970 of a date in one of HTTP's three forms; null for anything else. */
export function readHttpDate(text: string | null): number | null {
  if (text === null) return null
  const instant = withZone.test(text)
    ? Date.parse(text)
    : withoutZone.test(text)
      ? Date.parse(`${text} GMT`)
      : Number.NaN
  return Number.isNaN(instant) ? null : instant
}

/**
 * The pause that `Retry-After` names, in ms; null when it is absent or invalid.
 * A date is compared with the service's own `Date`, so that a wrong clock here does no harm.
 */
export function readRetryAfter(text: string | null, serviceDate: string | null, now: number): number | null {
  if (text === null) return null
  // Ten digits are more than 30 years: not a usable pause.
  if (/^\d{1,9}$/.test(text.trim())) return Number(text) * 1000
  const instant = readHttpDate(text.trim())
  return instant === null ? null : Math.max(0, instant - (readHttpDate(serviceDate) ?? now))
}
