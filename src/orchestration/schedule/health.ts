import { ageOf, now, type MonotonicTime } from './monotonic-time.ts'

/** A run without a heartbeat for so long may hang. */
const MAX_SILENCE_MS = 30_000
/** Lists named in the reason; `held_too_long` has them all. */
const MAX_NAMED = 5

/** What a worker knows of its runs. It is in memory, so that the health endpoint works without the database. */
export interface WorkerState {
  /** The last good run, and for how long the mirror counts as fresh after its start. */
  lastGood: { readonly started: MonotonicTime; readonly freshMs: number } | null
  /** The held deletions after the last finished run. */
  holds: { readonly seen: MonotonicTime; readonly lists: readonly HeldList[] }
  running: RunningRun | null
  /** Why the last run was not a good one; null after a good one. */
  lastFailure: string | null
  /** The code of the error that ended the last run; null where none did. */
  lastErrorCode: string | null
  /** How the last run ended; null before the first end, and of one that another run or a stop kept from its work. */
  lastEnd: RunEnd | null
  readonly began: MonotonicTime
  nextTick: Date | null
  /** Ticks dropped because a run was under way. */
  skippedTicks: number
}

/** The run under way. */
export interface RunningRun {
  readonly started: MonotonicTime
  /** When its turn came; null while it waits behind the runs of other accounts. */
  turn: MonotonicTime | null
  lastSign: MonotonicTime
  /** For how long the mirror is fresh after it. */
  readonly freshMs: number
}

/** How a run ended, as far as the schedule is concerned. */
export type RunEnd = 'complete' | 'partial' | 'failed'

/** A list with held deletions. */
export interface HeldList {
  /** Names the list, the reason, and since when. */
  readonly description: string
  /** The time after the run until the hold counts as too long, in ms. */
  readonly overdueAfterMs: number
}

export function createWorkerState(): WorkerState {
  return {
    lastGood: null,
    holds: { seen: now(), lists: [] },
    running: null,
    lastFailure: null,
    lastErrorCode: null,
    lastEnd: null,
    began: now(),
    nextTick: null,
    skippedTicks: 0,
  }
}

/** The worker's health as `GET /healthz` answers it. */
export interface Health {
  readonly healthy: boolean
  readonly reason: string
  readonly last_good_run_started_at: string | null
  /** Lists whose deletions are held for too long, or never expire by time. */
  readonly held_too_long: readonly string[]
  readonly run_in_progress_since: string | null
  readonly next_run_at: string | null
  readonly skipped_ticks: number
}

/** Healthy: the mirror is fresh, or the first run of the process is in progress and alive, and no deletions wait for a decision. */
export function healthOf(state: WorkerState): Health {
  const heldTooLong = overdueHolds(state.holds)
  const { healthy, reason } = freshness(state)
  const held = `deletions are held for too long or wait for a decision, of ${formatLists(heldTooLong)}`
  const isHeld = heldTooLong.length > 0
  return {
    healthy: healthy && !isHeld,
    reason: !isHeld ? reason : healthy ? held : `${reason}; ${held}`,
    last_good_run_started_at: state.lastGood && isoText(state.lastGood.started),
    held_too_long: heldTooLong,
    run_in_progress_since: state.running && isoText(state.running.started),
    next_run_at: state.nextTick?.toISOString() ?? null,
    skipped_ticks: state.skippedTicks,
  }
}

export function overdueHolds({ seen, lists }: WorkerState['holds']): string[] {
  const age = ageOf(seen)
  return lists.filter(({ overdueAfterMs }) => age >= overdueAfterMs).map(({ description }) => description)
}

export function freshness(state: WorkerState): Pick<Health, 'healthy' | 'reason'> {
  const { lastGood, lastEnd, running, lastFailure, began } = state
  const waitedMs = running !== null && running.turn === null ? ageOf(running.started) : null
  const silence = running === null || waitedMs !== null ? null : ageOf(running.lastSign)
  const age = lastGood && ageOf(lastGood.started)
  const isFresh = lastGood !== null && age !== null && age < lastGood.freshMs
  // Nobody stops the first run of a process for the time that it takes: that of a large account, or after a long standstill.
  // guard: old while a run goes on
  if (isAlive(running) && (isFresh || lastEnd === null))
    return { healthy: true, reason: 'a run is in progress' }
  if (isFresh) return { healthy: true, reason: `the last good run began ${seconds(age)} ago` }
  // guard: first turn
  if (
    waitedMs !== null &&
    lastGood === null &&
    lastFailure === null &&
    ageOf(began) < (running?.freshMs ?? 0)
  )
    return { healthy: true, reason: 'the first run waits for its turn' }
  const faults = [
    age === null
      ? 'there has been no good run yet'
      : `the last good run began ${seconds(age)} ago, two intervals or more`,
    waitedMs !== null && `the run has waited for its turn for ${seconds(waitedMs)}`,
    silence !== null &&
      (isAlive(running)
        ? 'a run is in progress'
        : `the run in progress has sent no heartbeat for ${seconds(silence)}`),
    lastFailure !== null && `the last run: ${lastFailure}`,
  ]
  return { healthy: false, reason: faults.filter((fault) => fault !== false).join('; ') }
}

/** Whether a run works, and shows it. */
export function isAlive(running: RunningRun | null): boolean {
  return running !== null && running.turn !== null && ageOf(running.lastSign) < MAX_SILENCE_MS
}

export function formatLists(lists: readonly string[]): string {
  const more = lists.length - MAX_NAMED
  return `${lists.slice(0, MAX_NAMED).join('; ')}${more > 0 ? `; and ${more} more` : ''}`
}

/** How long the mirror is fresh after a run: two intervals of the schedule, from the ticks after the run's start. */
export function freshFor(started: MonotonicTime, ticks: readonly Date[]): number {
  const second = ticks[1]?.getTime()
  // Until the second tick the mirror is fresh anyway.
  return second === undefined ? 0 : Math.max(second - started.wall, 2 * intervalOf(ticks))
}

/** The shorter gap between three ticks: the longer one may be a night. */
function intervalOf(ticks: readonly Date[]): number {
  const [first, second, third] = ticks.map((tick) => tick.getTime())
  if (first === undefined || second === undefined) return 0
  return Math.min(second - first, third === undefined ? Infinity : third - second)
}

/**
 * Goes by a good run of another process, for as long as the mirror is fresh by it.
 *
 * @param ageMs since its start
 * @param ticks the next three
 */
export function recallGoodRun(state: WorkerState, ageMs: number, ticks: readonly Date[]): void {
  const freshMs = 2 * intervalOf(ticks)
  // guard: good run before the start
  if (ageMs >= freshMs) return
  const started = { wall: Date.now() - ageMs, monotonic: performance.now() - ageMs }
  if (state.lastGood !== null && state.lastGood.started.monotonic >= started.monotonic) return
  state.lastGood = { started, freshMs }
}

export function seconds(milliseconds: number): string {
  return `${Math.round(milliseconds / 1000)} s`
}

function isoText(moment: MonotonicTime): string {
  return new Date(moment.wall).toISOString()
}
