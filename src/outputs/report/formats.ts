/** Values as people read them, on the clock of the account. */

export interface Formats {
  /** `Thu 26 Nov 2026, 18:30`; what is no instant stays as it is. */
  readonly moment: (instant: string | null) => string
  /** `Thu 26 Nov 2026, 18:30:05`. */
  readonly second: (instant: string | null) => string
  /** `26 Nov 2026`, of an instant. */
  readonly day: (instant: string | null) => string
  /** The zone of both. */
  readonly zone: string
}

/** @param zone an IANA name; UTC stands in for one that only the database knows */
export function formatsIn(zone: string): Formats {
  const known = isKnown(zone) ? zone : 'UTC'
  return {
    moment: formatter({ ...DAY, ...TIME, timeZone: known }),
    second: formatter({ ...DAY, ...TIME, second: '2-digit', timeZone: known }),
    day: formatter({ ...DATE, timeZone: known }),
    zone: known,
  }
}

function isKnown(zone: string): boolean {
  try {
    Intl.DateTimeFormat('en', { timeZone: zone })
    return true
  } catch {
    return false
  }
}

const DAY = { weekday: 'short', day: 'numeric', month: 'short', year: 'numeric', era: 'short' } as const
const TIME = { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' } as const
const DATE = { day: 'numeric', month: 'short', year: 'numeric', era: 'short' } as const

/** The parts that are asked for, in the order of people who write the day first. */
function formatter(options: Intl.DateTimeFormatOptions): (instant: string | null) => string {
  const format = new Intl.DateTimeFormat('en-US', options)
  return (instant) => {
    if (instant === null) return ''
    const at = new Date(instant)
    if (Number.isNaN(at.getTime())) return instant
    const parts = new Map(format.formatToParts(at).map(({ type, value }) => [type, value]))
    const era = parts.get('era') === 'BC' ? 'BC' : undefined
    const date = [parts.get('weekday'), parts.get('day'), parts.get('month'), parts.get('year'), era]
    const day = date.filter((part) => part !== undefined).join(' ')
    const time = [parts.get('hour'), parts.get('minute'), parts.get('second')]
    return parts.has('hour') ? `${day}, ${time.filter((part) => part !== undefined).join(':')}` : day
  }
}

const wallClock = formatter({ ...DAY, ...TIME, timeZone: 'UTC' })
const monthFormat = formatter({ month: 'short', year: 'numeric', timeZone: 'UTC' })

/** `Thu 26 Nov 2026, 18:30` of a time without a zone. */
export function formatWallClock(local: string | null): string {
  return local === null ? '' : wallClock(`${local}Z`)
}

/** `Nov 2026` of `2026-11-01`. */
export function formatMonth(month: string | null): string {
  return month === null ? 'without a time' : monthFormat(month)
}

const MINUS = '\u2212'

/** `12,345.60` of `12345.60`: every digit as it was sent. */
export function formatNumber(value: string | number): string {
  const [, sign = '', whole = '', fraction = ''] = /^(-?)(\d+)(\.\d+)?$/.exec(String(value)) ?? []
  if (whole === '') return String(value)
  return `${sign && MINUS}${whole.replace(/\B(?=(?:\d{3})+$)/g, ',')}${fraction}`
}

/** An exact sum with two decimals at least; `–` without one. */
export function formatMoney(amount: string | null): string {
  if (amount === null) return '–'
  const [whole = '', fraction = ''] = amount.split('.')
  return formatNumber(`${whole}.${fraction.padEnd(2, '0')}`)
}

/** `1 person`, `2 people`. */
export function formatCount(value: string | number, one: string, many = `${one}s`): string {
  return `${formatNumber(value)} ${String(value) === '1' ? one : many}`
}

/** `today`, `in 3 days`, `5 days ago`. */
export function formatDays(days: number): string {
  if (days === 0) return 'today'
  const count = formatCount(Math.abs(days), 'day')
  return days > 0 ? `in ${count}` : `${count} ago`
}
