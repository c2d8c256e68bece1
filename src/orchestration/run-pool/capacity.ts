/** How many runs and connections a pool has. */
import { requireWholeNumber } from '../../common/options/amounts.ts'
import { MAX_CONCURRENCY, MAX_CONNECTIONS } from '../../common/parse-values.ts'
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
export function capacityOf({ runs, connections, poolSize }: CapacityOptions): Capacity {
  requireWholeNumber('runs', runs, 1, MAX_CONCURRENCY)
  const why = ': a run needs two for batches and one for its heartbeat'
  requireWholeNumber('connections', connections, CONNECTIONS_PER_RUN, MAX_CONNECTIONS, why)
  const wanted = runs ?? DEFAULT_RUNS
  const available = availableConnections({ connections, poolSize })
  // guard: runs that connections carry
  const carried = Math.floor(available / CONNECTIONS_PER_RUN)
  const all = Math.max(1, Math.min(runs ?? (available < Infinity ? carried : wanted), carried))
  return {
    runs: all,
    connections: Math.min(available, Math.max(all * CONNECTIONS_PER_RUN, connections ?? 0)),
  }
}

/** Infinity when nothing bounds them. */
export function availableConnections({ connections, poolSize }: CapacityOptions): number {
  return Math.min(connections ?? Infinity, poolSize ?? Infinity)
}
