import { distance } from 'fastest-levenshtein'

/**
 * ` (did you mean X?)` for the nearest candidate, or nothing when none is near.
 *
 * @param most how many letters may be wrong; three by default, and at most half of a short word
 */
export function didYouMean(
  word: string,
  candidates: readonly string[],
  most: number = Math.min(3, Math.floor(word.length / 2)),
): string {
  const near = candidates
    .map((candidate) => ({ candidate, steps: distance(word, candidate) }))
    .sort((a, b) => a.steps - b.steps)
    .find(({ candidate, steps }) => steps <= most || (steps <= 6 && candidate.startsWith(word)))
  return near === undefined ? '' : ` (did you mean ${near.candidate}?)`
}
