const lengths = { day: 10, minute: 16, second: 19 } as const

/** A time stamp of the database (ISO 8601 in UTC) for eyes, cut to a unit. */
export function formatTimestamp(timestamp: string, unit: keyof typeof lengths): string {
  return timestamp.slice(0, lengths[unit]).replace('T', ' ')
}
