/**
 * Random rejections: the service rejects a share of the requests at any rate.
 *
 * There are two moving averages over requests: a fast one (about the last 16) and a slow one (about the last 1,000).
 * Once rejections count as random (rate-limit.ts), the slow average is the expected share. The rate limit is learned
 * again when the fast average exceeds it by four standard deviations and a tenth. The same happens after so many
 * consecutive rejections as chance brings once in a thousand times.
 */

export interface RejectionShare {
  readonly fast: number
  readonly slow: number
  /** Rejections since the last response. */
  readonly consecutive: number
  readonly isRandom: boolean
}

const FAST_WINDOW = 16
const SLOW_WINDOW = 1000
const DEVIATIONS = 4
const MARGIN = 0.1
const CHANCE = 0.001
/** Below this share rejections no longer count as random. */
const MIN_SHARE = 0.002
/** A service that rejects more is closed. */
const MAX_SHARE = 0.7

export const noRejections: RejectionShare = { fast: 0, slow: 0, consecutive: 0, isRandom: false }

export function countResponse(share: RejectionShare): RejectionShare {
  if (share.fast === 0 && share.slow === 0) return share
  const slow = share.slow * (1 - 1 / SLOW_WINDOW)
  const fast = share.fast * (1 - 1 / FAST_WINDOW)
  return { fast, slow, consecutive: 0, isRandom: share.isRandom && slow >= MIN_SHARE }
}

export function countRejection(share: RejectionShare): RejectionShare {
  const fast = share.fast + (1 - share.fast) / FAST_WINDOW
  const slow = share.slow + (1 - share.slow) / SLOW_WINDOW
  const consecutive = share.consecutive + 1
  const deviation = Math.sqrt((share.slow * (1 - share.slow)) / (2 * FAST_WINDOW))
  const isMore =
    fast > share.slow + DEVIATIONS * deviation + MARGIN || consecutive > maxConsecutive(share.slow)
  return { fast, slow, consecutive, isRandom: share.isRandom && !isMore }
}

/** @param share of the requests since the first rejection */
export function asRandom(before: RejectionShare, share: number): RejectionShare {
  const known = Math.min(MAX_SHARE, share)
  return { ...before, fast: known, slow: known, isRandom: true }
}

/** More consecutive rejections than this have a lower probability than `chance` when this share is rejected. */
export function maxConsecutive(share: number, chance = CHANCE): number {
  if (share <= 0) return 2
  return Math.max(2, Math.ceil(Math.log(chance) / Math.log(Math.min(MAX_SHARE, share))))
}
