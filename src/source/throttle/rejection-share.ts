/**
 * Random refusals: a share of the requests that is refused however slowly the service is asked.
 *
 * Two moving averages over requests, a quick one (about the last 16) and a slow one (about the last 1,000). Once the
 * pace has found the refusals to be random (pace.ts), the slow one is the share to live with; when the quick one
 * goes four standard deviations and a tenth beyond it, or so many refusals come in a row as chance allows once in a
 * thousand times, something else refuses as well, and the pace learns anew.
 */

export interface RefusalShare {
  readonly quick: number
  readonly slow: number
  /** Refusals since the last answer. */
  readonly inARow: number
  /** The refusals were found to be random. */
  readonly isRandom: boolean
}

const QUICK = 16
const SLOW = 1000
const DEVIATIONS = 4
const MARGIN = 0.1
const CHANCE = 0.001
/** Below this share there is nothing to live with. */
const LEAST_SHARE = 0.002
/** No share is taken for larger: a service that refuses more is closed. */
const LARGEST_SHARE = 0.7

export const noRefusals: RefusalShare = { quick: 0, slow: 0, inARow: 0, isRandom: false }

export function countAnswer(share: RefusalShare): RefusalShare {
  if (share.quick === 0 && share.slow === 0) return share
  const slow = share.slow * (1 - 1 / SLOW)
  const quick = share.quick * (1 - 1 / QUICK)
  return { quick, slow, inARow: 0, isRandom: share.isRandom && slow >= LEAST_SHARE }
}

export function countRefusal(share: RefusalShare): RefusalShare {
  const quick = share.quick + (1 - share.quick) / QUICK
  const slow = share.slow + (1 - share.slow) / SLOW
  const inARow = share.inARow + 1
  const deviation = Math.sqrt((share.slow * (1 - share.slow)) / (2 * QUICK))
  const isMore = quick > share.slow + DEVIATIONS * deviation + MARGIN || inARow > mostInARow(share.slow)
  return { quick, slow, inARow, isRandom: share.isRandom && !isMore }
}

/** @param share of the requests since refusals began */
export function asRandom(before: RefusalShare, share: number): RefusalShare {
  const known = Math.min(LARGEST_SHARE, share)
  return { ...before, quick: known, slow: known, isRandom: true }
}

/** So many refusals of one request, or in a row, chance brings hardly ever (`chance`) when it refuses this share. */
export function mostInARow(share: number, chance = CHANCE): number {
  if (share <= 0) return 2
  return Math.max(2, Math.ceil(Math.log(chance) / Math.log(Math.min(LARGEST_SHARE, share))))
}
