/** Whether the mirror is fresh enough to be served. */
import { holdTimeLeft } from '../../../common/schema/holds.ts'
import type { ReportedHold } from '../../../common/schema/tables.ts'
import { UnavailableError, AFTER_A_RUN_SECONDS } from '../../problems.ts'

export interface FreshnessLimits {
  /** The maximum age of the last run that read everything due; null: no limit. */
  readonly maxAgeMs: number | null
  /** How long deletions may be held. */
  readonly holdForMs: number
}

/** The freshness of an account, and of the requested list. */
export interface KnownFreshness {
  /** Seconds since the start of the last run that read every due list; null: there was none. */
  readonly run_age: number | null
  /** Seconds since the start of the last run that also held no deletions. */
  readonly good_run_age: number | null
  /** Held deletions of the list; null: none. */
  readonly holds: readonly Pick<ReportedHold, 'since' | 'reason'>[] | null
  /** ISO 8601. */
  readonly now: string | null
}

/** Before the first complete run the mirror has only a part of the account. */
export function requireFreshAccount(
  { run_age }: Pick<KnownFreshness, 'run_age'>,
  limits: Pick<FreshnessLimits, 'maxAgeMs'>,
): void {
  if (!isWithin(run_age, limits)) throw new UnavailableError('too_old', AFTER_A_RUN_SECONDS)
}

/**
 * A list with held deletions differs from the service's: it is as old as the last run without held deletions. The other
 * lists of the account are not affected.
 */
export function requireFreshList(
  event_id: string | null,
  known: KnownFreshness,
  freshness: FreshnessLimits,
): void {
  const { holds, now, good_run_age } = known
  if (freshness.maxAgeMs === null || holds === null || now === null) return
  const isOverdue = holds.some((hold) => holdTimeLeft({ event_id, ...hold }, freshness.holdForMs, now) === 0)
  if (isOverdue) throw new UnavailableError('held', AFTER_A_RUN_SECONDS)
  if (!isWithin(good_run_age, freshness)) {
    const detail =
      'deletions of this list are held, and it is older than it may be: try again after the next run'
    throw new UnavailableError('too_old', AFTER_A_RUN_SECONDS, detail)
  }
}

function isWithin(seconds: number | null, { maxAgeMs }: Pick<FreshnessLimits, 'maxAgeMs'>): boolean {
  return maxAgeMs === null || (seconds !== null && seconds * 1000 <= maxAgeMs)
}
