/** A moment as people read it. */
export type Clock = (instant: string) => string

/** `Sat 5 Dec 2026 19:30` on the clock of the zone; in UTC, and saying so, where Node does not know the zone. */
export function clockOf(timeZone: string): Clock {
  const format = formatOf(timeZone) ?? formatOf('UTC')
  const suffix = formatOf(timeZone) === null || timeZone === 'UTC' ? ' UTC' : ''
  return (instant) => {
    const at = new Date(instant)
    if (Number.isNaN(at.getTime()) || format === null) return instant
    const parts = Object.fromEntries(format.formatToParts(at).map(({ type, value }) => [type, value]))
    const era = parts['era'] === 'BC' ? ' BC' : ''
    return `${parts['weekday']} ${parts['day']} ${parts['month']} ${parts['year']}${era} ${parts['hour']}:${parts['minute']}${suffix}`
  }
}

function formatOf(timeZone: string): Intl.DateTimeFormat | null {
  try {
    return new Intl.DateTimeFormat('en-GB', {
      timeZone,
      weekday: 'short',
      day: 'numeric',
      month: 'short',
      year: 'numeric',
      era: 'short',
      hour: '2-digit',
      minute: '2-digit',
      hourCycle: 'h23',
    })
  } catch {
    return null
  }
}
