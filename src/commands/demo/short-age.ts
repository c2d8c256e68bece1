import { formatAge } from '../../common/text/format-duration.ts'

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

/** `52 min ago`, `3 h ago`, `2 d ago`. */
export function formatShortAge(timestamp: string, now: number): string {
  const ms = now - Date.parse(timestamp)
  const unit = ms >= DAY ? DAY : ms >= HOUR ? HOUR : MINUTE
  return formatAge(Math.floor(ms / unit) * unit)
}
