/** Time stamps of the mirror as people read them. */
import { formatAge } from '../../common/text/format-duration.ts'

/** `Sat 05 Dec 18:30`, of an instant in UTC or of a wall clock. */
export function formatMoment(timestamp: string): string {
  return toUtcString(timestamp).replace(/^(\w+), (\d+ \w+) \d+ (\d+:\d+).*/, '$1 $2 $3')
}

/** `Nov 2026` of `2026-11`. */
export function formatMonth(month: string): string {
  return toUtcString(`${month}-01T00:00:00`).slice('Sun, 01 '.length, 'Sun, 01 Nov 2026'.length)
}

/** `Sat, 05 Dec 2026 18:30:00 GMT` */
function toUtcString(timestamp: string): string {
  return new Date(timestamp.endsWith('Z') ? timestamp : `${timestamp}Z`).toUTCString()
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
