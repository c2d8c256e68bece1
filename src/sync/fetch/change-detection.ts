import { NORMALISER_VERSION } from '../../normalise/version.ts'

/**
 * What a digest says of a list: `same`, nothing to parse or write; `renormalised`, the service sent what it sent
 * before, but our normaliser is another version (rows are written again, without history); `other`.
 */
export type DigestMatch = 'same' | 'renormalised' | 'other'

/** The digest of a list as it was last applied, and the version of our normaliser that made it. */
export interface StoredDigest {
  readonly digest: string | null
  readonly normaliser_version: number | null
}

/** Compares a list that was read with what is stored of it; an unknown digest is `other`. */
export function compareDigest(
  reading: { digest(normaliser: number): string },
  stored: StoredDigest | undefined,
): DigestMatch {
  if (!stored || stored.digest === null || stored.normaliser_version === null) return 'other'
  if (reading.digest(stored.normaliser_version) !== stored.digest) return 'other'
  return stored.normaliser_version === NORMALISER_VERSION ? 'same' : 'renormalised'
}
