/**
 * How many runs a host has that does not answer. One account that hangs must not keep the others of its host waiting, nor
 * hosts that are down the accounts of other hosts.
 */
import { MAX_DEAD_ACCOUNTS, type HostState } from './hosts.ts'

/** A silent host has another run when its last one began so long ago. */
export const TRY_ANOTHER_AFTER_MS = 1500

export interface SilentHostsOptions {
  /** At most so many at once, at all hosts. */
  readonly runs: number
  readonly stateOf: (host: string) => HostState
}

export interface HostRuns {
  running: number
  /** When its last run began, by the clock of `performance.now()`. */
  begunAt: number
  /** Until another account may try the host. */
  timer: NodeJS.Timeout | undefined
  readonly waiting: { readonly size: number }
}

/**
 * Whether a silent host may have another run now.
 *
 * @param onTime called when one that may not now may have it by then
 */
export function mayHaveAnother(
  silent: HostRuns,
  hosts: ReadonlyMap<string, HostRuns>,
  options: SilentHostsOptions,
  onTime: () => void,
): boolean {
  // guard: few runs at a silent host
  if (silent.running >= MAX_DEAD_ACCOUNTS) return false
  // guard: half the turns for hosts that answer
  if (runsBeside(silent, hosts, options) >= Math.ceil(options.runs / 2)) return false
  const leftMs = silent.begunAt + TRY_ANOTHER_AFTER_MS - performance.now()
  if (leftMs <= 0) return true
  // guard: another account beside one that hangs
  silent.timer ??= setTimeout(() => {
    silent.timer = undefined
    onTime()
  }, Math.ceil(leftMs)).unref()
  return false
}

/** Of one silent host beside others; of all silent hosts together as long as one that answers has runs; 0 of an only host. */
function runsBeside(
  silent: HostRuns,
  hosts: ReadonlyMap<string, HostRuns>,
  { stateOf }: SilentHostsOptions,
): number {
  if (hosts.size === 1) return 0
  const known = [...hosts].map(([host, of]) => ({ ...of, state: stateOf(host) }))
  // guard: silent hosts together
  if (!known.some(({ state, running, waiting }) => state === 'answering' && running + waiting.size > 0))
    return silent.running
  return known.reduce((sum, { state, running }) => sum + (state === 'silent' ? running : 0), 0)
}
