/** Instants as whole microseconds, and the days on which they fall in a zone. */

const MICROSECONDS_A_DAY = 24n * 60n * 60n * 1_000_000n
const form = /^(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d):(\d\d)(?:\.(\d{1,6}))?(?:Z|([+-])(\d\d):(\d\d))?$/

export const days = (count: bigint): bigint => count * MICROSECONDS_A_DAY

/** Microseconds since 1970. A text without a zone counts as UTC. */
export function micros(text: string): bigint {
  const match = form.exec(text)
  if (match === null) throw new Error(`${text} is no time within the years of this computation`)
  const [, year, month, day, hour, minute, second, fraction = '', sign, hours = '0', minutes = '0'] = match
  const wall = new Date(0)
  wall.setUTCFullYear(Number(year), Number(month) - 1, Number(day))
  wall.setUTCHours(Number(hour), Number(minute), Number(second))
  const offset = (Number(hours) * 60 + Number(minutes)) * 60_000 * (sign === '-' ? -1 : 1)
  return BigInt(wall.getTime() - offset) * 1000n + BigInt(fraction.padEnd(6, '0'))
}

export function microsOrNull(text: string | null): bigint | null {
  return text === null ? null : micros(text)
}

/** ISO 8601 in UTC, without final zeros in the fraction. */
export function isoText(instant: bigint): string {
  const fraction = ((instant % 1_000_000n) + 1_000_000n) % 1_000_000n
  const seconds = new Date(Number((instant - fraction) / 1000n)).toISOString().slice(0, 19)
  const digits = String(fraction).padStart(6, '0').replace(/0+$/, '')
  return digits === '' ? `${seconds}Z` : `${seconds}.${digits}Z`
}

const formats = new Map<string, Intl.DateTimeFormat>()

function formatOf(zone: string): Intl.DateTimeFormat {
  const known = formats.get(zone)
  if (known !== undefined) return known
  const format = new Intl.DateTimeFormat('en-US', {
    timeZone: zone,
    calendar: 'gregory',
    numberingSystem: 'latn',
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
  })
  formats.set(zone, format)
  return format
}

/** The day of an instant in a zone, as YYYY-MM-DD. */
export function dayOf(instant: string, zone: string): string {
  const at = micros(instant)
  const below = ((at % 1000n) + 1000n) % 1000n
  const parts = new Map(
    formatOf(zone)
      .formatToParts(Number((at - below) / 1000n))
      .map((part) => [part.type, part.value]),
  )
  return `${parts.get('year')?.padStart(4, '0')}-${parts.get('month')}-${parts.get('day')}`
}

export function dayOrNull(instant: string | null, zone: string): string | null {
  return instant === null ? null : dayOf(instant, zone)
}

/** How many days the first day is after the second. */
export function daysBetween(later: string, earlier: string): number {
  return (Date.parse(later) - Date.parse(earlier)) / 86_400_000
}

export function earliest(times: readonly (string | null)[]): string | null {
  return times.reduce(
    (best, time) => (time !== null && (best === null || micros(time) < micros(best)) ? time : best),
    null,
  )
}

export function latest(times: readonly (string | null)[]): string | null {
  return times.reduce(
    (best, time) => (time !== null && (best === null || micros(time) > micros(best)) ? time : best),
    null,
  )
}
