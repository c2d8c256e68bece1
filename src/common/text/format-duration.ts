import { formatCount } from './number.ts'

const units: readonly (readonly [name: string, ms: number])[] = [
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['min', 60_000],
  ['s', 1000],
]

/** A span of time for people: `812 ms`, `4.2 s`, `2 min 5 s`, `3 h 12 min`, `9 d 4 h`. */
export function formatDuration(ms: number): string {
  if (ms < 1000) return `${Math.max(0, Math.round(ms))} ms`
  if (ms < 9950) return `${Number((ms / 1000).toFixed(1))} s`
  const whole = Math.round(ms / 1000) * 1000
  const first = units.findIndex(([, size]) => whole >= size)
  const [name, size] = units[first] ?? ['s', 1000]
  const head = `${Math.floor(whole / size)} ${name}`
  const [nextName, nextSize] = units[first + 1] ?? ['s', 1000]
  const rest = Math.floor((whole % size) / nextSize)
  return rest === 0 || size === nextSize ? head : `${head} ${rest} ${nextName}`
}

/** `in 3 days`, `today`, `5 days ago`. */
export function formatDays(days: number): string {
  if (days === 0) return 'today'
  const count = formatCount(Math.abs(days), 'day')
  return days > 0 ? `in ${count}` : `${count} ago`
}

/** How long ago an instant was: `4.2 s ago`, `just now`. */
export function formatAge(ms: number): string {
  return ms < 1000 ? 'just now' : `${formatDuration(ms)} ago`
}
