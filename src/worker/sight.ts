import { ageOf, type Moment } from './moment.ts'

/** A run whose last sign of life is older may hang. */
const LONGEST_SILENCE_MS = 30_000

/** What a worker has seen of its runs; kept in memory, so that it can be asked while the database is down. */
export interface Sight {
  /** The last run that ended well, and for how long the mirror counts as fresh after it. */
  lastGood: { readonly ended: Moment; readonly freshMs: number } | null
  running: { readonly started: Moment; lastSign: Moment } | null
  /** Why the last run was not a good one; null after a good one. */
  lastFailure: string | null
  nextTick: Date | null
  /** Ticks dropped because a run was under way. */
  skippedTicks: number
}

export function newSight(): Sight {
  return { lastGood: null, running: null, lastFailure: null, nextTick: null, skippedTicks: 0 }
}

/** The worker's health as `GET /healthz` answers it. */
export interface Health {
  readonly healthy: boolean
  readonly reason: string
  readonly last_good_run_ended_at: string | null
  readonly run_in_progress_since: string | null
  readonly next_run_at: string | null
  readonly skipped_ticks: number
}

/** Healthy is a mirror that is fresh, or a run under way that lives. */
export function judge(sight: Sight): Health {
  return {
    ...verdict(sight),
    last_good_run_ended_at: sight.lastGood && isoText(sight.lastGood.ended),
    run_in_progress_since: sight.running && isoText(sight.running.started),
    next_run_at: sight.nextTick?.toISOString() ?? null,
    skipped_ticks: sight.skippedTicks,
  }
}

function verdict({ lastGood, running, lastFailure }: Sight): Pick<Health, 'healthy' | 'reason'> {
  const silence = running && ageOf(running.lastSign)
  if (silence !== null && silence < LONGEST_SILENCE_MS)
    return { healthy: true, reason: 'a run is in progress' }
  const age = lastGood && ageOf(lastGood.ended)
  if (lastGood !== null && age !== null && age < lastGood.freshMs) {
    return { healthy: true, reason: `the last good run ended ${seconds(age)} ago` }
  }
  const faults = [
    age === null
      ? 'no run has ended well yet'
      : `the last good run ended ${seconds(age)} ago, two intervals or more`,
    silence !== null && `the run in progress has shown no sign of life for ${seconds(silence)}`,
    lastFailure !== null && `the last run: ${lastFailure}`,
  ]
  return { healthy: false, reason: faults.filter((fault) => fault !== false).join('; ') }
}

/** For how long the mirror is fresh after a run: two intervals of the schedule, from the ticks after its start. */
export function freshFor(started: Moment, ticks: readonly Date[]): number {
  const [first, second, third] = ticks.map((tick) => tick.getTime())
  if (first === undefined || second === undefined) return 0
  // The shorter gap is the interval, and the longer one a night: until the second tick the mirror is fresh anyway.
  const interval = Math.min(second - first, third === undefined ? Infinity : third - second)
  return Math.max(second - started.wall, 2 * interval)
}

function seconds(milliseconds: number): string {
  return `${Math.round(milliseconds / 1000)} s`
}

function isoText(moment: Moment): string {
  return new Date(moment.wall).toISOString()
}
