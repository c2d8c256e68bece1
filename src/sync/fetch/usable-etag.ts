/** When the ETag of a list is used, and when it contradicts what the list contains. */
import type { HeldGroup } from '../../common/schema/tables.ts'
import { NORMALISER_VERSION } from '../../normalise/version.ts'
import { compareDigest } from './change-detection.ts'
import type { StoredDigest } from './change-detection.ts'

/** A service may keep its validator while it changes the list: after so long the list is read whole, and its digest is compared. */
const MAX_ETAG_AGE_MS = 24 * 3_600_000

export interface StoredValidator extends StoredDigest {
  readonly etag: string | null
  /** When the list was last read whole, ISO 8601. */
  readonly last_full_read_at: string | null
}

/** The validator to ask with, or null when the list is to be read whole. `now` is ISO 8601. */
export function usableEtag(
  stored: (StoredValidator & { readonly held_deletions: readonly HeldGroup[] }) | undefined,
  now: string,
): string | null {
  if (!stored || stored.digest === null || stored.normaliser_version !== NORMALISER_VERSION) return null
  if (/* guard: validators and holds */ stored.held_deletions.length > 0 || stored.last_full_read_at === null)
    return null
  const age = Date.parse(now) - Date.parse(stored.last_full_read_at)
  // A time in the future shows that a clock was wrong: nobody knows how old the ETag is.
  return /* guard: readings of the future */ age >= 0 && /* guard: age of validators */ age < MAX_ETAG_AGE_MS
    ? stored.etag
    : null
}

/** Whether the service sent the validator of the stored list with another list: its word is worth nothing. */
export function etagContradictsContent(
  reading: { digest(normaliser: number): string; readonly etag: string | null },
  stored: StoredValidator | undefined,
): boolean {
  if (!stored || stored.digest === null || reading.etag === null) return false
  // guard: validators that lie
  return reading.etag === stored.etag && compareDigest(reading, stored) === 'other'
}
