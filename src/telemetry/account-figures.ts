/** What this process knows of each account, for whoever collects the metrics. Empty while nobody does. */

export interface Pace {
  readonly requests_at_once: number
  /** Null without a rate limit. */
  readonly requests_per_second: number | null
}

export interface AccountFigures {
  /** Of a run under way the current one, afterwards that of its end. */
  pace?: () => Pace
  /** When the last good run of the whole account began, in seconds since 1970. */
  lastSuccess?: number
  /** After the last run. */
  held?: number
  /** After the last run. */
  rejects?: number
}

export const accountFigures = new Map<string, AccountFigures>()

/** Made where there are none yet. */
export function figuresOf(account: string): AccountFigures {
  const known = accountFigures.get(account)
  if (known !== undefined) return known
  const made: AccountFigures = {}
  accountFigures.set(account, made)
  return made
}

/** Until it is disposed of, `read` gives the pace of the account. */
export function watchPace(account: string, read: () => Pace): Disposable {
  figuresOf(account).pace = read
  return {
    [Symbol.dispose]: () => {
      const figures = accountFigures.get(account)
      if (figures?.pace !== read) return
      figures.pace = lasting(read())
    },
  }
}

/**
 * Made outside of the function that knows the run: a function keeps in memory all that its surroundings hold, also what it never uses. Each
 * account would keep its last run.
 */
function lasting<T>(value: T): () => T {
  return () => value
}

/** The accounts of the accounts file; null: there is none. */
let listed: ReadonlySet<string> | null = null

/** The clocks of this machine and of the database may differ by so much. */
const MAX_AHEAD_S = 60

/** A good run of the whole account that another process made, or one before this. @param began in seconds since 1970 */
export function noteGoodRun(account: string, began: number): void {
  // guard: metrics of good runs elsewhere
  if (listed !== null && !listed.has(account)) return
  const figures = figuresOf(account)
  const { lastSuccess: known = -Infinity } = figures
  // One of a clock that was ahead, and was set right since, would hide for as long that the mirror grows old.
  figures.lastSuccess = known > Date.now() / 1000 + MAX_AHEAD_S ? began : Math.max(known, began)
}

/** Null: there is no accounts file. */
let faultyEntries: number | null = null

export function readFaultyEntries(): number | null {
  return faultyEntries
}

/** What the accounts file says now: an account that it does not have any more is told of no more. */
export function noteListedAccounts(names: ReadonlySet<string>, faulty: number): void {
  faultyEntries = faulty
  listed = names
  // guard: metrics of a removed account
  for (const account of accountFigures.keys()) if (!names.has(account)) accountFigures.delete(account)
}
