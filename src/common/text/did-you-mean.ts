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
  const near = byDistance(word, candidates).find(
    ({ candidate, steps }) => steps <= most || (steps <= 6 && candidate.startsWith(word)),
  )
  return near === undefined ? '' : ` (did you mean ${near.candidate}?)`
}

/** Of several names the one that is written most like it, in upper or lower case. */
export function nearestName(name: string, names: readonly string[]): string {
  return byDistance(name, names)[0]?.candidate ?? ''
}

/** The nearest first; of those that differ in upper and lower case alone the one that is written most alike. */
function byDistance(word: string, candidates: readonly string[]) {
  return candidates
    .map((candidate) => ({ candidate, steps: distance(word.toLowerCase(), candidate.toLowerCase()) }))
    .sort((a, b) => a.steps - b.steps || distance(word, a.candidate) - distance(word, b.candidate))
}

/** As `didYouMean`, of an event: the id of the one with that title, or the most similar id. */
export function didYouMeanEvent(
  word: string,
  events: readonly { readonly id: string; readonly title: string | null }[],
): string {
  const titled = events.filter(({ title }) => title?.toLowerCase() === word.toLowerCase())
  const [only] = titled
  return only !== undefined && titled.length === 1
    ? ` (did you mean ${only.id}, which has that title?)`
    : didYouMean(
        word,
        events.map(({ id }) => id),
        // Ids of events are of any form, and a part of them is often the same.
        Math.min(3, Math.floor(word.length / 3)),
      )
}
