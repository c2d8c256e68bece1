const lengths = { day: 10, minute: 16, second: 19 } as const

/** A time stamp of the database (ISO 8601 in UTC) for eyes, cut to a unit. A heading or `formatInstant` names the zone. */
export function formatTimestamp(timestamp: string, unit: keyof typeof lengths): string {
  return timestamp.slice(0, lengths[unit]).replace('T', ' ')
}

/** `2026-11-23 10:12 UTC` of a time stamp of the database; a time before records began is unknown. */
export function formatInstant(timestamp: string | null): string {
  if (timestamp === null) return 'an unknown time'
  return `${formatTimestamp(timestamp, 'minute')} UTC`
}
