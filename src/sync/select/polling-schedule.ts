/** Which events are due, and when an event is due again. Pure: state and clock come in. */
import type { ListState } from '../../load/state/sync-state.ts'

const HOUR = 3600
const DAY = 24 * HOUR
/** An event stays active this long after it took place: late replies and refunds come in. */
const ACTIVE_FOR_DAYS = 30
const MAX_POLL_INTERVAL_S = 7 * DAY

/** What decides whether an event is due, besides its time. */
export type PolledList = Pick<
  ListState,
  'checked_at' | 'next_check_at' | 'error_code' | 'normaliser_version'
> & {
  readonly held_deletions: readonly unknown[]
  readonly unconfirmed_absences: readonly unknown[]
}

export type DueReason =
  'never_read' | 'failed' | 'held' | 'unconfirmed' | 'event_changed' | 'active' | 'new_version' | 'waited'

/** Why an event is due at `now` (ISO 8601), or null when it is not. */
export function dueReason(
  event: { readonly event_at: string | null },
  known: PolledList | undefined,
  recordChanged: boolean,
  normaliser: number,
  maxStalenessMs: number,
  now: string,
): DueReason | null {
  if (known === undefined || known.checked_at === null) return 'never_read'
  if (known.error_code !== null) return 'failed'
  if (known.held_deletions.length > 0) return 'held'
  // guard: unconfirmed is due
  if (known.unconfirmed_absences.length > 0) return 'unconfirmed'
  if (recordChanged) return 'event_changed'
  if (isActive(event, now)) return 'active'
  if (known.normaliser_version !== normaliser) return 'new_version'
  return hasWaited(known, maxStalenessMs, Date.parse(now)) ? 'waited' : null
}

/** The cap may have been lowered since the next time was set. What was read in the future tells of a clock that was wrong. */
function hasWaited(known: PolledList, maxStalenessMs: number, now: number): boolean {
  if (known.checked_at === null || known.next_check_at === null) return true
  if (Date.parse(known.checked_at) > now) return true
  return Date.parse(known.next_check_at) <= now || Date.parse(known.checked_at) + maxStalenessMs <= now
}

/** Whether people may still respond: no time is known, or it is not longer than 30 days ago. */
export function isActive(event: { readonly event_at: string | null }, now: string): boolean {
  if (event.event_at === null) return true
  return Date.parse(event.event_at) > Date.parse(now) - ACTIVE_FOR_DAYS * DAY * 1000
}

/**
 * Seconds until an event is due again: null (at the next run) while it is active; else 1 h after a change,
 * twice the last wait when nothing changed, at most seven days or the user's own cap.
 */
export function nextPollInterval(
  event: { readonly event_at: string | null },
  lastStep: number | null,
  changed: boolean,
  maxStalenessMs: number,
  now: string,
): number | null {
  if (isActive(event, now)) return null
  const cap = Math.min(MAX_POLL_INTERVAL_S, Math.floor(maxStalenessMs / 1000))
  return Math.min(changed || lastStep === null ? HOUR : lastStep * 2, cap)
}
