import type { ReportedError } from '../../common/schema/tables.ts'
import type { Difference, Differences } from '../../load/diff/column-diff.ts'
import type { ReadContext } from '../run-context.ts'
import type { RunStats } from '../run-stats.ts'

/** At most this many differences are listed; the rest is counted. */
const MAX_LISTED = 1000

/** What `verify` found. */
export interface VerifyReport {
  readonly account: string
  /** `different`: there are differences; `partial`: not all could be compared or decided, or nothing; `equal`: neither. */
  readonly status: 'equal' | 'different' | 'partial'
  readonly duration_ms: number
  /** What is not as the service says; the first thousand. */
  readonly differences: readonly Difference[]
  readonly differences_total: number
  /** Events whose lists of responses were to be compared. */
  readonly lists_chosen: number
  readonly lists_compared: number
  /** How many of them were read by `JSON.parse` and compared in SQL, column by column; of the others rows whose bytes differ. */
  readonly lists_thorough: number
  /** Events whose lists the service changed since the last sync: nothing can be said of their rows. */
  readonly lists_changed: readonly string[]
  /**
   * Events whose lists differ from the mirror and have no stored digest: whether the service or the mirror moved
   * is unknown.
   */
  readonly lists_undecided: readonly string[]
  /** Listed events that no sync has read yet. */
  readonly lists_never_read: readonly string[]
  /** Events that the last sync could not read: their rows are those of an earlier one. */
  readonly lists_failing: readonly string[]
  /** The event list is another one than at the last sync: its records were not compared. */
  readonly events_changed: boolean
  /** The event list differs from the mirror and has no stored digest, as in `lists_undecided`. */
  readonly events_undecided: boolean
  readonly events_compared: number
  readonly responses_compared: number
  /** Deletions on hold: rows that the service no longer has, and the mirror keeps until that is confirmed. */
  readonly held: number
  /** Rows that one reading of a list in several pages lacked, and the mirror keeps until a second one does. */
  readonly unconfirmed: number
  /** Items that cannot be stored; live rows with their ids were not compared. */
  readonly rejected: number
  readonly requests: number
  readonly retries: number
  readonly bytes_received: number
  readonly warnings: readonly string[]
  readonly errors: readonly ReportedError[]
  readonly errors_total: number
}

/** What one comparison found. */
export interface ComparisonResult extends Differences {
  readonly rows: number
  readonly held: number
  readonly unconfirmed: number
  readonly rejected: number
}

/** What was found so far. */
export class VerifyStats {
  readonly #stats: RunStats
  readonly listed: Difference[] = []
  total = 0
  /** How many lists were compared, and the events whose lists were not. */
  readonly lists = {
    compared: 0,
    thorough: 0,
    changed: new Array<string>(),
    undecided: new Array<string>(),
    neverRead: new Array<string>(),
    failing: new Array<string>(),
  }
  responses = 0
  /** Records compared; null while nothing can be said of them. */
  events: number | null = null
  eventsUndecided = false
  readonly kept = { held: 0, unconfirmed: 0, rejected: 0 }

  constructor(stats: RunStats) {
    this.#stats = stats
  }

  /** How many more differences are listed. */
  get remaining(): number {
    return MAX_LISTED - this.listed.length
  }

  add(compared: ComparisonResult): void {
    this.listed.push(...compared.listed.slice(0, this.remaining))
    this.total += compared.total
    this.#stats.differences = this.total
    this.kept.held += compared.held
    this.kept.unconfirmed += compared.unconfirmed
    this.kept.rejected += compared.rejected
  }

  get status(): VerifyReport['status'] {
    if (this.total > 0) return 'different'
    const comparedNothing = this.#stats.events.due === 0 ? this.events === null : this.lists.compared === 0
    const isUndecided = this.eventsUndecided || this.lists.undecided.length > 0
    return this.#stats.errors.length > 0 || comparedNothing || /* guard: undecided */ isUndecided
      ? 'partial'
      : 'equal'
  }
}

/** What `verify` works with: the way to the service, a mirror that it only reads, and what it found. */
export interface VerifyContext extends ReadContext {
  readonly found: VerifyStats
  /** Events whose lists are read and compared another way than a sync does, so that its mistakes are seen. */
  readonly thorough: ReadonlySet<string>
}
