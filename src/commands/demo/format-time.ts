/** Time stamps of the mirror as people read them. */
import { formatAge } from '../../common/format-duration.ts'

const moment = new Intl.DateTimeFormat('en-GB', {
  timeZone: 'UTC',
  weekday: 'short',
  day: '2-digit',
  month: 'short',
  hour: '2-digit',
  minute: '2-digit',
})

/** `Sat 05 Dec 18:30`, of an instant in UTC or of a wall clock. */
export function formatMoment(timestamp: string): string {
  const parts = moment.formatToParts(Date.parse(timestamp.endsWith('Z') ? timestamp : `${timestamp}Z`))
  const part = (type: Intl.DateTimeFormatPartTypes) => parts.find((found) => found.type === type)?.value ?? ''
  return `${part('weekday')} ${part('day')} ${part('month').slice(0, 3)} ${part('hour')}:${part('minute')}`
}

const month = new Intl.DateTimeFormat('en-GB', { timeZone: 'UTC', month: 'short', year: 'numeric' })

/** `Nov 2026` of `2026-11`. */
export function formatMonth(text: string): string {
  return month.format(Date.parse(`${text}-01T00:00:00Z`)).replace('Sept', 'Sep')
}

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

/** `52 min ago`, `3 h ago`, `2 d ago`. */
export function formatShortAge(timestamp: string, now: number): string {
  const ms = now - Date.parse(timestamp)
  const unit = ms >= DAY ? DAY : ms >= HOUR ? HOUR : MINUTE
  return formatAge(Math.floor(ms / unit) * unit)
}
