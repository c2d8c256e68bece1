import type { Progress } from '../../index.ts'
import { formatDuration } from '../../common/text/format-duration.ts'
import { formatCount, formatNumber } from '../../common/text/number.ts'

/** How far a run is, on one line: events, responses, rows changed, rate, time left, retries when there are any. */
export function progressLine(progress: Progress, elapsedMs: number): string {
  const { events, responses, changedRows } = progress
  if (progress.phase === 'events') return ['reading the event list …', ...slowed(progress)].join(' ')
  const parts = [
    `${formatNumber(events.done)}/${formatCount(events.total, 'event')}${skipped(events.skipped)}`,
    formatCount(responses, 'response') + rate(progress, elapsedMs),
    progress.phase === 'comparing'
      ? formatCount(changedRows, 'difference')
      : `${formatCount(changedRows, 'row')} changed`,
  ]
  if (progress.phase === 'removing') parts.push('removing what is gone')
  else if (progress.phase === 'forgetting') parts.push('forgetting personal data')
  else if (progress.phase === 'indexing') parts.push('making indexes')
  else parts.push(...timeLeft(progress, elapsedMs))
  if (progress.retries > 0) parts.push(formatCount(progress.retries, 'retry', 'retries'))
  parts.push(...slowed(progress))
  return parts.join(', ')
}

function skipped(events: number): string {
  return events === 0 ? '' : ` (${formatNumber(events)} more were read before)`
}

/** That the service slows the run down, how much, and until when. */
function slowed({ slowdown }: Progress): string[] {
  if (slowdown === null) return []
  const { requests_per_second: rate, until } = slowdown
  if (until !== null) return [`the service asks to wait until ${until.toISOString().slice(11, 19)} UTC`]
  return [rate === null ? 'slowed down by the service' : `slowed down to ${rate} requests/s by the service`]
}

/** Milliseconds before a rate is meaningful. */
const FIRST_RATE_MS = 1000

function rate({ events, responses }: Progress, elapsedMs: number): string {
  if (elapsedMs < FIRST_RATE_MS || events.done === 0) return ''
  return ` (${formatNumber(Math.round((responses / elapsedMs) * 1000))}/s)`
}

function timeLeft({ events: { done, total } }: Progress, elapsedMs: number): string[] {
  if (elapsedMs < FIRST_RATE_MS || done === 0 || done >= total) return []
  return [`${formatDuration((elapsedMs / done) * (total - done))} left`]
}
