/** The health of a worker over many accounts, as `GET /healthz` answers it. */
import { nameSome } from '../../../common/text/name-some.ts'
import { healthOf, type WorkerState } from '../health.ts'

/** Accounts and entries that are named with their reasons. */
const MAX_NAMED = 10

export interface AccountsHealth {
  readonly healthy: boolean
  readonly reason: string
  readonly accounts: number
  readonly unhealthy: number
  /** Runs that wait for their turn. */
  readonly waiting: number
  readonly running: number
  readonly skipped_ticks: number
  /** The first of them; `/healthz/NAME` has each. */
  readonly unhealthy_accounts: readonly { readonly account: string; readonly reason: string }[]
  /** Entries of the accounts file that cannot be used, one for a file that cannot be read; the first of them are listed. */
  readonly faulty_entries: number
  readonly faults: readonly string[]
}

/** Healthy when every account is, and every entry of the file can be used. */
export function accountsHealth(
  accounts: ReadonlyMap<string, WorkerState>,
  faults: readonly string[],
): AccountsHealth {
  const unhealthy: { account: string; reason: string }[] = []
  let waiting = 0
  let running = 0
  let skipped = 0
  for (const [account, state] of accounts) {
    const { healthy, reason } = healthOf(state)
    // guard: any unhealthy account
    if (!healthy) unhealthy.push({ account, reason })
    if (state.running?.turn === null) waiting += 1
    else if (state.running !== null) running += 1
    skipped += state.skippedTicks
  }
  const isHealthy = unhealthy.length === 0 && faults.length === 0
  return {
    healthy: isHealthy,
    reason: isHealthy
      ? `all of ${accounts.size} accounts are healthy`
      : reasonOf(accounts.size, unhealthy, faults),
    accounts: accounts.size,
    unhealthy: unhealthy.length,
    waiting,
    running,
    skipped_ticks: skipped,
    unhealthy_accounts: unhealthy.slice(0, MAX_NAMED),
    faulty_entries: faults.length,
    faults: faults.slice(0, MAX_NAMED),
  }
}

function reasonOf(
  accounts: number,
  unhealthy: readonly { readonly account: string }[],
  faults: readonly string[],
): string {
  const names = unhealthy.map(({ account }) => account)
  return [
    ...(unhealthy.length === 0
      ? []
      : [`${unhealthy.length} of ${accounts} accounts are unhealthy: ${nameSome(names, MAX_NAMED)}`]),
    ...faultOfFile(faults),
  ].join('; ')
}

/** The first fault, for the file may be one that cannot be read. */
export function faultOfFile([first, ...more]: readonly string[]): readonly string[] {
  if (first === undefined) return []
  const others = more.length === 0 ? '' : ` (and ${more.length} more)`
  return [`the accounts file is faulty: ${first}${others}; the log and doctor say why`]
}
