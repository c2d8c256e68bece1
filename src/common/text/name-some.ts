import { formatNumber } from './number.ts'

/** `ada, bob, cy and 1,204 more`: the first `most` names, and how many there are besides. */
export function nameSome(names: readonly string[], most: number): string {
  const more = names.length - most
  const shown = names.slice(0, most).join(', ')
  return more > 0 ? `${shown} and ${formatNumber(more)} more` : shown
}
