/** Moments as people read them: the day before the month, and the month by its name. */

export interface Moments {
  /** `Thu 26 Nov 2026, 18:30`; what is no instant stays as it is. */
  readonly moment: (instant: string | null) => string
  /** `Thu 26 Nov 2026, 18:30:05`. */
  readonly second: (instant: string | null) => string
  /** `26 Nov 2026`, of an instant. */
  readonly day: (instant: string | null) => string
  readonly zone: string
}

/** On the clock of a zone. @param zone an IANA name; UTC stands in for one that only the database knows */
export function momentsIn(zone: string): Moments {
  const timeZone = knownZone(zone)
  return {
    moment: formatter({ ...DAY, ...TIME, timeZone }),
    second: formatter({ ...DAY, ...TIME, second: '2-digit', timeZone }),
    day: formatter({ ...DATE, timeZone }),
    zone: timeZone,
  }
}

/** The same in running text: `Sat 5 Dec 2026 19:30`; it says so where that is UTC. */
export function clockIn(zone: string): (instant: string) => string {
  const timeZone = knownZone(zone)
  return formatter({ ...DAY, ...TIME, timeZone }, ' ', timeZone === 'UTC' ? ' UTC' : '')
}

function knownZone(zone: string): string {
  try {
    Intl.DateTimeFormat('en', { timeZone: zone })
    return zone
  } catch {
    return 'UTC'
  }
}

const DATE = { day: 'numeric', month: 'short', year: 'numeric', era: 'short' } as const
const DAY = { weekday: 'short', ...DATE } as const
const TIME = { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' } as const

function formatter(options: Intl.DateTimeFormatOptions, between = ', ', after = '') {
  const format = new Intl.DateTimeFormat('en-US', options)
  return (instant: string | null): string => {
    if (instant === null) return ''
    const at = new Date(instant)
    if (Number.isNaN(at.getTime())) return instant
    const parts = new Map(format.formatToParts(at).map(({ type, value }) => [type, value]))
    const era = parts.get('era') === 'BC' ? 'BC' : undefined
    const date = [parts.get('weekday'), parts.get('day'), parts.get('month'), parts.get('year'), era]
    const time = [parts.get('hour'), parts.get('minute'), parts.get('second')]
    const [day, hour] = [date, time].map((all) => all.filter((part) => part !== undefined))
    return `${day?.join(' ')}${parts.has('hour') ? `${between}${hour?.join(':')}` : ''}${after}`
  }
}

/** `Sat 5 Dec 2026 18:30 UTC` of an instant. */
export function momentText(instant: string | null): string {
  return instant === null ? 'no time' : (utcText(instant, '$1 $2 $3 $4 $5 UTC') ?? instant)
}

/** `Sat 5 Dec 18:30` of a wall clock. */
export function wallClockText(wall: string | null): string {
  return wall === null ? '' : (utcText(`${wall}Z`, '$1 $2 $3 $5') ?? wall)
}

/** `Nov 2026` of `2026-11`, or of a day of it. */
export function monthText(month: string): string {
  return utcText(month, '$3 $4') ?? month
}

/** Without `Intl`, whose first formatter takes 13 ms. */
function utcText(instant: string, form: string): string | null {
  const at = new Date(instant)
  if (Number.isNaN(at.getTime())) return null
  return at.toUTCString().replace(/^(\w+), 0?(\d+) (\w+) (\d+) (\d+:\d+):\d+ GMT$/, form)
}
