/** Whether the mirror is fresh enough to be served; nothing is asked where no age is named. */
import { holdTimeLeft } from '../../../common/schema/holds.ts'
import type { ReportedHold } from '../../../common/schema/tables.ts'
import { UnavailableError } from '../../problems.ts'

export interface FreshnessLimits {
  /** How old the last run that read everything due may be, in ms; null: of any age. */
  readonly maxAgeMs: number | null
  /** How long deletions may be held, in ms. */
  readonly holdForMs: number
}

/** What is known of an account, and of the list that is asked for. */
export interface KnownFreshness {
  /** Since the start of the last run that read every list that was due, in seconds; null: there was none. */
  readonly run_age: number | null
  /** The same of a run after which nothing was held either. */
  readonly good_run_age: number | null
  /** Of the list; null: nothing of it is held. */
  readonly holds: readonly Pick<ReportedHold, 'since' | 'reason'>[] | null
  /** ISO 8601. */
  readonly now: string | null
}

const AFTER_A_RUN_SECONDS = 60

/** Of an account without a whole run the mirror has a part, which would look like all. */
export function requireFreshAccount({ run_age }: KnownFreshness, freshness: FreshnessLimits): void {
  if (!isWithin(run_age, freshness)) throw new UnavailableError('too_old', AFTER_A_RUN_SECONDS)
}

/**
 * A list of which deletions are held is not as the service answers it: it is as old as the last run after which nothing was
 * held. Other lists of the account do not suffer from it.
 */
export function requireFreshList(
  event_id: string | null,
  known: KnownFreshness,
  freshness: FreshnessLimits,
): void {
  const { holds, now, good_run_age } = known
  if (freshness.maxAgeMs === null || holds === null || now === null) return
  const mustBeLookedAt = holds.some(
    (hold) => holdTimeLeft({ event_id, ...hold }, freshness.holdForMs, now) === 0,
  )
  if (mustBeLookedAt) throw new UnavailableError('held', AFTER_A_RUN_SECONDS)
  if (!isWithin(good_run_age, freshness)) {
    const detail =
      'deletions of this list are held, and it is older than it may be: try again after the next run'
    throw new UnavailableError('too_old', AFTER_A_RUN_SECONDS, detail)
  }
}

function isWithin(seconds: number | null, { maxAgeMs }: FreshnessLimits): boolean {
  return maxAgeMs === null || (seconds !== null && seconds * 1000 <= maxAgeMs)
}
