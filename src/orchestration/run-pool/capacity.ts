/** How many runs and connections a pool has. */
import { MAX_CONCURRENCY, MAX_CONNECTIONS } from '../../common/parse-values.ts'
import { UsageError } from '../../common/errors.ts'
import { CONNECTIONS_PER_RUN } from '../../db/database.ts'

export interface Capacity {
  readonly runs: number
  readonly connections: number
}

export interface CapacityOptions {
  readonly runs?: number | undefined
  readonly connections?: number | undefined
  /** The size of a pool of the caller. */
  readonly poolSize?: number | undefined
}

const DEFAULT_RUNS = 4

/**
 * Each run has its connections to itself, so that no run waits for one of another: what the connections carry bounds the
 * runs at once.
 *
 * @throws UsageError
 */
export function capacityOf({ runs, connections, poolSize = Infinity }: CapacityOptions): Capacity {
  requireCount('runs', runs, 1, MAX_CONCURRENCY)
  requireCount('connections', connections, CONNECTIONS_PER_RUN, MAX_CONNECTIONS)
  const wanted = runs ?? DEFAULT_RUNS
  const available = Math.min(connections ?? Infinity, poolSize)
  // guard: runs that connections carry
  const carried = Math.floor(available / CONNECTIONS_PER_RUN)
  const all = Math.max(1, Math.min(runs ?? (available < Infinity ? carried : wanted), carried))
  return {
    runs: all,
    connections: Math.min(available, Math.max(all * CONNECTIONS_PER_RUN, connections ?? 0)),
  }
}

/** @throws UsageError unless it is a whole number from `least` to `most` */
export function requireCount(name: string, value: number | undefined, least: number, most: number): void {
  if (value === undefined || (Number.isInteger(value) && value >= least && value <= most)) return
  const why = name === 'connections' ? ': a run needs two for batches and one for its heartbeat' : ''
  throw new UsageError(
    `The option \`${name}\` must be a whole number from ${least} to ${most}, not ${value}${why}.`,
  )
}
