/** How a run sees that a list has changed: by its ETag, and by the digest of its body. */
import type { ListState } from '../../load/state/sync-state.ts'
import { NORMALISER_VERSION } from '../../normalise/version.ts'

/**
 * What a digest says of a list: `same`, nothing to parse or write; `renormalised`, the service sent what it sent
 * before, but we make other rows of it: our normaliser is another version, or personal data that were forgotten come back
 * (rows are written again, without history); `other`.
 */
export type DigestMatch = 'same' | 'renormalised' | 'other'

/** The digest of a list as it was last applied, and the version of our normaliser that made it. */
export type StoredDigest = Pick<ListState, 'digest' | 'normaliser_version'> &
  Partial<Pick<ListState, 'retention'>>

/** Compares a list that was read with what is stored of it; an unknown digest is `other`. */
export function compareDigest(
  reading: { digest(normaliser: number): string },
  stored: StoredDigest | undefined,
): DigestMatch {
  if (!stored || stored.digest === null || stored.normaliser_version === null) return 'other'
  if (reading.digest(stored.normaliser_version) !== stored.digest) return 'other'
  return stored.normaliser_version === NORMALISER_VERSION && stored.retention !== 'restored'
    ? 'same'
    : 'renormalised'
}

/** A service may keep its validator while it changes the list: after so long the list is read whole, and its digest is compared. */
const MAX_ETAG_AGE_MS = 24 * 3_600_000

export type StoredValidator = StoredDigest & Pick<ListState, 'etag' | 'last_full_read_at'>

/** The validator to ask with, or null when the list is to be read whole. `now` is ISO 8601. */
export function etagToSend(
  stored: (StoredValidator & Pick<ListState, 'held_deletions'>) | undefined,
  now: string,
): string | null {
  if (!stored || stored.digest === null || stored.normaliser_version !== NORMALISER_VERSION) return null
  if (stored.retention === 'restored') return null
  if (/* guard: validators and holds */ stored.held_deletions.length > 0 || stored.last_full_read_at === null)
    return null
  const age = Date.parse(now) - Date.parse(stored.last_full_read_at)
  // A time in the future shows that a clock was wrong: nobody knows how old the ETag is.
  return /* guard: readings of the future */ age >= 0 && /* guard: age of validators */ age < MAX_ETAG_AGE_MS
    ? stored.etag
    : null
}

/** Whether the service sent the ETag of the stored list with a different list: such an ETag proves nothing. */
export function etagContradictsContent(
  reading: { digest(normaliser: number): string; readonly etag: string | null },
  stored: StoredValidator | undefined,
): boolean {
  if (!stored || stored.digest === null || reading.etag === null) return false
  // guard: validators that lie
  return reading.etag === stored.etag && compareDigest(reading, stored) === 'other'
}
