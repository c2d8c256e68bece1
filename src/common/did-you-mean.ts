import { distance } from 'fastest-levenshtein'

/** ` (did you mean X?)` for the nearest candidate, or nothing when none is near: at most half of a short word is wrong. */
export function didYouMean(word: string, candidates: readonly string[]): string {
  const most = Math.min(3, Math.floor(word.length / 2))
  const near = candidates
    .map((candidate) => ({ candidate, steps: distance(word, candidate) }))
    .sort((a, b) => a.steps - b.steps)
    .find(({ candidate, steps }) => steps <= most || (steps <= 6 && candidate.startsWith(word)))
  return near === undefined ? '' : ` (did you mean ${near.candidate}?)`
}
